"""Agreement of any number of raters, each of whom may have left items out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeVar

from auditor.errors import StatisticsError
from auditor.statistics.agreement import with_doubt_noted
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import (
    RESAMPLES,
    bootstrap_estimate,
    ordered,
    sums_by_class,
)

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

Level = Literal["nominal", "interval"]
"""What the values are: classes, or numbers whose differences mean something."""

Unit = TypeVar("Unit", bound=tuple[Hashable, ...])
"""The values that the raters gave to one item."""

NO_PAIRS = "no item was rated by two"
ONE_VALUE = "all values are equal: without variation there is nothing to agree on"

Item = TypeVar("Item", bound=Hashable)


def krippendorff_alpha(
    units: Mapping[Unit, int],
    *,
    level: Level = "nominal",
    rng: numpy.random.Generator | None = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Krippendorff's alpha = 1 - observed / expected disagreement.

    `units` gives the number of items for each combination of values that raters gave. Missing
    values are left out of a combination; items with fewer than two values say nothing on agreement
    and are not counted in n. Disagreement of two values is 0 or 1 for classes ("nominal") and
    their squared difference for numbers ("interval").

    None where no item has two values or where all values are equal, with a note. Full agreement
    gives 1; where every item agrees the interval is [1, 1], and a note says that it shows no
    doubt. Interval: percentile bootstrap over items, raters fixed; None without `rng`. (It is
    not Krippendorff's own, which resamples single disagreements.)

    Raises StatisticsError for values that are no finite numbers at level "interval".

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; Hayes and
    Krippendorff (2007), Communication Methods and Measures 1.
    """
    pairable = ordered({unit: count for unit, count in units.items() if len(unit) > 1})
    if not pairable:
        return Estimate(value=None, n=0, note=NO_PAIRS)
    measured = _numbers(list(pairable)) if level == "interval" else _classes(list(pairable))

    def statistic(weights: Floats) -> Floats:
        import numpy

        values = weights @ measured.sizes
        observed = weights @ measured.disagreement
        expected = measured.expected(weights)
        ratio = numpy.divide(
            (values - 1) * observed,
            expected,
            out=numpy.full(len(weights), numpy.nan),
            where=expected > 0,
        )
        found: Floats = 1 - ratio
        return found

    found = bootstrap_estimate(
        pairable.values(), statistic, undefined=ONE_VALUE, rng=rng, resamples=resamples
    )
    return with_doubt_noted(found, all_agree=not measured.disagreement.any())


def units_of(raters: Sequence[Mapping[Item, Hashable]]) -> Counter[tuple[Hashable, ...]]:
    """Units out of each rater's values by item; who gave which value does not matter."""
    items = {item: None for rater in raters for item in rater}
    return Counter(
        tuple(sorted((rater[item] for rater in raters if item in rater), key=repr))
        for item in items
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """What alpha needs to know of each unit; all sums are linear in the units' numbers."""

    sizes: Floats
    """Values in the unit."""
    disagreement: Floats
    """Sum over ordered pairs of its values, divided by its size less one."""
    expected: _Expected


class _Expected:
    """Sum of the disagreements of all ordered pairs of values, across units, by resample."""

    def __call__(self, weights: Floats) -> Floats:
        raise NotImplementedError


class _OfClasses(_Expected):
    """N² - sum of n_k² for classes that occur n_k times among N values."""

    def __init__(self, units: Sequence[tuple[Hashable, ...]]) -> None:
        import numpy

        names = sorted({value for unit in units for value in unit}, key=repr)
        number = {name: place for place, name in enumerate(names)}
        self._size = len(names)
        self._columns = numpy.array([u for u, unit in enumerate(units) for _ in unit])
        self._classes = numpy.array([number[value] for unit in units for value in unit])

    def __call__(self, weights: Floats) -> Floats:
        totals = sums_by_class(weights[:, self._columns], self._classes, self._size)
        found: Floats = totals.sum(axis=1) ** 2 - (totals**2).sum(axis=1)
        return found


class _OfNumbers(_Expected):
    """2 (N sum of x² - (sum of x)²)."""

    def __init__(self, units: Sequence[tuple[float, ...]]) -> None:
        import numpy

        self._sizes = numpy.array([float(len(unit)) for unit in units])
        self._sums = numpy.array([sum(unit) for unit in units])
        self._squares = numpy.array([sum(x * x for x in unit) for unit in units])
        self._varies = numpy.array([len(set(unit)) > 1 for unit in units])
        self._values = numpy.array([unit[0] for unit in units])

    def __call__(self, weights: Floats) -> Floats:
        import numpy

        n, sums, squares = (weights @ part for part in (self._sizes, self._sums, self._squares))
        found: Floats = 2 * (n * squares - sums**2)
        # Rounding leaves crumbs where all drawn values are equal.
        drawn = weights > 0
        highest = numpy.where(drawn, self._values, -numpy.inf).max(axis=1)
        lowest = numpy.where(drawn, self._values, numpy.inf).min(axis=1)
        is_constant = (highest == lowest) & ~(drawn & self._varies).any(axis=1)
        return numpy.where(is_constant, 0.0, found)


def _classes(units: Sequence[tuple[Hashable, ...]]) -> _Measured:
    return _measured(units, [sum(a != b for a, b in combinations(u, 2)) for u in units])


def _numbers(units: Sequence[tuple[Hashable, ...]]) -> _Measured:
    import math

    checked: list[tuple[float, ...]] = []
    for unit in units:
        numbers = tuple(float(x) for x in unit if isinstance(x, int | float))
        if len(numbers) != len(unit) or not all(map(math.isfinite, numbers)):
            raise StatisticsError(f"{unit!r} holds what is no finite number")
        checked.append(numbers)
    # About their mean, so that large values with small differences keep their digits.
    centre = math.fsum(x for unit in checked for x in unit) / sum(map(len, checked))
    moved = [tuple(x - centre for x in unit) for unit in checked]
    apart = [math.fsum((a - b) ** 2 for a, b in combinations(u, 2)) for u in moved]
    return _measured(moved, apart, _OfNumbers(moved))


def _measured(
    units: Sequence[tuple[Hashable, ...]],
    apart: Sequence[float],
    expected: _Expected | None = None,
) -> _Measured:
    import numpy

    sizes = numpy.array([float(len(unit)) for unit in units])
    disagreement = 2 * numpy.array(apart, dtype=numpy.float64) / (sizes - 1)
    return _Measured(sizes, disagreement, expected or _OfClasses(units))
