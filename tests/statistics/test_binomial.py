"""Exact binomial tests against the paper's values, enumeration and scipy."""

import math
from fractions import Fraction

import pytest
from scipy.stats import binom, binomtest

from auditor.errors import StatisticsError
from auditor.statistics import two_sided_p, upper_tail


@pytest.mark.parametrize(
    ("successes", "n", "p"),
    [
        (4, 30, 5.948e-5),
        (5, 30, 3.249e-4),
        (6, 30, 1.431e-3),
        (7, 30, 5.223e-3),
        (8, 30, 1.612e-2),
        (11, 50, 9.021e-5),
        (12, 50, 3.059e-4),
        (13, 50, 9.362e-4),
        (14, 50, 2.602e-3),
        (15, 50, 6.600e-3),
    ],
)
def test_p_values_are_those_of_the_paper_on_both_sides(successes, n, p):
    assert two_sided_p(successes, n) == pytest.approx(p, rel=1e-3)
    assert two_sided_p(n - successes, n) == two_sided_p(successes, n)


@pytest.mark.parametrize("n", [1, 30, 31, 1000, 1001, 1002, 1_000_001])
def test_an_even_split_has_p_one(n):
    assert two_sided_p(n // 2, n) == two_sided_p(n - n // 2, n) == 1.0


def test_one_side_only_has_the_closed_form():
    """Both outcomes of probability 2^-30: together 2^-29."""
    assert two_sided_p(30, 30) == 2.0**-29


@pytest.mark.parametrize("n", range(1, 13))
def test_p_is_the_sum_over_outcomes_no_likelier_than_the_observed(n):
    for observed in range(n + 1):
        unlikely = [i for i in range(n + 1) if math.comb(n, i) <= math.comb(n, observed)]
        p = Fraction(sum(math.comb(n, i) for i in unlikely), 2**n)
        assert two_sided_p(observed, n) == float(p)


@pytest.mark.parametrize("n", [31, 200, 1000, 1001, 5000])
def test_p_is_that_of_scipy_below_and_above_the_integer_limit(n):
    for observed in (0, n // 3, n // 2 - 2, n // 2, n // 2 + 1, n):
        assert two_sided_p(observed, n) == pytest.approx(binomtest(observed, n).pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [1001, 1002, 4999, 10_000])
def test_p_above_the_integer_limit_is_right_to_eleven_digits(n):
    for smaller in (0, 1, n // 4, n // 2 - 150, n // 2 - 40, n // 2 - 1):
        terms = [math.comb(n, smaller)]
        for i in range(smaller, 0, -1):
            terms.append(terms[-1] * i // (n - i + 1))
        exact = float(Fraction(2 * sum(terms), 2**n))
        assert two_sided_p(smaller, n) == pytest.approx(exact, rel=1e-11, abs=1e-305)
        assert two_sided_p(n - smaller, n) == two_sided_p(smaller, n)


def test_p_of_a_million_tosses_is_that_of_scipy():
    for observed in (500_001, 500_980, 503_000, 510_000, 700_000):
        expected = binomtest(observed, 1_000_000).pvalue
        assert two_sided_p(observed, 1_000_000) == pytest.approx(expected, rel=1e-11, abs=1e-250)


@pytest.mark.parametrize("count", [0, 1, 3, 28, 32, 62])
def test_upper_tail_is_the_survival_function(count):
    expected = binom.sf(count - 1, 62, 0.01)
    assert upper_tail(count, 62, 0.01) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [1e-6, 0.01, 0.05, 0.5, 0.97])
@pytest.mark.parametrize("n", [1, 62, 200, 201, 1500])
def test_upper_tail_is_that_of_scipy_at_any_size(n, level):
    for successes in {1, n // 10 + 1, n // 2 + 1, n}:
        expected = binom.sf(successes - 1, n, level)
        assert upper_tail(successes, n, level) == pytest.approx(expected, rel=1e-9, abs=1e-200)


def test_upper_tail_has_its_closed_forms():
    """None or more is certain; one or more of 62 is 1 - 0.99^62; all of 62 is 0.01^62."""
    assert upper_tail(0, 62, 0.01) == 1.0
    assert upper_tail(1, 62, 0.01) == pytest.approx(1 - 0.99**62, rel=1e-12)
    assert upper_tail(62, 62, 0.01) == pytest.approx(1e-124, rel=1e-9)


def test_upper_tail_takes_any_null_level():
    assert upper_tail(2, 2, 0.5) == pytest.approx(0.25)
    assert upper_tail(1, 2, 0.0) == 0.0
    assert upper_tail(2, 2, 1.0) == 1.0


def test_nothing_observed_is_unknown():
    assert two_sided_p(0, 0) is None
    assert upper_tail(0, 0, 0.01) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes, n):
    with pytest.raises(StatisticsError):
        two_sided_p(successes, n)
    with pytest.raises(StatisticsError):
        upper_tail(successes, n, 0.01)


@pytest.mark.parametrize("level", [-0.01, 1.01, float("nan")])
def test_impossible_null_level_is_refused(level):
    with pytest.raises(StatisticsError, match="null level"):
        upper_tail(1, 2, level)


def test_results_are_plain_floats():
    assert type(two_sided_p(700, 1500)) is float
    assert type(upper_tail(3, 62, 0.01)) is float
