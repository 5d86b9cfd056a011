"""Intervals from repetitions drawn again within items that stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.errors import StatisticsError
from auditor.statistics.shares import Interval, normal_quantile
from auditor.statistics.single_thread import single_threaded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_MOST_DRAWS = 500_000
"""Repetitions that are drawn at once: some 15 MB."""


def resampled_totals(
    values: Floats, sizes: Integers, *, rng: np.random.Generator, resamples: int
) -> Floats:
    """Totals over all repetitions of all items, in every resample: (resamples, columns).

    `values` is (items, slots, columns); item i has `sizes[i]` repetitions in its first slots,
    each a row of values that stay together. Sampling model: items fixed and complete, the
    repetitions of an item independent draws of one distribution. Of m repetitions m - 1 are
    drawn with replacement, each with weight m / (m - 1): so the variance of a total is unbiased
    also for few repetitions, where drawing m would give (m - 1) / m of it. An item with one
    repetition keeps it, and shows no variation; one with none adds 0.

    Raises StatisticsError for a size outside 0 to the number of slots.

    Source: Rao and Wu (1988), JASA 83: the rescaling bootstrap for strata.
    """
    import numpy as np

    _, slots, columns = values.shape
    if len(sizes) and not 0 <= int(sizes.min()) <= int(sizes.max()) <= slots:
        raise StatisticsError(f"sizes from {sizes.min()} to {sizes.max()} in {slots} slots")
    totals = np.zeros((resamples, columns))
    for size in np.unique(sizes[sizes > 0]).tolist():
        alike = values[sizes == size, :size]
        if size == 1:
            totals += alike.sum(axis=(0, 1))
            continue
        flat = alike.reshape(-1, columns) * (size / (size - 1))
        at_once = max(1, _MOST_DRAWS // len(flat))
        for start in range(0, resamples, at_once):
            number = min(at_once, resamples - start)
            times = _times_drawn(number, len(alike), size, rng)
            with single_threaded():
                totals[start : start + number] += times @ flat
    return totals


def _times_drawn(resamples: int, items: int, size: int, rng: np.random.Generator) -> Floats:
    """How often each repetition is drawn: (resamples, items * size)."""
    import numpy as np

    starts = np.arange(resamples * items)[:, None] * size
    drawn = starts + rng.integers(size, size=(resamples * items, size - 1))
    times = np.bincount(drawn.ravel(), minlength=resamples * items * size)
    return times.reshape(resamples, items * size).astype(np.float64)


def error_interval(
    value: float,
    resampled: Floats,
    *,
    lowest: float = -1.0,
    highest: float = 1.0,
    confidence: float = 0.95,
) -> Interval | None:
    """The value +- z * SD of the resampled values, cut at `lowest` and `highest`.

    For statistics that noise pushes one way, such as correlations: their resampled values are
    noisier than the value itself and lie to one side of it, so that percentiles may miss it.
    None where a resample is undefined (NaN) or there are fewer than two.
    """
    import numpy as np

    z = normal_quantile(confidence)
    if len(resampled) < 2 or bool(np.isnan(resampled).any()):
        return None
    half = z * float(np.std(resampled))
    return Interval(max(lowest, value - half), min(highest, value + half))
