"""What a run does while something around it fails.

`python -m tests.faults` brings the faults about, one after the other, and prints one table: what
was done, what the run did, its exit codes, and what was lost, repeated and left. `--only NAME`
picks some, `--list` names them, `--seed` draws other moments, `--long` is the long form.
"""
