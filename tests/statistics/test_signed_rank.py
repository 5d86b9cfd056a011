"""The signed-rank test: scipy and enumeration beside it."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from auditor.statistics.signed_rank import signed_rank_p


def quarters(seed, n):
    return np.round(np.random.default_rng(seed).normal(0.1, 0.3, n) * 4) / 4


def enumerated(differences):
    """p of all signs, from differences that are whole numbers."""
    others = differences[differences != 0]
    ranks = rankdata(np.abs(others))
    centre = ranks.sum() / 2
    sums = np.array([np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))])
    far = abs(ranks[others > 0].sum() - centre)
    return np.mean(abs(sums - centre) >= far - 1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 20, 50])
def test_untied_differences_have_scipys_exact_p(n):
    differences = np.random.default_rng(n).normal(0.2, 1.0, n)
    expected = wilcoxon(differences, method="exact").pvalue
    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_tied_differences_have_the_p_of_all_signs(seed):
    differences = quarters(seed, 12)
    assert signed_rank_p(differences) == pytest.approx(enumerated(4 * differences))


def test_many_differences_have_scipys_approximation():
    differences = quarters(9, 300)
    assert signed_rank_p(differences) == wilcoxon(differences).pvalue


def test_both_ways_agree_where_one_takes_over():
    differences = np.concatenate([np.full(28, 0.25), np.full(22, -0.25)])
    approximate = wilcoxon(differences, method="asymptotic").pvalue
    assert signed_rank_p(differences) == pytest.approx(approximate, abs=0.1)


def test_no_difference_has_a_p_of_one_and_turning_round_changes_nothing():
    assert signed_rank_p(np.zeros(5)) == 1.0
    assert signed_rank_p(np.empty(0)) == 1.0
    differences = quarters(10, 30)
    assert signed_rank_p(-differences) == pytest.approx(signed_rank_p(differences))


@pytest.mark.parametrize("seed", range(4))
def test_decimal_scores_have_the_p_of_whole_ones(seed):
    """In binary 0.8 - 0.7, 0.4 - 0.3 and 0.3 - 0.2 are three numbers."""
    first, second = np.random.default_rng(seed).integers(0, 4, size=(2, 12))
    assert signed_rank_p(first / 10 - second / 10) == pytest.approx(enumerated(first - second))


def test_decimal_differences_that_balance_have_a_p_of_one():
    lower = np.resize(np.arange(9), 50) / 10
    is_up = np.arange(50) < 25
    first = np.where(is_up, lower + 0.1, lower)
    second = np.where(is_up, lower, lower + 0.1)
    assert len(set((first - second).tolist())) > 2
    assert signed_rank_p(first - second) == 1.0
    many = np.tile(first - second, 4)
    assert signed_rank_p(many) == pytest.approx(1.0)
