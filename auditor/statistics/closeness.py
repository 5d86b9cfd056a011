"""How near two raters' numbers are, in the unit of the numbers.

Items are given as pairs: (number by the first rater, number by the second) to the number of items
with these two. No items give None with a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from auditor.statistics.estimates import Estimate, share_estimate
from auditor.statistics.item_bootstrap import RESAMPLES, bootstrap_estimate, ordered
from auditor.statistics.rounding import settled

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

NumberPairs = Mapping[tuple[float, float], int]

NO_NUMBERS = "no item was given a number by both"

_ROUNDING = 1e-9
"""0.4 is within 0.1 of 0.3, whatever their difference in binary."""


def mean_difference(
    pairs: NumberPairs, *, rng: numpy.random.Generator | None = None, resamples: int = RESAMPLES
) -> Estimate:
    """Mean of second minus first: above 0 where the second rater gives higher numbers.

    Interval: percentile bootstrap over items, raters fixed; None without `rng`.
    """
    return _mean(pairs, [b - a for a, b in ordered(pairs)], rng, resamples)


def mean_absolute_difference(
    pairs: NumberPairs, *, rng: numpy.random.Generator | None = None, resamples: int = RESAMPLES
) -> Estimate:
    """Mean of |second - first|; 0 for equal numbers throughout.

    Interval: percentile bootstrap over items, raters fixed; None without `rng`.
    """
    return _mean(pairs, [abs(b - a) for a, b in ordered(pairs)], rng, resamples)


def share_within(pairs: NumberPairs, distance: float) -> Estimate:
    """Share of the items whose two numbers are at most `distance` apart, Wilson's interval."""
    near = sum(count for (a, b), count in pairs.items() if abs(b - a) <= distance + _ROUNDING)
    return share_estimate(near, sum(pairs.values()), nothing=NO_NUMBERS)


def _mean(
    pairs: NumberPairs,
    differences: list[float],
    rng: numpy.random.Generator | None,
    resamples: int,
) -> Estimate:
    apart = settled(differences)

    def statistic(weights: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        return settled((weights @ apart) / weights.sum(axis=1))

    return bootstrap_estimate(
        ordered(pairs).values(), statistic, undefined=NO_NUMBERS, rng=rng, resamples=resamples
    )
