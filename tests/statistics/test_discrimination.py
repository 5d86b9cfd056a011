"""AUC, accuracy and cross-entropy: scikit-learn and closed forms beside them."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from auditor.statistics import times_drawn
from auditor.statistics.discrimination import (
    accuracy,
    auc,
    auc_of_labels,
    cross_entropy,
    pair_losses,
    resampled_accuracy,
    resampled_auc,
    resampled_cross_entropy,
)

LABELS = np.repeat([1, 0], 30)


def tied_chances(seed):
    """Probabilities in steps of 0.05, so that many are equal."""
    rng = np.random.default_rng(seed)
    return np.round(np.clip(rng.normal([0.6, 0.4], 0.2, size=(30, 2)), 0.05, 0.95) * 20) / 20


def flat(chances):
    return chances.T.ravel()


def test_measures_are_scikit_learns():
    chances = tied_chances(1)
    assert auc(chances) == pytest.approx(roc_auc_score(LABELS, flat(chances)), abs=1e-12)
    assert accuracy(chances) == accuracy_score(LABELS, flat(chances) > 0.5)
    assert cross_entropy(chances) == pytest.approx(log_loss(LABELS, flat(chances)), abs=1e-12)


def test_resampled_measures_are_scikit_learns_on_the_drawn_pairs():
    chances = tied_chances(2)
    positions = np.random.default_rng(3).integers(30, size=(6, 30))
    times = times_drawn(positions)
    drawn = [flat(chances[row]) for row in positions]
    assert resampled_auc(chances, times) == pytest.approx(
        [roc_auc_score(LABELS, row) for row in drawn], abs=1e-12
    )
    assert resampled_accuracy(chances, times) == pytest.approx(
        [accuracy_score(LABELS, row > 0.5) for row in drawn], abs=1e-12
    )
    assert resampled_cross_entropy(chances, times) == pytest.approx(
        [log_loss(LABELS, row) for row in drawn], abs=1e-12
    )


def test_areas_by_row_are_scikit_learns():
    rng = np.random.default_rng(4)
    chances = np.round(rng.random((5, 40)), 1)
    labels = rng.permuted(np.tile(np.repeat([1.0, 0.0], [15, 25]), (5, 1)), axis=1)
    expected = [roc_auc_score(*pair) for pair in zip(labels, chances, strict=True)]
    assert auc_of_labels(chances, labels) == pytest.approx(expected, abs=1e-12)


def test_a_probe_that_knows_nothing_has_half_the_area_half_right_and_log_two():
    chances = np.full((7, 2), 0.5)
    assert auc(chances) == 0.5
    assert accuracy(chances) == 0.5
    assert cross_entropy(chances) == pytest.approx(np.log(2))


def test_a_probe_that_knows_all_has_the_whole_area_and_no_loss():
    chances = np.tile([1.0, 0.0], (5, 1))
    assert auc(chances) == 1.0
    assert accuracy(chances) == 1.0
    assert cross_entropy(chances) == 0.0
    assert auc(chances[:, ::-1]) == 0.0
    # Certain and wrong is as wrong as floating-point numbers can tell, not infinitely so.
    assert cross_entropy(chances[:, ::-1]) == pytest.approx(-np.log(2.0**-52))


def test_the_loss_of_a_pair_is_that_of_both_its_sides():
    assert pair_losses(np.array([[0.8, 0.4]])) == pytest.approx([-np.log(0.8) - np.log(0.6)])
