"""The probe: a regression that tells from its scores which side of a pair an answer comes from.

Scores are an array (pairs, 2, dimensions) without missing values; side 0 has label 1. The probe
is a logistic regression, L2 with C = 1, on scores standardised by mean and standard deviation
(ddof 0) of all responses that it is fitted to. This module loads numpy, and scikit-learn when
a probe is fitted.

Source: GRAP (Gender Rubric-Aware Probing) and its authors' repository seon03/GRAP.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from auditor.errors import StatisticsError
from auditor.statistics.logistic import ManyFits, fit_many, fit_one
from auditor.statistics.rounding import tied

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

FOLDS = 5

_MOST_CELLS = 4_000_000
"""Weights held at once: 32 MB."""
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A fitted probe."""

    coefficients: Floats
    """For scores in standard deviations, (dimensions,)."""
    intercept: float
    means: Floats
    deviations: Floats
    """Of the responses that it was fitted to; 0 where a dimension did not vary there."""

    @property
    def raw_coefficients(self) -> Floats:
        """For scores as they are: divided by their standard deviations; 0 for a constant one."""
        return _per_deviation(self.coefficients, self.deviations)

    def chances(self, scores: Floats) -> Floats:
        """Predicted probabilities of label 1 for scores (..., dimensions)."""
        return chances_of((scores - self.means) @ self.raw_coefficients + self.intercept)


def fit_probe(scores: Floats, *, intercept: bool = True) -> Probe:
    """The probe of all pairs. A constant dimension has the coefficient 0.

    So has one whose coefficient is 0 to nine decimals: the solver leaves that much.
    """
    rows, labels = responses(scores)
    means, deviations = spread(rows)
    coefficients, constant = fit_one(
        _per_deviation(rows - means, deviations), labels, intercept=intercept
    )
    return Probe(
        coefficients=np.where(tied(coefficients) == 0, 0.0, coefficients),
        intercept=constant,
        means=means,
        deviations=deviations,
    )


def chances_of(logits: Floats) -> Floats:
    """Probabilities of logits; responses with equal scores are tied whatever rounding did."""
    chances: Floats = expit(tied(logits))
    return chances


def folds_by_pair(order: Places, folds: int = FOLDS) -> Places:
    """The fold, 0 to folds - 1, of each pair: the pairs in `order` are dealt round.

    Both sides of a pair share its fold. Raises StatisticsError for fewer pairs than folds.
    """
    if len(order) < folds:
        raise StatisticsError(f"{folds} folds need {folds} pairs at least, not {len(order)}")
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % folds
    return fold


def cross_validated(scores: Floats, folds: Places, *, intercept: bool = True) -> Floats:
    """Out-of-fold probabilities of label 1, (pairs, 2), pooled over the folds.

    Each fold is predicted by the probe of the others, which standardises by their responses.
    """
    chances = np.empty(scores.shape[:2])
    for fold in np.unique(folds):
        is_test = folds == fold
        probe = fit_probe(scores[~is_test], intercept=intercept)
        chances[is_test] = probe.chances(scores[is_test])
    return chances


def resampled_coefficients(
    scores: Floats, times: Places, *, intercept: bool = True, start: Probe | None = None
) -> tuple[Floats, Floats]:
    """Standardised and raw coefficients of the probe refitted to every resample of pairs.

    `times` is (resamples, pairs), how often each pair is drawn; the results are (resamples,
    dimensions). A resample is standardised by its own mean and deviation; a dimension that does
    not vary in it has the coefficient 0. `start`, the probe of all pairs, saves steps.
    """
    rows, labels = responses(scores)
    means, deviations = spread(rows)
    standard = _per_deviation(rows - means, deviations)
    beginning = None
    if start is not None:
        lead = [start.intercept] if intercept else []
        beginning = np.array([*lead, *start.coefficients])
    at_once = max(1, _MOST_CELLS // len(rows))
    found, spreads = [], []
    for begin in range(0, len(times), at_once):
        weights = np.tile(times[begin : begin + at_once].astype(np.float64), (1, 2))
        shifts, spread_within = _weighted_spread(standard, weights)
        fits = ManyFits(
            design=np.column_stack([np.ones(len(rows)), standard]),
            labels=labels,
            weights=weights,
            means=shifts,
            deviations=spread_within,
            intercept=intercept,
            start=beginning,
        )
        found.append(fit_many(fits)[0])
        spreads.append(spread_within)
    coefficients = np.concatenate(found)
    return coefficients, _per_deviation(coefficients, np.concatenate(spreads) * deviations)


def responses(scores: Floats) -> tuple[Floats, Floats]:
    """Scores as rows, side 0 of every pair and then side 1, with their labels 1 and 0."""
    pairs, sides, dimensions = scores.shape
    rows = scores.transpose(1, 0, 2).reshape(sides * pairs, dimensions)
    if np.isnan(rows).any():
        raise StatisticsError("a probe takes no missing score: leave the pair or dimension out")
    return rows, np.repeat([1.0, 0.0], pairs)


def spread(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (ddof 0) of each column; exactly 0 where all are equal.

    Scores that are tied are equal: an average hangs on the order of its parts in the last digit.
    """
    is_constant = np.ptp(tied(rows), axis=0) == 0
    deviations: Floats = np.where(is_constant, 0.0, rows.std(axis=0))
    return rows.mean(axis=0), deviations


def _per_deviation(values: Floats, deviations: Floats) -> Floats:
    deviations = np.broadcast_to(deviations, values.shape)
    return np.divide(values, deviations, out=np.zeros(values.shape), where=deviations > 0)


def _weighted_spread(rows: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (ddof 0) of the columns under each row of weights."""
    total = weights.sum(axis=1, keepdims=True)
    means = weights @ rows / total
    variances = weights @ rows**2 / total - means**2
    # What is left of equal scores when their sums are rounded is no spread.
    return means, np.sqrt(np.where(variances > _ROUNDING, variances, 0.0))
