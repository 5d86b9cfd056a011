"""Penalised logistic regression: one fit by scikit-learn, and many small ones at once by Newton.

Both minimise sum of weight * log(1 + exp(-s * logit)) + |theta|^2 / 2, s being 1 for label 1 and
-1 for label 0: L2 with C = 1, the intercept free of it. A resample or a permutation needs this a
thousand times; `fit_many` shares one design between all of them and takes a fraction of the time
that as many single fits take. The two agree to 1e-6 in every coefficient.

This module loads numpy and scipy: it is imported by name, where a probe is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from auditor.errors import StatisticsError

Floats = NDArray[np.float64]

_MOST_CELLS = 250_000
"""Logits held at once: 2 MB, so that the arrays of one step stay in a processor's cache."""
_MOST_STEPS = 100
_SHORTEST_STEP = 1e-6
_LEAST_CHANCE = 1e-300
"""Keeps the objective finite where a probability is 0 to the last digit."""
_TOLERANCE = 1e-9
"""Largest component of the gradient for each unit of weight."""


def fit_one(design: Floats, labels: Floats, *, intercept: bool) -> tuple[Floats, float]:
    """Coefficients and intercept (0.0 without one) of one fit by scikit-learn.

    `design` is (responses, dimensions), standardised by the caller; `labels` holds 0 and 1.
    """
    from sklearn.linear_model import LogisticRegression

    # Where zero is the solution already (equal sides), the library's line search finds no way
    # down and complains.
    gradient = np.column_stack([np.ones(len(design)), design]).T @ (0.5 - labels)
    if np.abs(gradient).max() <= _TOLERANCE * len(design):
        return np.zeros(design.shape[1]), 0.0
    model = LogisticRegression(
        C=1.0, fit_intercept=intercept, solver="newton-cholesky", tol=1e-9, max_iter=_MOST_STEPS
    )
    model.fit(design, labels)
    coefficients: Floats = np.asarray(model.coef_[0], dtype=np.float64)
    return coefficients, float(model.intercept_[0]) if intercept else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ManyFits:
    """What `fit_many` fits: problems that share their responses."""

    design: Floats
    """(responses, 1 + dimensions): a column of ones, then the scores in any one scale."""
    labels: Floats
    """0 and 1: (responses,), or (problems, responses) where each problem has its own."""
    weights: Floats | None
    """(problems, responses): how often each response counts; None: once."""
    means: Floats
    """What each problem standardises by, (problems, dimensions) or (1, dimensions)."""
    deviations: Floats
    """Standard deviations of the same shape; 0 leaves the dimension out of the problem."""
    intercept: bool
    start: Floats | None = None
    """Where all begin, standardised: intercept first if there is one; None: at zero."""

    @property
    def problems(self) -> int:
        """How many fits there are."""
        sizes = [self.labels.shape[0] if self.labels.ndim > 1 else 1, len(self.means)]
        return max(sizes if self.weights is None else [*sizes, len(self.weights)])

    def parts(self) -> Iterator[ManyFits]:
        """The same problems, so many at a time that their arrays stay small."""
        at_once = max(1, _MOST_CELLS // max(1, len(self.design)))
        for start in range(0, self.problems, at_once):
            stop = min(start + at_once, self.problems)
            yield ManyFits(
                design=self.design,
                labels=self.labels[start:stop] if self.labels.ndim > 1 else self.labels,
                weights=None if self.weights is None else self.weights[start:stop],
                means=self.means[start:stop] if len(self.means) > 1 else self.means,
                deviations=(
                    self.deviations[start:stop] if len(self.deviations) > 1 else self.deviations
                ),
                intercept=self.intercept,
                start=self.start,
            )


def fit_many(fits: ManyFits) -> tuple[Floats, Floats]:
    """Standardised coefficients (problems, dimensions) and intercepts (problems,), 0 without one.

    Newton's method on all problems in step; a step that would raise a problem's objective is
    halved. A dimension without variation in a problem gets the coefficient 0 there. Raises
    StatisticsError where a problem does not converge, which takes scores that are no numbers.
    """
    # Standardising is a linear map of the coefficients, so it need not copy the design.
    pairs_of_columns = np.triu_indices(fits.design.shape[1])
    products = fits.design[:, pairs_of_columns[0]] * fits.design[:, pairs_of_columns[1]]
    found = [_newton(part, products, pairs_of_columns) for part in fits.parts()]
    theta = np.concatenate(found)
    if fits.intercept:
        return theta[:, 1:], theta[:, 0]
    return theta, np.zeros(len(theta))


def _newton(
    fits: ManyFits, products: Floats, columns: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> Floats:
    problem = _Problem(fits)
    weights = np.ones((1, len(fits.design))) if fits.weights is None else fits.weights
    tolerance = _TOLERANCE * weights.sum(axis=1).max()
    theta, state = problem.beginning()
    for _ in range(_MOST_STEPS):
        doubts = 1.0 - state.chances
        weighted = doubts if fits.weights is None else doubts * weights
        residuals = -problem.signs * weighted
        gradient: Floats = _mapped(problem.maps, residuals @ fits.design) + problem.penalty * theta
        if np.abs(gradient).max() <= tolerance:
            return theta
        curvature = (state.chances * weighted) @ products
        hessian = _hessian(problem.maps, curvature, columns, problem.penalty)
        solved = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        step = np.asarray(solved, dtype=np.float64)
        theta, state = problem.descended(theta, step, state)
    raise StatisticsError("a logistic regression does not converge: are all scores numbers?")


@dataclass(frozen=True, slots=True)
class _State:
    chances: Floats
    """Fitted probabilities of the labels that the responses have, (problems, responses)."""
    objective: Floats
    """(problems,)"""


class _Problem:
    """The objective of some problems as a function of their standardised coefficients."""

    def __init__(self, fits: ManyFits) -> None:
        self.fits = fits
        self.maps = _standardising(fits)
        self.penalty = np.ones(self.maps.shape[1])
        if fits.intercept:
            self.penalty[0] = 0.0
        self.signs = 2.0 * fits.labels - 1.0

    def beginning(self) -> tuple[Floats, _State]:
        """Zero, or the start where that is better: far off, the curvature may vanish."""
        theta = np.zeros((self.fits.problems, self.maps.shape[1]))
        state = self.evaluated(theta)
        if self.fits.start is None:
            return theta, state
        at_start = self.evaluated(theta + self.fits.start)
        theta[at_start.objective < state.objective] = self.fits.start
        return theta, self.evaluated(theta)

    def evaluated(self, theta: Floats) -> _State:
        slopes = (theta[:, None, :] @ self.maps)[:, 0, :]
        chances = expit(slopes @ self.fits.design.T * self.signs)
        losses = np.log(np.maximum(chances, _LEAST_CHANCE))
        if self.fits.weights is not None:
            losses *= self.fits.weights
        objective = 0.5 * (self.penalty * theta**2).sum(axis=1) - losses.sum(axis=1)
        return _State(chances, objective)

    def descended(self, theta: Floats, step: Floats, before: _State) -> tuple[Floats, _State]:
        # At the bottom, rounding alone may make a step seem to raise the objective a little.
        allowed = before.objective + 1e-12 * np.abs(before.objective)
        share = np.ones(len(theta))
        while True:
            moved = theta - share[:, None] * step
            after = self.evaluated(moved)
            is_worse = after.objective > allowed
            if not is_worse.any() or share.min() < _SHORTEST_STEP:
                return moved, after
            share[is_worse] /= 2


def _standardising(fits: ManyFits) -> Floats:
    """Maps (problems, coefficients, columns of the design) from the design to standard scores."""
    has_spread = fits.deviations > 0
    slopes = np.divide(1.0, fits.deviations, out=np.zeros_like(fits.deviations), where=has_spread)
    problems, dimensions = slopes.shape
    first = 1 if fits.intercept else 0
    maps = np.zeros((problems, first + dimensions, 1 + dimensions))
    if fits.intercept:
        maps[:, 0, 0] = 1.0
    places = np.arange(dimensions)
    maps[:, first + places, 1 + places] = slopes
    maps[:, first:, 0] = -slopes * fits.means
    return maps


def _mapped(maps: Floats, sums: Floats) -> Floats:
    return (maps @ sums[..., None])[..., 0]


def _hessian(
    maps: Floats,
    curvature: Floats,
    columns: tuple[NDArray[np.intp], NDArray[np.intp]],
    penalty: Floats,
) -> Floats:
    size = maps.shape[2]
    gram = np.empty((len(curvature), size, size))
    gram[:, columns[0], columns[1]] = curvature
    gram[:, columns[1], columns[0]] = curvature
    hessian: Floats = maps @ gram @ maps.swapaxes(1, 2)
    hessian[:, np.arange(len(penalty)), np.arange(len(penalty))] += penalty
    return hessian
