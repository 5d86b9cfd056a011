"""Whatever comes in is taken or refused: every parser, against what nobody would send on purpose.

`python -m tests.fuzzing` (or `make fuzz`) tries each parser on 10,000 examples and prints one
line for each: examples, how many were taken and refused, the slowest. `--only NAME` picks some,
`--list` names them, `--examples N` and `--seed N` choose how many and which, `--long-texts` times
texts of a megabyte instead. The suite tries a few of the same examples (`test_fuzzed_parsers.py`).
"""
