"""Spearman's rho: scipy, closed forms, ties, and many resamples at once."""

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from auditor.errors import StatisticsError
from auditor.statistics import ranked, resampled_spearman, spearman


@pytest.mark.parametrize("n", [3, 8, 34])
@pytest.mark.parametrize("steps", [2, 1000])
def test_rho_and_p_are_scipys(n, steps):
    rng = np.random.default_rng(n)
    x, y = rng.integers(steps, size=(2, n)) / steps
    x[0], x[1], y[0], y[1] = 0.0, 1.0, 1.0, 0.0
    expected = spearmanr(x, y)
    found = spearman(x.tolist(), y.tolist())
    assert found.value == pytest.approx(expected.statistic, abs=1e-12)
    assert found.p_value == pytest.approx(max(expected.pvalue, 2 / math.factorial(n)), rel=1e-9)


@pytest.mark.parametrize(("n", "critical"), [(34, 0.339), (31, 0.355)])
def test_p_crosses_five_per_cent_where_the_paper_says(n, critical):
    """The paper's limits of |rho| have three decimals."""

    def p_of(rho):
        # rho = 1 - 6 sum(d^2) / (n (n^2 - 1)) without ties: exchange neighbours until it fits.
        order, rng = list(range(n)), np.random.default_rng(0)
        while spearman(range(n), order).value > rho:
            a, b = rng.integers(n, size=2)
            order[a], order[b] = order[b], order[a]
        return spearman(range(n), order)

    found = p_of(critical)
    t = found.value * np.sqrt((n - 2) / (1 - found.value**2))
    critical_t = {34: 2.0369, 31: 2.0452}[n]  # tables of Student's t, 32 and 29 degrees
    assert critical == pytest.approx(critical_t / np.sqrt(n - 2 + critical_t**2), abs=5e-4)
    assert (found.p_value < 0.05) == (t > critical_t)


def test_means_that_differ_by_rounding_alone_are_tied():
    assert 0.1 + 0.2 != 0.3
    found = spearman([0.1 + 0.2, 0.3, 1.0], [1.0, 2.0, 3.0])
    assert found.value == pytest.approx(spearmanr([0, 0, 1], [1, 2, 3]).statistic)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1.0], [2.0]), ([1, 1, 1], [1, 2, 3])])
def test_without_an_order_there_is_no_rho(x, y):
    assert spearman(x, y) is None
    assert spearman(y, x) is None


def test_two_items_would_always_agree_or_not_and_have_no_rho():
    assert spearman([1, 2], [5, 9]) is None
    assert spearman([1, 2, 3], [5, 9, 10]).value == 1.0


@pytest.mark.parametrize(("n", "orders"), [(3, 6), (5, 120)])
def test_equal_orders_have_the_p_of_two_orders_of_all(n, orders):
    """Where t = rho * sqrt((n - 2) / (1 - rho^2)) is infinite, p would be 0 for three items."""
    for sign in (1, -1):
        assert spearman(range(n), [sign * x for x in range(n)]).p_value == 2 / orders
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]).p_value == spearmanr([1, 2, 3, 4], [1, 3, 2, 4])[1]


def test_lists_of_different_length_and_nan_are_refused():
    with pytest.raises(StatisticsError, match="3 and 2"):
        spearman([1, 2, 3], [1, 2])
    with pytest.raises(StatisticsError, match="NaN"):
        spearman([1, float("nan")], [1, 2])


def test_resamples_have_the_rho_of_each_row():
    rng = np.random.default_rng(3)
    x, y = rng.integers(6, size=(2, 20, 9)) / 7.0
    found = resampled_spearman(ranked(x), ranked(y))
    assert found == pytest.approx(
        [spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)], abs=1e-12
    )
    fixed = np.arange(9.0)
    found = resampled_spearman(ranked(x), ranked(fixed))
    assert found == pytest.approx([spearmanr(row, fixed).statistic for row in x], abs=1e-12)


def test_a_resample_without_an_order_or_with_a_missing_score_is_undefined():
    x = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1.0, np.nan, 3.0]])
    found = resampled_spearman(ranked(x), ranked(np.array([3.0, 2.0, 1.0])))
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == pytest.approx(-1)
