"""Means with standard errors: numpy, scipy's t, Welch and Satterthwaite."""

import math

import numpy as np
import pytest
from scipy import stats

from auditor.errors import StatisticsError
from auditor.statistics import averaged, combined, sample_mean, standard_deviation


def test_mean_error_and_interval_are_scipys():
    values = [3.0, 3.5, 4.0, 2.5, 3.7]
    found = sample_mean(values)
    assert (found.value, found.n) == (pytest.approx(np.mean(values)), 5)
    assert found.error == pytest.approx(stats.sem(values))
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.interval() == pytest.approx(tuple(expected))


def test_an_interval_is_cut_at_the_ends_of_the_scale():
    assert sample_mean([4.0, 5.0]).interval(lowest=1, highest=5) == (1, 5)


def test_equal_values_have_an_error_of_exactly_nothing():
    found = sample_mean([3.7, 3.7, 3.7])
    assert (found.value, found.error, found.interval()) == (3.7, 0.0, (3.7, 3.7))


def test_one_value_shows_no_error_and_none_no_mean():
    found = sample_mean([2.0])
    assert (found.value, found.error, found.interval()) == (2.0, None, None)
    assert sample_mean([]) is None
    assert averaged([]) is None


def test_a_difference_of_two_means_is_welchs():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 5), rng.normal(1, 3, 9)
    found = combined([sample_mean(a.tolist()), sample_mean(b.tolist())], [1, -1])
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert found.value / found.error == pytest.approx(welch.statistic)
    assert found.freedom == pytest.approx(welch.df)
    assert found.interval() == pytest.approx(tuple(welch.confidence_interval(0.95)))
    assert found.n == 14


def test_an_average_of_alike_means_has_a_smaller_error():
    """Four means with one variance v and 4 degrees of freedom each: v / 4, 16 degrees."""
    part = sample_mean([1.0, 2.0, 3.0, 4.0, 5.0])
    found = averaged([part] * 4)
    assert found.variance == pytest.approx(0.5 / 4)
    assert found.freedom == pytest.approx(16)


def test_one_part_without_an_error_leaves_none():
    found = averaged([sample_mean([1.0, 2.0]), sample_mean([4.0])])
    assert (found.value, found.error, found.interval(), found.n) == (2.75, None, None, 3)


def test_parts_that_do_not_vary_add_no_error():
    found = averaged([sample_mean([1.0, 3.0]), sample_mean([4.0, 4.0])])
    assert found.variance == pytest.approx(1.0 / 4)
    assert found.freedom == pytest.approx(1)


def test_wrong_arguments_are_refused():
    with pytest.raises(StatisticsError, match="1 means and 2 weights"):
        combined([sample_mean([1.0, 2.0])], [1, 2])
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        sample_mean([1.0, 2.0]).interval(confidence=1.0)


def test_the_standard_deviation_is_numpys_with_ddof_0():
    values = [0.2, 0.4, 0.9]
    assert standard_deviation(values) == pytest.approx(np.std(values))
    assert standard_deviation([3.7] * 34) == 0.0
    assert standard_deviation([]) is None
    # A perfect order of 34 regions, k / 33: the paper's largest possible value.
    assert standard_deviation([k / 33 for k in range(34)]) == pytest.approx(0.2973, abs=5e-5)
    assert math.sqrt(34 / 33) * 0.2973 == pytest.approx(0.3018, abs=5e-5)
