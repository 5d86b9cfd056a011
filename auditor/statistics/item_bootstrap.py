"""Intervals from resampled items, for statistics that count how often each kind of item occurs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from auditor.errors import StatisticsError
from auditor.statistics.bootstrap import percentile_interval
from auditor.statistics.estimates import Estimate
from auditor.statistics.shares import Interval

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Statistic = Callable[[Floats], Floats]

RESAMPLES = 2000

ONE_ITEM = "one item shows no variation between items: no interval"
OFTEN_UNDEFINED = "undefined in too many of the resamples: no interval"

_MOST_CELLS = 4_000_000
"""Weights that are held at once: 32 MB."""
_ITEMS_PER_KIND = 20
"""Up to so many, drawing item by item is faster than drawing the numbers of each kind."""

Kind = TypeVar("Kind", bound=Hashable)


def bootstrap_estimate(
    counts: Iterable[int],
    statistic: Statistic,
    *,
    undefined: str,
    rng: numpy.random.Generator | None = None,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """A statistic of n items with its percentile interval.

    Sampling model: the items are a random sample, so a resample draws n of them with
    replacement; raters are fixed. Where items of the same kind are many, the numbers of each kind
    are drawn instead, from a multinomial distribution, which is the same and takes no longer for
    a million items than for ten.

    A resample in which the statistic is undefined (one class only) could lie at either end, and
    counts against both: the interval gets wider, never narrower. Where that leaves an end open,
    there is no interval, and the note says so. Nor is there one for a single item.

    Args:
        counts: items of each kind, in an order that does not depend on how they were read.
        statistic: from weights, an array (resamples, kinds), to values (resamples,); NaN where
            undefined.
        undefined: the note where the statistic is undefined for the items themselves.
        rng: where the resamples come from; None: no interval is asked for.
        resamples: how many.
        confidence: coverage that the interval aims at.

    Source: Efron (1979), Annals of Statistics 7.
    """
    import numpy

    weights = numpy.array(list(counts), dtype=numpy.int64)
    if (weights < 0).any():
        raise StatisticsError("numbers of items cannot be negative")
    n = int(weights.sum())
    found = float(statistic(weights[None, :].astype(numpy.float64))[0]) if n else float("nan")
    if numpy.isnan(found):
        return Estimate(value=None, n=n, note=undefined)
    if rng is None:
        return Estimate(value=found, n=n)
    if n < 2:
        return Estimate(value=found, n=n, note=ONE_ITEM)
    values = _resampled(weights, statistic, rng, resamples)
    interval = percentile_interval(values, confidence=confidence)
    if interval is None:
        interval = _wider_interval(values, confidence)
    if interval is None:
        return Estimate(value=found, n=n, note=OFTEN_UNDEFINED)
    return Estimate(value=found, ci_low=interval.low, ci_high=interval.high, n=n)


def ordered(counts: Mapping[Kind, int]) -> dict[Kind, int]:
    """Kinds that occur, in an order of their own: equal counts give equal resamples."""
    return {kind: counts[kind] for kind in sorted(counts, key=repr) if counts[kind]}


def sums_by_class(weights: Floats, classes: NDArray[numpy.intp], size: int) -> Floats:
    """Sums of the columns of `weights` (resamples, columns) that have the same class.

    `classes` gives each column's class, 0 to size - 1; the result is (resamples, size).
    """
    import numpy

    return numpy.stack([numpy.bincount(classes, weights=row, minlength=size) for row in weights])


def _wider_interval(values: Floats, confidence: float) -> Interval | None:
    """The interval with undefined values at both ends; None where an end is open."""
    import numpy

    tail = (1 - confidence) / 2
    undefined = numpy.isnan(values)
    # No interpolation: between a number and an infinity there is none.
    low = numpy.quantile(numpy.where(undefined, -numpy.inf, values), tail, method="lower")
    high = numpy.quantile(numpy.where(undefined, numpy.inf, values), 1 - tail, method="higher")
    return Interval(float(low), float(high)) if numpy.isfinite([low, high]).all() else None


def _resampled(
    weights: NDArray[numpy.int64],
    statistic: Statistic,
    rng: numpy.random.Generator,
    resamples: int,
) -> Floats:
    import numpy

    kinds, n = len(weights), int(weights.sum())
    item_by_item = n <= _ITEMS_PER_KIND * kinds
    of_item = numpy.repeat(numpy.arange(kinds), weights) if item_by_item else None
    at_once = max(1, _MOST_CELLS // kinds)
    parts = []
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        if of_item is None:
            drawn = rng.multinomial(n, weights / n, size=size)
        else:
            drawn = numpy.stack(
                [
                    numpy.bincount(of_item[rng.integers(n, size=n)], minlength=kinds)
                    for _ in range(size)
                ]
            )
        parts.append(statistic(drawn.astype(numpy.float64)))
    return numpy.concatenate(parts)
