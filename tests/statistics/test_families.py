"""Benjamini-Hochberg against the paper's ranks and two libraries."""

import random

import pytest
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from auditor.errors import StatisticsError
from auditor.statistics import benjamini_hochberg, two_sided_p


@pytest.mark.parametrize(("men", "needed"), [(4, 1), (5, 3), (6, 9), (7, 33)])
def test_bh_at_one_percent_needs_the_papers_number_of_small_spaces(men, needed):
    """Of 62 spaces with n = 30, so many must have p this small for q <= 0.01."""

    def q_of_smallest(count):
        family = [two_sided_p(men, 30)] * count + [1.0] * (62 - count)
        return benjamini_hochberg(family)[0]

    assert q_of_smallest(needed) <= 0.01
    assert needed == 1 or q_of_smallest(needed - 1) > 0.01


@pytest.mark.parametrize("size", [1, 2, 7, 62, 300])
def test_q_values_are_those_of_independent_libraries(size):
    generator = random.Random(size)
    p_values = [generator.random() ** 3 for _ in range(size)]
    p_values[-1] = p_values[0]  # ties
    q_values = benjamini_hochberg(p_values)
    assert q_values == pytest.approx(multipletests(p_values, method="fdr_bh")[1], abs=1e-14)
    assert q_values == pytest.approx(false_discovery_control(p_values, method="bh"), abs=1e-14)


def test_a_small_family_by_hand():
    """Ranked 0.01, 0.02, 0.03, 0.5 times 4/rank: 0.04, 0.04, 0.04, 0.5."""
    assert benjamini_hochberg([0.5, 0.03, 0.01, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])


def test_tests_that_could_not_be_made_stay_out_of_the_family():
    assert benjamini_hochberg([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]


def test_an_empty_family_has_no_q_values():
    assert benjamini_hochberg([]) == []
    assert benjamini_hochberg([None]) == [None]


def test_q_never_passes_one():
    assert benjamini_hochberg([1.0, 1.0, 0.9]) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(StatisticsError, match="p value"):
        benjamini_hochberg([0.5, p])
