"""How well predicted probabilities tell the two sides of pairs apart.

Probabilities of label 1 are an array (pairs, 2); side 0 has label 1, side 1 label 0. They are tied
where they are equal to the last digit, which those of a `Probe` are. This module loads numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_LEAST_CHANCE = float(np.finfo(np.float64).eps)
"""A probability nearer to 0 or 1 is taken as this near, as scikit-learn does."""
_MOST_CELLS = 4_000_000


def auc(chances: Floats) -> float:
    """Probability that a response of side 0 is given more than one of side 1, ties counting half.

    Over all responses, not within pairs: the area under the ROC curve.
    """
    once = np.ones((1, len(chances)), dtype=np.int64)
    return float(resampled_auc(chances, once)[0])


def accuracy(chances: Floats) -> float:
    """Share of responses on their own side of 0.5; exactly 0.5 is taken for label 0."""
    return float(_rightness(chances).mean())


def cross_entropy(chances: Floats) -> float:
    """Mean of -log(probability of the own label), in nats: log 2 for a probe that knows nothing."""
    return float(_losses(chances).mean())


def pair_losses(chances: Floats) -> Floats:
    """Cross-entropy of each pair's two responses added up, in nats."""
    losses: Floats = _losses(chances).sum(axis=1)
    return losses


def resampled_auc(chances: Floats, times: Places) -> Floats:
    """AUC of every resample of pairs, (resamples,); `times` says how often each is drawn."""
    pairs = len(chances)
    flat = chances.T.ravel()
    order = np.argsort(flat, kind="stable")
    # One column for each distinct probability, in rising order.
    starts = np.flatnonzero(np.diff(flat[order], prepend=-np.inf))
    is_first_side = (order < pairs).astype(np.float64)
    found = []
    at_once = max(1, _MOST_CELLS // (2 * pairs))
    for begin in range(0, len(times), at_once):
        weights = times[begin : begin + at_once][:, order % pairs].astype(np.float64)
        above = np.add.reduceat(weights * is_first_side, starts, axis=1)
        below = np.add.reduceat(weights * (1 - is_first_side), starts, axis=1)
        passed = np.cumsum(below, axis=1) - below / 2
        found.append((above * passed).sum(axis=1) / (above.sum(axis=1) * below.sum(axis=1)))
    return np.concatenate(found)


def resampled_accuracy(chances: Floats, times: Places) -> Floats:
    """Accuracy of every resample of pairs, (resamples,)."""
    return _resampled_mean(_rightness(chances).mean(axis=1), times)


def resampled_cross_entropy(chances: Floats, times: Places) -> Floats:
    """Cross-entropy of every resample of pairs, (resamples,), in nats."""
    return _resampled_mean(_losses(chances).mean(axis=1), times)


def auc_of_labels(chances: Floats, labels: Floats) -> Floats:
    """AUC of every row: probabilities and labels 0 and 1, both (rows, responses)."""
    from scipy.stats import rankdata

    # By the rank sum: Mann and Whitney's U over the number of pairings.
    ones = labels.sum(axis=1)
    zeros = labels.shape[1] - ones
    sums = (rankdata(chances, axis=1) * labels).sum(axis=1)
    areas: Floats = (sums - ones * (ones + 1) / 2) / (ones * zeros)
    return areas


def _rightness(chances: Floats) -> Floats:
    return np.column_stack([chances[:, 0] > 0.5, chances[:, 1] <= 0.5]).astype(np.float64)


def _losses(chances: Floats) -> Floats:
    own = np.column_stack([chances[:, 0], 1 - chances[:, 1]])
    losses: Floats = -np.log(np.clip(own, _LEAST_CHANCE, 1.0))
    return losses


def _resampled_mean(of_pairs: Floats, times: Places) -> Floats:
    means: Floats = times @ of_pairs / times.sum(axis=1)
    return means
