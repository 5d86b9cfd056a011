"""What a call costs, beside floors that are measured in the same run on the same server.

`python -m tests.bench` prints one table. No candidate is measured alone: each round runs all of
them, one after the other, and a ratio is taken within its round, so that a machine that is slower
for a minute is slower for all.
"""
