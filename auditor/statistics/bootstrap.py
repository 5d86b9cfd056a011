"""Intervals by drawing the items again, with replacement. Randomness is passed in."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from auditor.errors import StatisticsError
from auditor.statistics.shares import Interval, check_confidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def resamples(n: int, seeds: Sequence[int]) -> NDArray[np.int64]:
    """Places of the items that each resample draws: a row a seed, n columns, values 0 to n - 1.

    A row depends on n and its own seed only, so more seeds keep the rows that were there.
    Raises StatisticsError for n < 1.
    """
    import numpy as np

    if n < 1:
        raise StatisticsError(f"a resample needs at least one item, not {n}")
    rows = np.empty((len(seeds), n))
    generator = Random()
    for place, seed in enumerate(seeds):
        generator.seed(seed)
        number = generator.random
        rows[place] = [number() for _ in range(n)]
    positions: NDArray[np.int64] = (rows * n).astype(np.int64)
    return positions


def times_drawn(positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each resample (row) draws each item (column)."""
    import numpy as np

    number, n = positions.shape
    flat = positions + np.arange(number)[:, None] * n
    times: NDArray[np.int64] = np.bincount(flat.ravel(), minlength=number * n).reshape(number, n)
    return times


def resampled_mean(values: Sequence[float], positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean of every resample."""
    import numpy as np

    means: NDArray[np.float64] = np.asarray(values, dtype=float)[positions].mean(axis=1)
    return means


def resampled_median(values: Sequence[float], positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Median of every resample."""
    import numpy as np

    medians: NDArray[np.float64] = np.median(np.asarray(values, dtype=float)[positions], axis=1)
    return medians


def percentile_interval(
    estimates: NDArray[np.float64], *, confidence: float = 0.95
) -> Interval | None:
    """The middle part of the resampled estimates; None where one of them is undefined (NaN).

    Quantiles are interpolated linearly. Sampling model: the items as independent draws from
    what they stand for, each carried along with all that was measured of it. Leaving undefined
    resamples out would cut off the tail that they belong to, so they leave no interval.

    Source: Efron (1979), Annals of Statistics 7: the percentile method.
    """
    import numpy as np

    check_confidence(confidence)
    if not len(estimates) or bool(np.isnan(estimates).any()):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(estimates, [tail, 1 - tail])
    return Interval(float(low), float(high))
