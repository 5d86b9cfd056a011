"""Paired differences: scipy and closed forms beside them."""

import numpy as np
import pytest
from scipy import stats

from auditor.errors import StatisticsError
from auditor.statistics import times_drawn
from auditor.statistics.paired import half_difference, paired_difference, resampled_differences

RNG = np.random.default_rng(5)
SECOND = np.round(RNG.random(60) * 4) / 4
FIRST = np.clip(SECOND + np.round(RNG.normal(0.1, 0.3, 60) * 4) / 4, 0, 1)


def test_mean_interval_and_p_are_scipys():
    found = paired_difference(FIRST, SECOND)
    test = stats.ttest_rel(FIRST, SECOND)
    bounds = test.confidence_interval(0.95)
    assert found.n == 60
    assert found.mean == pytest.approx(np.mean(FIRST - SECOND))
    assert tuple(found.interval) == pytest.approx((bounds.low, bounds.high))
    # Exact beside approximate: 60 pairs, but most of them without a difference.
    assert found.wilcoxon_p == pytest.approx(stats.wilcoxon(FIRST, SECOND).pvalue, abs=0.02)
    assert found.d_z == pytest.approx(test.statistic / np.sqrt(60))
    assert found.variance == pytest.approx(np.var(FIRST - SECOND, ddof=1))


def test_effect_sizes_of_three_pairs_by_hand():
    """Differences 1, 2, 3: mean 2, SD 1. Sides 2, 4, 6 and 1, 2, 3: variances 4 and 1."""
    found = paired_difference(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert found.mean == 2.0
    assert found.variance == pytest.approx(1.0)
    assert found.d_z == pytest.approx(2.0)
    assert found.d == pytest.approx(2 / np.sqrt(2.5))
    assert found.wilcoxon_p == pytest.approx(2 / 2**3)


def test_swapping_the_sides_flips_the_signs():
    there, back = paired_difference(FIRST, SECOND), paired_difference(SECOND, FIRST)
    assert back.mean == -there.mean
    assert back.d_z == -there.d_z
    assert back.d == -there.d
    assert back.wilcoxon_p == pytest.approx(there.wilcoxon_p)


def test_equal_sides_have_no_difference_no_effect_size_and_a_p_of_one():
    found = paired_difference(FIRST, FIRST)
    assert found.mean == 0.0
    assert tuple(found.interval) == (0.0, 0.0)
    assert found.d_z is None
    assert found.d == 0.0
    assert found.wilcoxon_p == 1.0


def test_constant_sides_have_no_effect_size():
    found = paired_difference(np.full(8, 0.7), np.full(8, 0.1))
    assert found.mean == pytest.approx(0.6)
    assert found.d_z is None
    assert found.d is None


def test_one_pair_has_a_mean_and_none_has_nothing():
    one = paired_difference(np.array([0.5]), np.array([0.25]))
    assert (one.n, one.mean, one.interval, one.variance, one.d_z) == (1, 0.25, None, None, None)
    none = paired_difference(np.empty(0), np.empty(0))
    assert (none.n, none.mean, none.wilcoxon_p) == (0, None, None)


def test_resampled_spread_is_that_of_the_drawn_pairs():
    positions = np.random.default_rng(6).integers(60, size=(5, 60))
    found = resampled_differences(FIRST, SECOND, times_drawn(positions))
    for place, row in enumerate(positions):
        expected = paired_difference(FIRST[row], SECOND[row])
        assert found.variance[place] == pytest.approx(expected.variance)
        assert found.d_z[place] == pytest.approx(expected.d_z)
        assert found.d[place] == pytest.approx(expected.d)


def test_a_resample_without_variation_has_no_effect_size():
    times = np.array([[3, 0, 0], [1, 1, 1]])
    found = resampled_differences(np.array([0.5, 0.2, 0.9]), np.array([0.1, 0.3, 0.1]), times)
    assert np.isnan(found.d_z[0])
    assert np.isfinite(found.d_z[1])


def test_half_the_difference_of_two_groups_is_welchs():
    value, interval, p = half_difference(FIRST[:20], SECOND[20:])
    test = stats.ttest_ind(FIRST[:20], SECOND[20:], equal_var=False)
    bounds = test.confidence_interval(0.95)
    assert value == pytest.approx((FIRST[:20].mean() - SECOND[20:].mean()) / 2)
    assert tuple(interval) == pytest.approx((bounds.low / 2, bounds.high / 2))
    assert p == pytest.approx(test.pvalue)


def test_groups_without_variation_or_values_have_no_interval():
    assert half_difference(np.full(3, 0.5), np.full(4, 0.1)) == (pytest.approx(0.2), None, None)
    assert half_difference(np.array([0.5]), FIRST)[1] is None
    assert half_difference(np.empty(0), FIRST) == (None, None, None)


def test_differences_that_are_nothing_but_rounding_are_zero_and_certain():
    first, second = np.array([0.8, 0.4, 0.3, 0.9]), np.array([0.7, 0.3, 0.2, 0.8])
    assert len(set((first - second).tolist())) == 3
    found = paired_difference(first, second)
    assert (found.mean, found.variance, found.d_z) == (0.1, 0.0, None)
    assert tuple(found.interval) == (0.1, 0.1)
    balanced = paired_difference(np.append(first, second), np.append(second, first))
    assert (balanced.mean, balanced.wilcoxon_p) == (0.0, 1.0)
    above, below = np.array([3, 7, 4, 7, 2, 4]) / 10, np.array([2, 6, 3, 8, 1, 5]) / 10
    drawn = resampled_differences(above, below, np.array([[0, 1, 1, 1, 1, 2]]))
    assert (drawn.d_z[0], drawn.d[0]) == (0.0, 0.0)
    # One order beside the other: 0.3 and 0.1 + 0.2, 0.8 - 0.7 and 0.4 - 0.3.
    assert half_difference(np.array([0.3, 0.1 + 0.2]), np.array([0.3, 0.3])) == (0.0, None, None)
    assert half_difference(*np.split(first - second, 2)) == (0.0, None, None)


def test_missing_values_and_unequal_lengths_are_refused():
    with pytest.raises(StatisticsError, match="leave the pair out"):
        paired_difference(np.array([0.1, np.nan]), np.array([0.1, 0.2]))
    with pytest.raises(StatisticsError, match="not 2 and 3"):
        paired_difference(np.zeros(2), np.zeros(3))
