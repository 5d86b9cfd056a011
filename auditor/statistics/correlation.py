"""Correlation of two scorers of the same pairs.

This module loads numpy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from auditor.errors import StatisticsError
from auditor.statistics.rank import LEAST_ITEMS
from auditor.statistics.rounding import zero_settled

Floats = NDArray[np.float64]

_ROUNDING = 1e-15


def pearson(x: Floats, y: Floats) -> float | None:
    """Pearson's r of two arrays of one shape; None where either does not vary.

    A place where either is missing (NaN) is left out. Fewer than three are None: two points always
    lie on a line.
    """
    once = np.ones((1, len(x)), dtype=np.int64)
    value = float(resampled_pearson(x, y, once)[0]) if len(x) else math.nan
    if math.isnan(value) or int((~np.isnan(x + y)).sum()) < LEAST_ITEMS:
        return None
    return zero_settled(value)


def resampled_pearson(x: Floats, y: Floats, times: NDArray[np.int64]) -> Floats:
    """Pearson's r in every resample of pairs, (resamples,); NaN where either does not vary.

    `x` and `y` are (pairs, sides) and missing scores NaN; a pair that is drawn is drawn with all
    its sides, `times` (resamples, pairs) says how often.
    """
    if x.shape != y.shape:
        raise StatisticsError(f"two scorers of {len(x)} and {len(y)} pairs have no correlation")
    x, y = x.reshape(len(x), -1), y.reshape(len(y), -1)
    is_known = ~(np.isnan(x) | np.isnan(y))
    if not is_known.any():
        return np.full(len(times), np.nan)
    # About the means of all, so that little is lost when squares are subtracted.
    x = np.where(is_known, x - x[is_known].mean(), 0.0)
    y = np.where(is_known, y - y[is_known].mean(), 0.0)
    parts = np.stack([is_known, x, y, x * x, y * y, x * y], axis=2).sum(axis=1)
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = np.moveaxis(times @ parts, 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_x = sum_xx / n - (sum_x / n) ** 2
        variance_y = sum_yy / n - (sum_y / n) ** 2
        correlation = (sum_xy / n - sum_x * sum_y / n**2) / np.sqrt(variance_x * variance_y)
    # What is left of equal scores when their sums are rounded is no variation.
    varies = (variance_x > _ROUNDING) & (variance_y > _ROUNDING)
    return np.where(varies, np.clip(correlation, -1.0, 1.0), np.nan)
