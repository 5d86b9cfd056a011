"""Mean and population variance."""

import pytest

from auditor.statistics import mean, median, variance


def test_variance_divides_by_n():
    """Mean of 0 and 1 is 0.5; squared deviations 0.25 and 0.25 over 2 give 0.25."""
    assert mean([0.0, 1.0]) == 0.5
    assert variance([0.0, 1.0]) == 0.25
    assert variance([0.3]) == 0.0


def test_order_does_not_matter():
    values = [0.1, 0.7, 1e-9, 0.3, 1.0, 0.2]
    assert mean(values) == mean(values[::-1])
    assert variance(values) == variance(values[::-1])


def test_no_values_have_no_moments():
    assert mean([]) is None
    assert variance([]) is None


def test_integers_give_floats():
    assert mean([1, 2]) == pytest.approx(1.5)


def test_the_median_is_the_middle_value_or_the_mean_of_the_two():
    assert median([0.9, 0.1, 0.2]) == 0.2
    assert median([0.4, 0.1, 0.9, 0.2]) == pytest.approx(0.3)
    assert median([]) is None
