"""The authors' variant: whole pairs held out, and the worst fitting ones dropped."""

import numpy as np
import pytest

from auditor.statistics.discrimination import pair_losses
from auditor.statistics.probe import fit_probe
from auditor.statistics.trimming import held_out_chances, well_fitted_pairs


def signal(seed, pairs):
    scores = np.random.default_rng(seed).normal(size=(pairs, 2, 2))
    scores[:, 0, 0] += 0.8
    return scores


def test_a_fifth_of_the_pairs_is_held_out_and_predicted_by_the_others():
    scores = signal(1, 50)
    order = np.random.default_rng(2).permutation(50)
    held_out, chances = held_out_chances(scores, order)
    assert list(held_out) == sorted(order[:10])
    others = np.setdiff1d(np.arange(50), held_out)
    expected = fit_probe(scores[others]).chances(scores[held_out])
    assert chances == pytest.approx(expected)


def test_of_1000_pairs_the_200_with_the_highest_loss_go():
    scores = signal(3, 1000)
    losses = pair_losses(fit_probe(scores).chances(scores))
    kept = well_fitted_pairs(scores)
    assert len(kept) == 800
    assert losses[kept].max() <= np.delete(losses, kept).min()


def test_of_fewer_pairs_a_fifth_goes_and_of_more_no_more_than_200():
    assert len(well_fitted_pairs(signal(4, 47))) == 38
    assert len(well_fitted_pairs(signal(5, 1500))) == 1300


def test_dropping_the_worst_pairs_makes_the_planted_coefficient_larger():
    scores = signal(6, 300)
    kept = well_fitted_pairs(scores)
    assert fit_probe(scores[kept]).coefficients[0] > fit_probe(scores).coefficients[0] * 1.5
