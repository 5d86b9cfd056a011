"""Spearman's rank correlation, once and over resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.errors import StatisticsError
from auditor.statistics.rank import LEAST_ITEMS
from auditor.statistics.rounding import tied, zero_settled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Correlation(NamedTuple):
    """A correlation with the p of no association."""

    value: float
    p_value: float
    """Two-sided."""


def spearman(x: Sequence[float], y: Sequence[float]) -> Correlation | None:
    """Spearman's rho of paired values; None where all x, or all y, are tied.

    Fewer than three items give None: two have a rho of 1 or -1, whatever they are. Ties get their
    mean rank; values that are equal to nine decimals are tied. p is the two-sided one of
    t = rho * sqrt((n - 2) / (1 - rho^2)) with n - 2 degrees of freedom, but at least 2 / n!, that
    of the two orders with |rho| = 1 among all, where t says 0: the items as exchangeable.
    Two-sided p is 0.05 at |rho| = 0.339 for n = 34, 0.355 for n = 31.

    Raises StatisticsError for lists of different length and for NaN.

    Source: Spearman (1904), American Journal of Psychology 15; as scipy's `spearmanr(x, y)`.
    """
    import numpy as np

    if len(x) != len(y):
        raise StatisticsError(f"pairs need lists of one length, not {len(x)} and {len(y)}")
    if any(math.isnan(value) for value in (*x, *y)):
        raise StatisticsError("NaN has no rank: leave the item out")
    columns = tied(np.array([x, y], dtype=float))
    if len(x) < LEAST_ITEMS or not np.ptp(columns, axis=1).all():
        return None
    from scipy.stats import spearmanr

    found = spearmanr(columns[0], columns[1])
    least = 2 / math.factorial(len(x))
    return Correlation(zero_settled(float(found.statistic)), max(float(found.pvalue), least))


def ranked(values: Floats) -> Floats:
    """Centred ranks of each row; rows of resamples that meet several others are ranked once."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(tied(values), axis=-1)
    centred: Floats = ranks - ranks.mean(axis=-1, keepdims=True)
    return centred


def resampled_spearman(x: Floats, y: Floats) -> Floats:
    """Rho of every resample, from centred ranks (see `ranked`); NaN where it is undefined.

    One of the two may be a single row, which then meets every row of the other.
    """
    import numpy as np

    products: NDArray[Any] = (x * y).sum(axis=-1)
    room = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    rho = np.full(products.shape, np.nan)
    np.divide(products, room, out=rho, where=room > 0)
    return rho
