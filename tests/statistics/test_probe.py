"""The probe: scikit-learn beside it, planted coefficients, and what swapping sides does."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from auditor.errors import StatisticsError
from auditor.statistics import times_drawn
from auditor.statistics.discrimination import auc
from auditor.statistics.permutation import permuted_aucs
from auditor.statistics.probe import (
    cross_validated,
    fit_probe,
    folds_by_pair,
    resampled_coefficients,
    responses,
)

PLANTED = np.array([0.8, -0.5, 0.0])
"""Per standard deviation: the planted scores have variance 1."""


def planted_pairs(seed, pairs):
    """Scores of a logistic model whose first two dimensions are correlated by 0.6.

    Sides are drawn by their label, which leaves a logistic model's slopes what they are.
    """
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(4 * pairs, 3))
    scores[:, 1] = 0.6 * scores[:, 0] + 0.8 * scores[:, 1]
    is_first = rng.random(len(scores)) < 1 / (1 + np.exp(-scores @ PLANTED))
    return np.stack([scores[is_first][:pairs], scores[~is_first][:pairs]], axis=1)


def by_sklearn(*, intercept=True):
    model = LogisticRegression(
        C=1.0, fit_intercept=intercept, solver="lbfgs", tol=1e-12, max_iter=10_000
    )
    return make_pipeline(StandardScaler(), model)


def drawn(seed, pairs, number):
    rng = np.random.default_rng(seed)
    return times_drawn(rng.integers(pairs, size=(number, pairs)))


@pytest.mark.parametrize("intercept", [True, False])
def test_a_probe_is_scikit_learns_pipeline(intercept):
    scores = planted_pairs(1, 60) * [0.2, 3.0, 1.0] + 0.5
    rows, labels = responses(scores)
    expected = by_sklearn(intercept=intercept).fit(rows, labels)
    probe = fit_probe(scores, intercept=intercept)
    assert probe.coefficients == pytest.approx(expected[-1].coef_[0], abs=1e-6)
    chances = expected.predict_proba(rows)[:, 1]
    assert probe.chances(scores).T.ravel() == pytest.approx(chances, abs=1e-6)


def test_raw_coefficients_are_those_of_scores_as_they_are():
    scores = planted_pairs(1, 60) * [0.2, 3.0, 1.0] + 0.5
    probe = fit_probe(scores)
    step = np.zeros(3)
    step[1] = 0.01
    logits = [np.log(c / (1 - c)) for c in (probe.chances(scores), probe.chances(scores + step))]
    assert (logits[1] - logits[0]) / 0.01 == pytest.approx(
        np.full((60, 2), probe.raw_coefficients[1]), abs=1e-6
    )
    deviations = scores.reshape(-1, 3).std(axis=0, ddof=0)
    assert probe.raw_coefficients * deviations == pytest.approx(probe.coefficients)


@pytest.mark.parametrize("intercept", [True, False])
def test_cross_validated_chances_are_scikit_learns_on_the_same_folds(intercept):
    scores = planted_pairs(2, 53)
    folds = folds_by_pair(np.random.default_rng(3).permutation(53))
    rows, labels = responses(scores)
    split = PredefinedSplit(np.tile(folds, 2))
    expected = cross_val_predict(
        by_sklearn(intercept=intercept), rows, labels, cv=split, method="predict_proba"
    )[:, 1]
    chances = cross_validated(scores, folds, intercept=intercept)
    assert chances.T.ravel() == pytest.approx(expected, abs=1e-6)


def test_no_fold_splits_a_pair_and_all_are_of_a_size():
    order = np.random.default_rng(4).permutation(52)
    folds = folds_by_pair(order)
    assert sorted(np.bincount(folds)) == [10, 10, 10, 11, 11]
    pair_of_row = np.tile(np.arange(52), 2)
    for train, test in PredefinedSplit(np.tile(folds, 2)).split():
        assert not set(pair_of_row[train]) & set(pair_of_row[test])
    # As scikit-learn sees it: a grouped splitter would do nothing else with five groups.
    groups = list(GroupKFold(5).split(pair_of_row, groups=np.tile(folds, 2)))
    assert {tuple(test) for _, test in groups} == {
        tuple(test) for _, test in PredefinedSplit(np.tile(folds, 2)).split()
    }


def test_a_pair_knows_nothing_of_its_own_fold():
    """Changing the scores of one pair leaves the chances of its fold's other pairs alone."""
    scores = planted_pairs(5, 40)
    folds = folds_by_pair(np.arange(40))
    before = cross_validated(scores, folds)
    changed = scores.copy()
    changed[0] += 5.0
    after = cross_validated(changed, folds)
    same_fold = (folds == folds[0]) & (np.arange(40) != 0)
    assert after[same_fold] == pytest.approx(before[same_fold], abs=0)
    assert np.abs(after[folds != folds[0]] - before[folds != folds[0]]).min() > 1e-6


def test_fewer_pairs_than_folds_are_refused():
    with pytest.raises(StatisticsError, match="5 folds need 5 pairs at least, not 4"):
        folds_by_pair(np.arange(4))


def test_swapping_the_sides_flips_every_sign_and_leaves_the_auc():
    scores = planted_pairs(6, 80)
    folds = folds_by_pair(np.arange(80))
    swapped = scores[:, ::-1]
    assert fit_probe(swapped).coefficients == pytest.approx(-fit_probe(scores).coefficients)
    aucs = [auc(cross_validated(each, folds)) for each in (scores, swapped)]
    assert aucs[0] > 0.6
    assert aucs[1] == pytest.approx(aucs[0], abs=1e-12)


def test_refitted_coefficients_are_those_of_probes_of_the_drawn_pairs():
    scores = planted_pairs(7, 40) * [0.2, 3.0, 1.0]
    positions = np.random.default_rng(8).integers(40, size=(5, 40))
    standardised, raw = resampled_coefficients(
        scores, times_drawn(positions), start=fit_probe(scores)
    )
    for place, drawn_pairs in enumerate(positions):
        probe = fit_probe(scores[drawn_pairs])
        assert standardised[place] == pytest.approx(probe.coefficients, abs=1e-6)
        assert raw[place] == pytest.approx(probe.raw_coefficients, abs=1e-5)


def test_a_dimension_that_a_resample_holds_constant_has_no_coefficient_there():
    scores = planted_pairs(9, 30)
    scores[:, :, 2] = 0.1
    scores[0, 0, 2] = 0.7
    times = np.ones((2, 30), dtype=int)
    times[1, :2] = [0, 2]
    standardised, raw = resampled_coefficients(scores, times)
    assert standardised[0, 2] != 0
    assert standardised[1, 2] == 0
    assert raw[1, 2] == 0


def test_planted_coefficients_lie_in_their_intervals_at_the_nominal_rate():
    runs, hits = 32, 0
    for seed in range(runs):
        scores = planted_pairs(seed, 100)
        drawn_coefficients, _ = resampled_coefficients(
            scores, drawn(seed, 100, 160), start=fit_probe(scores)
        )
        low, high = np.quantile(drawn_coefficients, [0.025, 0.975], axis=0)
        hits += int(((low <= PLANTED) & (high >= PLANTED)).sum())
    lowest, highest = binom.ppf([0.001, 0.999], runs * len(PLANTED), 0.95)
    assert lowest <= hits <= highest


def in_tenths(seed, dimensions=2):
    """Whole numbers, few of them, and the same in tenths, as averages of repetitions have them."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 4, size=(40, 2, dimensions))
    parts = [rng.permuted([0.1, 0.2, 0.3]) for _ in range(whole.size)]
    noise = np.reshape([sum(part) / 3 - 0.2 for part in parts], whole.shape)
    assert len(np.unique(whole / 10 + noise)) > len(np.unique(whole))
    return whole.astype(float), whole / 10 + noise


@pytest.mark.parametrize("dimensions", [1, 3])
def test_scores_that_are_equal_but_for_rounding_are_tied_in_the_auc(dimensions):
    whole, tenths = in_tenths(3, dimensions)
    order = np.random.default_rng(4).permutation(40)
    swaps = np.random.default_rng(5).random((20, 40)) < 0.5
    areas = [auc(fit_probe(scores).chances(scores)) for scores in (whole, tenths)]
    chances = fit_probe(whole).chances(whole)
    labels = np.repeat([1, 0], 40)
    assert areas[0] == pytest.approx(roc_auc_score(labels, chances.T.ravel().round(9)), abs=1e-12)
    assert areas[1] == pytest.approx(areas[0], abs=1e-12)
    folds = folds_by_pair(order)
    there, back = (permuted_aucs(scores, folds, swaps) for scores in (whole, tenths))
    assert back == pytest.approx(there, abs=1e-12)


def test_a_dimension_that_varies_by_rounding_alone_is_constant_and_one_without_effect_is_zero():
    scores = planted_pairs(2, 30)
    scores[:, :, 1] = np.where(np.arange(30) % 2, 0.3, 0.1 + 0.2)[:, None]
    probe = fit_probe(scores)
    assert (probe.deviations[1], probe.coefficients[1]) == (0.0, 0.0)
    # Equal on both sides and even in every part of the first dimension: the optimum is at 0.
    scores = np.zeros((40, 2, 2))
    scores[:, :, 0] = [0.7, 0.1]
    scores[::4, :, 0] = [0.1, 0.7]
    scores[20:, :, 1] = 0.3
    probe = fit_probe(scores)
    assert probe.coefficients[0] > 0.1
    assert probe.coefficients[1] == 0.0


def test_a_missing_score_is_refused():
    scores = planted_pairs(1, 20)
    scores[3, 1, 0] = np.nan
    with pytest.raises(StatisticsError, match="no missing score"):
        fit_probe(scores)
