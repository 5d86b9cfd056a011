"""Intervals that rest on repetitions, and the words for where they say little or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from auditor.draws import draw_integer
from auditor.statistics import Interval

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 2000
ONE_REPETITION = "one repetition shows no variation: no interval"
ALL_AGREE = "all repetitions agree: resampling them shows no doubt"
OFTEN_UNDEFINED = "no interval: undefined in some resamples"
_STREAM = "regional:bootstrap"
_ROUNDING = 1e-9
"""Weighted totals of equal repetitions differ by no more."""
# An interval is a function of its data alone: it stays what it is when a run's seed changes.
_SEED = 0


def generator(item: str) -> np.random.Generator:
    """Where the resamples of an item come from: the same for every target."""
    import numpy as np

    return np.random.default_rng(draw_integer(_SEED, _STREAM, item))


class Items(NamedTuple):
    """How many items a figure rests on, and how many of them cannot vary."""

    number: int
    """Pairs of regions, or ratings of one region and trait."""
    single: int
    """Of these, with one repetition."""

    @property
    def can_vary(self) -> bool:
        """Whether any item has two repetitions."""
        return self.single < self.number


@dataclass(frozen=True, slots=True)
class Doubt:
    """An interval, or why there is none or less of it."""

    interval: Interval | None
    note: str | None


def doubt(interval: Interval | None, items: Items) -> Doubt:
    """The interval of a figure over these items with what a reader must know of it."""
    if not items.can_vary:
        return Doubt(None, ONE_REPETITION)
    if interval is None:
        return Doubt(None, OFTEN_UNDEFINED)
    if interval.high - interval.low < _ROUNDING:
        return Doubt(interval, ALL_AGREE)
    if not items.single:
        return Doubt(interval, None)
    part = 100 * items.single / items.number
    return Doubt(
        interval, f"the interval is too narrow: {part:.3g} % of its items have one repetition"
    )
