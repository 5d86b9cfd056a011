"""Shares and Wilson's interval."""

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from auditor.errors import StatisticsError
from auditor.statistics import newcombe_interval, share, wilson_interval


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 30), (4, 30), (15, 30), (30, 30), (371, 1860)]
)
def test_wilson_is_the_interval_of_an_independent_library(successes, n):
    low, high = proportion_confint(successes, n, alpha=0.05, method="wilson")
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=1e-12)


def test_wilson_takes_other_confidence_levels():
    expected = proportion_confint(7, 40, alpha=0.2, method="wilson")
    assert wilson_interval(7, 40, confidence=0.8) == pytest.approx(expected, abs=1e-12)


def test_wilson_ends_are_exact_at_the_borders():
    assert wilson_interval(0, 30).low == 0.0
    assert wilson_interval(30, 30).high == 1.0


def test_wilson_at_none_of_n_has_the_closed_form():
    """At k = 0 the upper end is z^2 / (n + z^2), with z = 1.959964."""
    z_squared = 1.959963984540054**2
    assert wilson_interval(0, 30).high == pytest.approx(z_squared / (30 + z_squared), abs=1e-14)


@pytest.mark.parametrize(
    ("first", "second"),
    [((56, 70), (48, 80)), ((9, 10), (3, 10)), ((5, 56), (0, 29)), ((10, 10), (0, 20))],
)
def test_newcombe_is_the_interval_of_an_independent_library(first, second):
    expected = confint_proportions_2indep(*first, *second, method="newcomb", compare="diff")
    assert newcombe_interval(first, second) == pytest.approx(expected, abs=1e-12)


def test_newcombe_is_the_interval_that_its_paper_prints():
    """Newcombe (1998), table II, method 10: 56/70 - 48/80 and 10/10 - 0/20."""
    assert newcombe_interval((56, 70), (48, 80)) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe_interval((10, 10), (0, 20)) == pytest.approx((0.6791, 1.0), abs=5e-5)


def test_newcombe_turns_with_the_order():
    there, back = newcombe_interval((3, 15), (11, 15)), newcombe_interval((11, 15), (3, 15))
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_difference_with_nothing_observed_is_unknown():
    assert newcombe_interval((0, 0), (1, 2)) is None
    assert newcombe_interval((1, 2), (0, 0)) is None


def test_nothing_observed_is_unknown():
    assert share(0, 0) is None
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1)])
def test_impossible_counts_are_refused(successes, n):
    with pytest.raises(StatisticsError, match=f"{successes} of {n}"):
        share(successes, n)
    with pytest.raises(StatisticsError):
        wilson_interval(successes, n)


@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan")])
def test_impossible_confidence_is_refused(confidence):
    with pytest.raises(StatisticsError, match="confidence"):
        wilson_interval(1, 2, confidence=confidence)
