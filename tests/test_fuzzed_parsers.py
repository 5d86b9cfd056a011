"""Every parser on a few of the examples that `python -m tests.fuzzing` tries by the thousand."""

import pytest
from hypothesis import HealthCheck, given, settings

import tests.fuzzing.everything  # noqa: F401 - it names the parsers
from tests.fuzzing.parser import PARSERS, REFUSED, TAKEN

SLOW_TO_OPEN = ("model judge", "store", "judge spatial.construction sentiment", "grap")
"""Tried in the long form alone."""
QUICK = [each for name, each in PARSERS.items() if not any(word in name for word in SLOW_TO_OPEN)]
A_FEW = settings(
    max_examples=3,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("parser", QUICK, ids=lambda each: each.name)
def test_whatever_comes_in_is_taken_or_refused(parser):
    @A_FEW
    @given(parser.examples)
    def run(example):
        assert parser.outcome(example) in (TAKEN, REFUSED)

    run()
