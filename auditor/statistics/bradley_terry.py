"""Strengths from paired comparisons, told apart from the order in which the two were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import StatisticsError
from auditor.statistics.rounding import TIE_DECIMALS, zero_settled
from auditor.statistics.separated_outcomes import Separation, separation
from auditor.statistics.shares import Interval, normal_quantile
from auditor.statistics.single_thread import single_threaded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

PENALTY = 1.0
"""Weight of half the squared coefficients against the log-likelihood: C = 1."""


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """A fit. Natural logs of odds throughout."""

    strengths: tuple[float, ...]
    """By item, with sum 0; a higher one is chosen more often."""
    errors: tuple[float, ...] | None
    """Standard errors of the strengths; None for fewer than two pairs."""
    order_effect: float
    """Log-odds of the first of two equal items; above 0 favours the first."""
    order_error: float | None
    separation: Separation
    """Of the outcomes; `last` tells of the order effect."""
    parts: int
    """Groups of items that were never compared with one another: strengths compare within one."""

    def strength_interval(self, item: int, *, confidence: float = 0.95) -> Interval | None:
        """Normal interval of one strength; None where it has no error."""
        error = None if self.errors is None else self.errors[item]
        return _normal(self.strengths[item], error, confidence)

    def order_interval(self, *, confidence: float = 0.95) -> Interval | None:
        """Normal interval of the order effect; None where it has no error."""
        return _normal(self.order_effect, self.order_error, confidence)


def bradley_terry(wins: Integers, losses: Integers, *, penalty: float = PENALTY) -> BradleyTerry:
    """The penalised maximum-likelihood fit of logit P(first wins) = s_first - s_second + order.

    `wins[a, b]` and `losses[a, b]` count the comparisons with item a shown first and b second
    that a won and lost; diagonals are ignored. The penalty, `penalty` / 2 times the sum of all
    squared coefficients (the order effect's too), gives each data set exactly one optimum: where
    outcomes are separated, strengths are finite and in the right order, but their distances are
    the penalty's work, and so is the size of an order effect that drifts to infinity.

    Standard errors: sandwich at the optimum, H^-1 M H^-1 with the penalty in H, scores summed
    by unordered pair in M, times G / (G - 1) for G pairs. Sampling model: pairs as independent
    clusters, all comparisons of two items (both orders, all repetitions) together.

    Raises StatisticsError without any comparison, for negative counts and for other shapes.

    Source: Bradley and Terry (1952), Biometrika 39; Davidson and Beaver (1977), Biometrics 33,
    for the order effect; Liang and Zeger (1986), Biometrika 73, for the sandwich.
    """
    import numpy as np

    n = _checked(wins, losses)
    first, second = np.nonzero(((wins + losses) > 0) & ~np.eye(n, dtype=bool))
    if not len(first):
        raise StatisticsError("no comparison: there is nothing to fit")
    won = wins[first, second].astype(float)
    lost = losses[first, second].astype(float)
    places = np.arange(len(first))
    design = np.zeros((len(first), n + 1))
    design[places, first] = 1.0
    design[places, second] = -1.0
    design[:, n] = 1.0
    cluster = np.minimum(first, second) * n + np.maximum(first, second)
    with single_threaded():
        optimum = _optimum(design, won, lost, penalty)
        errors = _sandwich(design, won, lost, optimum, penalty, cluster)
    return BradleyTerry(
        strengths=tuple(zero_settled(float(value), TIE_DECIMALS) for value in optimum[:n]),
        errors=None if errors is None else tuple(float(value) for value in errors[:n]),
        order_effect=zero_settled(float(optimum[n]), TIE_DECIMALS),
        order_error=None if errors is None else float(errors[n]),
        separation=separation(design, won, lost),
        parts=_parts(first, second, n),
    )


def _checked(wins: Integers, losses: Integers) -> int:
    n = len(wins)
    if wins.shape != (n, n) or losses.shape != (n, n):
        raise StatisticsError(f"square tables of one size, not {wins.shape} and {losses.shape}")
    if (wins < 0).any() or (losses < 0).any():
        raise StatisticsError("numbers of comparisons cannot be negative")
    return n


def _optimum(design: Floats, won: Floats, lost: Floats, penalty: float) -> Floats:
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    # A loss is a win seen from the other side. The library wants both classes, and outcomes may
    # all be wins, so that every other row is turned round: the likelihood is the same.
    rows = np.vstack([design, -design])
    weights = np.concatenate([won, lost])
    rows, weights = rows[weights > 0], weights[weights > 0]
    if len(rows) == 1:
        rows, weights = np.vstack([rows, rows]), np.repeat(weights / 2, 2)
    outcomes = np.arange(len(rows)) % 2
    model = LogisticRegression(
        C=1 / penalty, fit_intercept=False, solver="newton-cholesky", tol=1e-10, max_iter=1000
    )
    model.fit(rows * np.where(outcomes == 1, 1.0, -1.0)[:, None], outcomes, sample_weight=weights)
    coefficients: Floats = np.asarray(model.coef_[0], dtype=float)
    return coefficients


def _sandwich(
    design: Floats,
    won: Floats,
    lost: Floats,
    optimum: Floats,
    penalty: float,
    cluster: Integers,
) -> Floats | None:
    import numpy as np
    from scipy.special import expit

    clusters, number = np.unique(cluster, return_inverse=True)
    if len(clusters) < 2:
        return None
    chance = expit(design @ optimum)
    trials = won + lost
    bread = (design * (trials * chance * (1 - chance))[:, None]).T @ design
    bread += penalty * np.eye(len(optimum))
    scores = np.zeros((len(clusters), len(optimum)))
    np.add.at(scores, number, design * (won - trials * chance)[:, None])
    correction = len(clusters) / (len(clusters) - 1)
    half = np.linalg.solve(bread, scores.T)
    errors: Floats = np.sqrt(correction * (half * half).sum(axis=1))
    return errors


def _parts(first: Integers, second: Integers, n: int) -> int:
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    _, part = connected_components(links, directed=False)
    return len(set(part[np.union1d(first, second)].tolist()))


def _normal(value: float, error: float | None, confidence: float) -> Interval | None:
    z = normal_quantile(confidence)
    if error is None:
        return None
    half = z * error
    return Interval(value - half, value + half)
