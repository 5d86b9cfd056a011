"""Spearman's rank correlation, once and over resamples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.errors import StatisticsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_DECIMALS = 9
"""Means of equal ratings in another order differ by rounding: they are tied all the same."""


class Correlation(NamedTuple):
    """A correlation with the p of no association."""

    value: float
    p_value: float | None
    """Two-sided; None for fewer than three items."""


def spearman(x: Sequence[float], y: Sequence[float]) -> Correlation | None:
    """Spearman's rho of paired values; None where all x, or all y, are tied, or for one item.

    Ties get their mean rank; values that are equal to nine decimals are tied. p is the
    two-sided one of t = rho * sqrt((n - 2) / (1 - rho^2)) with n - 2 degrees of freedom: the
    items as exchangeable. Two-sided p is 0.05 at |rho| = 0.339 for n = 34, 0.355 for n = 31.

    Raises StatisticsError for lists of different length and for NaN.

    Source: Spearman (1904), American Journal of Psychology 15; as scipy's `spearmanr(x, y)`.
    """
    import numpy as np

    if len(x) != len(y):
        raise StatisticsError(f"pairs need lists of one length, not {len(x)} and {len(y)}")
    if any(math.isnan(value) for value in (*x, *y)):
        raise StatisticsError("NaN has no rank: leave the item out")
    columns = np.round(np.array([x, y], dtype=float), _DECIMALS)
    if len(x) < 2 or not np.ptp(columns, axis=1).all():
        return None
    if len(x) == 2:
        return Correlation(float(np.sign(np.diff(columns[0]) * np.diff(columns[1]))[0]), None)
    from scipy.stats import spearmanr

    found = spearmanr(columns[0], columns[1])
    return Correlation(float(found.statistic), float(found.pvalue))


def ranked(values: Floats) -> Floats:
    """Centred ranks of each row; rows of resamples that meet several others are ranked once."""
    import numpy as np
    from scipy.stats import rankdata

    ranks: Floats = rankdata(np.round(values, _DECIMALS), axis=-1)
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
