"""The signed-rank test: scipy and enumeration beside it."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from auditor.statistics.signed_rank import signed_rank_p


def quarters(seed, n):
    return np.round(np.random.default_rng(seed).normal(0.1, 0.3, n) * 4) / 4


@pytest.mark.parametrize("n", [1, 2, 7, 20, 50])
def test_untied_differences_have_scipys_exact_p(n):
    differences = np.random.default_rng(n).normal(0.2, 1.0, n)
    expected = wilcoxon(differences, method="exact").pvalue
    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_tied_differences_have_the_p_of_all_signs(seed):
    differences = quarters(seed, 12)
    others = differences[differences != 0]
    ranks = rankdata(np.abs(others))
    centre = ranks.sum() / 2
    sums = [np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))]
    far = abs(ranks[others > 0].sum() - centre)
    expected = np.mean([abs(each - centre) >= far - 1e-9 for each in sums])
    assert signed_rank_p(differences) == pytest.approx(expected)


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
