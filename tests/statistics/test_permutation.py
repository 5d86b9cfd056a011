"""Permutations: each is the probe of swapped pairs, and without a signal the p is uniform."""

import numpy as np
import pytest
from scipy.stats import kstest

from auditor.statistics import percentile_interval, times_drawn
from auditor.statistics.discrimination import auc, resampled_auc
from auditor.statistics.permutation import permutation_p, permuted_aucs
from auditor.statistics.probe import cross_validated, folds_by_pair

SEEDS = range(40)
PAIRS = 40


def no_signal(seed):
    """Pairs whose sides share something with each other and nothing with the labels."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(PAIRS, 2, 2)) + rng.normal(size=(PAIRS, 1, 2))


def folds(seed):
    return folds_by_pair(np.random.default_rng(1000 + seed).permutation(PAIRS))


@pytest.mark.parametrize("intercept", [True, False])
def test_a_permutation_is_the_probe_of_pairs_with_exchanged_sides(intercept):
    scores = no_signal(1)
    scores[:, 0] += 0.5
    swaps = np.random.default_rng(2).random((4, PAIRS)) < 0.5
    found = permuted_aucs(scores, folds(1), swaps, intercept=intercept)
    for swapped, area in zip(swaps, found, strict=True):
        exchanged = np.where(swapped[:, None, None], scores[:, ::-1], scores)
        chances = cross_validated(exchanged, folds(1), intercept=intercept)
        assert area == pytest.approx(auc(chances), abs=1e-9)


@pytest.fixture(scope="module")
def runs_without_signal():
    """Of every seed: the scores, the folds, and the chances of each response out of its fold."""
    runs = [(seed, no_signal(seed), folds(seed)) for seed in SEEDS]
    return [(seed, scores, fold, cross_validated(scores, fold)) for seed, scores, fold in runs]


def test_without_a_signal_p_is_uniform(runs_without_signal):
    ps = []
    for seed, scores, fold, chances in runs_without_signal:
        rng = np.random.default_rng(2000 + seed)
        permuted = permuted_aucs(scores, fold, rng.random((39, PAIRS)) < 0.5)
        # p is one of 1/40 ... 40/40: spread over its step, it is uniform without steps.
        ps.append(permutation_p(auc(chances), permuted) - rng.random() / 40)
    assert kstest(ps, "uniform").pvalue > 0.01


def test_without_a_signal_the_interval_of_the_auc_holds_one_half(runs_without_signal):
    """In most runs: it resamples predictions and not the fits, so it is too narrow there."""
    holding = []
    for seed, _, _, chances in runs_without_signal:
        rng = np.random.default_rng(seed)
        times = times_drawn(rng.integers(PAIRS, size=(200, PAIRS)))
        interval = percentile_interval(resampled_auc(chances, times))
        holding.append(interval.low <= 0.5 <= interval.high)
    assert np.mean(holding) >= 0.6


def test_a_strong_signal_has_the_smallest_p_there_is():
    scores = no_signal(3)
    scores[:, 0] += 2.0
    swaps = np.random.default_rng(4).random((39, PAIRS)) < 0.5
    permuted = permuted_aucs(scores, folds(3), swaps)
    assert permutation_p(auc(cross_validated(scores, folds(3))), permuted) == 1 / 40


def test_p_counts_the_observed_value_and_ties():
    assert permutation_p(0.6, np.array([0.5, 0.6, 0.7, 0.4])) == 3 / 5
    assert permutation_p(0.6, np.empty(0)) == 1.0
    assert len(permuted_aucs(no_signal(1), folds(1), np.empty((0, PAIRS), dtype=bool))) == 0
