"""Accuracy, precision and recall of a table that can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from auditor.errors import StatisticsError
from auditor.statistics.closeness import (
    NO_NUMBERS,
    mean_absolute_difference,
    mean_difference,
    share_within,
)
from auditor.statistics.confusion import Confusion

# Ten answers by people: 5 men, 4 women, 1 refusal; the judge takes a man for a woman, a woman for
# invalid, and the refusal for a woman.
TABLE = Confusion(
    {
        ("men", "men"): 4,
        ("men", "women"): 1,
        ("women", "women"): 3,
        ("women", "invalid"): 1,
        ("refusal", "women"): 1,
    }
)


def wilson(successes, n):
    interval = binomtest(successes, n).proportion_ci(method="wilson")
    return successes / n, interval.low, interval.high


@pytest.mark.parametrize(
    ("estimate", "successes", "n"),
    [
        (TABLE.accuracy(), 7, 10),
        (TABLE.recall("men"), 4, 5),
        (TABLE.recall("women"), 3, 4),
        (TABLE.recall("refusal"), 0, 1),
        (TABLE.precision("men"), 4, 4),
        (TABLE.precision("women"), 3, 5),
        (TABLE.precision("invalid"), 0, 1),
    ],
)
def test_shares_have_wilsons_interval(estimate, successes, n):
    assert estimate.n == n
    assert (estimate.value, estimate.ci_low, estimate.ci_high) == pytest.approx(
        wilson(successes, n)
    )


def test_a_class_that_one_side_never_gives_has_no_share():
    assert TABLE.precision("refusal").value is None
    assert TABLE.precision("refusal").note == "never given by the rater"
    assert TABLE.recall("invalid").value is None
    assert TABLE.recall("invalid").note == "never given by the reference"


def test_an_empty_table_has_no_accuracy():
    found = Confusion({}).accuracy()
    assert (found.value, found.n) == (None, 0)
    assert found.note == "no item was classed by both"


def test_classes_stand_by_how_often_they_occur():
    assert TABLE.classes == ("men", "women", "invalid", "refusal")


def test_disagreements_stand_by_number_then_name():
    table = Confusion({("b", "a"): 1, ("a", "b"): 1, ("c", "a"): 3, ("a", "a"): 9})
    assert table.disagreements() == [("c", "a", 3), ("a", "b", 1), ("b", "a", 1)]


def test_the_table_leaves_zeros_out():
    assert Confusion({("a", "b"): 0, ("a", "a"): 2}).as_json() == {"a": {"a": 2}}


def test_negative_counts_are_refused():
    with pytest.raises(StatisticsError, match="no number of items"):
        Confusion({("a", "a"): -1})


def test_differences_of_numbers_are_second_minus_first():
    pairs = {(1.0, 2.0): 3, (4.0, 2.0): 1}
    assert mean_difference(pairs).value == pytest.approx((3 * 1 - 2) / 4)
    assert mean_absolute_difference(pairs).value == pytest.approx((3 * 1 + 2) / 4)


def test_differences_that_balance_are_zero_in_tenths_too():
    pairs = {(0.7, 0.8): 1, (0.4, 0.3): 1, (0.2, 0.3): 1, (0.9, 0.8): 1}
    assert sum(b - a for a, b in pairs) != 0
    assert mean_difference(pairs).value == 0


def test_differences_have_the_interval_of_a_mean():
    """The bootstrap of a mean of 1,000 comes near 1.96 standard errors."""
    pairs = {(0.0, 1.0): 500, (0.0, -1.0): 500}
    found = mean_difference(pairs, rng=np.random.default_rng(5), resamples=4000)
    assert found.ci_low == pytest.approx(-1.96 / 1000**0.5, abs=0.006)
    assert found.ci_high == pytest.approx(1.96 / 1000**0.5, abs=0.006)


def test_no_numbers_have_no_difference():
    found = mean_difference({}, rng=np.random.default_rng(5))
    assert (found.value, found.n, found.note) == (None, 0, NO_NUMBERS)


def test_numbers_are_within_a_distance_as_they_are_written():
    """0.4 - 0.3 is more than 0.1 in binary."""
    found = share_within({(0.3, 0.4): 3, (0.4, 0.3): 1, (0.3, 0.5): 4}, 0.1)
    assert (found.value, found.ci_low, found.ci_high) == pytest.approx(wilson(4, 8))
    assert share_within({}, 0.1).note == NO_NUMBERS
