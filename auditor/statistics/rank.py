"""Rank correlation of two short lists, once and over resamples of their items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auditor.errors import StatisticsError
from auditor.statistics.bootstrap import times_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_ITEMS = 3
"""Two items have a correlation of 1 or -1, whatever they are: it says nothing."""
_EXACT_IN_SINGLE = 2**24
"""Up to here every integer is a single-precision number."""


def kendall_tau(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Kendall's tau-b of paired values, in [-1, 1]; None where all x, or all y, are tied.

    (concordant - discordant) / sqrt(pairs not tied in x * pairs not tied in y), over all pairs
    of items. Values are tied when they are equal, without tolerance: shares that are quotients
    of integers are equal as floats exactly when they are equal as fractions. Fewer than three
    items give None: two have a tau of 1 or -1, whatever they are.

    Raises StatisticsError for lists of different length and for NaN.

    Source: Kendall (1945), Biometrika 33; the same as scipy's `kendalltau(x, y)`.
    """
    _check(x, y)
    score = untied_x = untied_y = 0
    for place, (x_a, y_a) in enumerate(zip(x, y, strict=True)):
        for x_b, y_b in zip(x[:place], y[:place], strict=True):
            in_x = (x_a > x_b) - (x_a < x_b)
            in_y = (y_a > y_b) - (y_a < y_b)
            score += in_x * in_y
            untied_x += in_x != 0
            untied_y += in_y != 0
    if len(x) < LEAST_ITEMS or not untied_x or not untied_y:
        return None
    return score / math.sqrt(untied_x * untied_y)


def resampled_kendall_tau(
    x: Sequence[float], y: Sequence[float], positions: NDArray[np.int64]
) -> NDArray[np.float64]:
    """tau-b of every resample of the items; NaN where it is undefined.

    `positions` holds one resample a row, as places of items (see `resamples`). An item that
    was drawn twice is tied with itself in both lists.
    """
    import numpy as np

    _check(x, y)
    number, n = positions.shape
    # All sums are of integers up to n * n: exact in either type, in whatever order they are added.
    dtype = "f4" if n * n < _EXACT_IN_SINGLE else "f8"
    signs_x, signs_y = (_pair_signs(values).astype(dtype) for values in (x, y))
    times = times_drawn(positions).astype(dtype)

    def over_pairs(matrix: NDArray[Any]) -> NDArray[np.float64]:
        total: NDArray[np.float64] = np.einsum("ij,ij->i", times @ matrix, times).astype("f8") / 2
        return total

    untied = over_pairs(np.abs(signs_x)) * over_pairs(np.abs(signs_y))
    tau = np.full(number, np.nan)
    np.divide(over_pairs(signs_x * signs_y), np.sqrt(untied), out=tau, where=untied > 0)
    return tau


def _pair_signs(values: Sequence[float]) -> NDArray[Any]:
    import numpy as np

    column = np.asarray(values, dtype=float)[:, None]
    signs: NDArray[Any] = np.sign(column - column.T)
    return signs


def _check(x: Sequence[float], y: Sequence[float]) -> None:
    if len(x) != len(y):
        raise StatisticsError(f"pairs need lists of one length, not {len(x)} and {len(y)}")
    if any(math.isnan(value) for value in (*x, *y)):
        raise StatisticsError("NaN has no rank: leave the item out")
