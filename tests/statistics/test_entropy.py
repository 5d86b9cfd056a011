"""The entropy deviation index."""

import math

import pytest
from scipy.stats import entropy

from auditor.errors import StatisticsError
from auditor.statistics import Interval, edi, edi_interval, entropy_bits


@pytest.mark.parametrize(
    ("men", "expected"),
    [
        (15, 0.0),
        (20, 0.0817),
        (23, 0.2162),
        (24, 0.2781),
        (25, 0.3500),
        (26, 0.4335),
        (27, 0.5310),
        (29, 0.7892),
        (30, 1.0),
    ],
)
def test_edi_of_thirty_answers_is_the_papers(men, expected):
    assert edi(men / 30) == pytest.approx(expected, abs=5e-5)
    assert edi((30 - men) / 30) == pytest.approx(edi(men / 30), abs=1e-12)


def test_edi_is_exactly_zero_and_one_at_its_ends():
    assert (edi(0.5), edi(0.0), edi(1.0)) == (0.0, 1.0, 1.0)


def test_edi_is_never_negative_beside_one_half():
    assert all(edi(0.5 + k * 2.0**-53) >= 0 for k in range(-64, 64))


def test_entropy_is_that_of_scipy():
    for k in range(1, 30):
        expected = entropy([k / 30, 1 - k / 30], base=2)
        assert entropy_bits(k / 30) == pytest.approx(expected, abs=1e-12)


def test_the_plug_in_bias_is_the_stated_one():
    """E[EDI(K/30)] for K ~ Binomial(30, 0.5), enumerated, is 0.024: an even target's mean."""
    expected = math.fsum(math.comb(30, k) / 2**30 * edi(k / 30) for k in range(31))
    assert expected == pytest.approx(0.024, abs=5e-4)


def test_interval_is_the_range_of_the_index():
    assert edi_interval(Interval(0.6, 0.9)) == (edi(0.6), edi(0.9))
    assert edi_interval(Interval(0.1, 0.4)) == (edi(0.4), edi(0.1))
    assert edi_interval(Interval(0.4, 0.7)) == (0.0, edi(0.7))


@pytest.mark.parametrize("p", [-0.01, 1.01, float("nan")])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(StatisticsError, match="probability"):
        edi(p)
