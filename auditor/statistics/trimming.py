"""The published variant of the probe: a single split, and the pairs that fit worst left out.

This module loads numpy.
"""

from __future__ import annotations

import numpy as np

from auditor.statistics.discrimination import pair_losses
from auditor.statistics.probe import Floats, Places, fit_probe

TEST_SHARE = 0.2
DROPPED = 200
"""Pairs that the authors leave out, of 1,000."""
DROPPED_SHARE = 0.2


def held_out_chances(
    scores: Floats, order: Places, *, intercept: bool = True
) -> tuple[Places, Floats]:
    """Places of the pairs held out, and the probabilities (pairs held out, 2) they are given.

    The first fifth of the pairs in `order` is held out, by whole pairs; the probe is fitted to
    the others and standardises by them.
    """
    held_out = np.sort(order[: max(1, round(len(order) * TEST_SHARE))])
    is_test = np.zeros(len(order), dtype=bool)
    is_test[held_out] = True
    probe = fit_probe(scores[~is_test], intercept=intercept)
    return held_out, probe.chances(scores[is_test])


def well_fitted_pairs(scores: Floats, *, intercept: bool = True) -> Places:
    """Places of the pairs that are kept when those with the highest loss are dropped.

    The loss of a pair is the cross-entropy of its two responses under the probe of all pairs.
    200 pairs go, the authors' number out of 1,000, but never more than a fifth; of equal losses
    the later pair goes first.
    """
    losses = pair_losses(fit_probe(scores, intercept=intercept).chances(scores))
    dropped = min(DROPPED, int(len(scores) * DROPPED_SHARE))
    order = np.argsort(losses, kind="stable")
    return np.sort(order[: len(scores) - dropped])
