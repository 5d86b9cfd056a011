"""Agreement of two raters on classes, beyond what chance alone would give.

Items are given as pairs: (class by the first rater, class by the second) to the number of items
that both classed so. Items that one of them did not class do not belong in. Conventions at the
edges, for both coefficients: no items, or one class that both gave to every item, leave nothing
to compare with chance, and the value is None with a note; a rater who gives one class to every
item while the other does not has a kappa of exactly 0; values below 0 mean less agreement than
by chance. Where every item agrees, each resample does, so that the interval is [1, 1]: a note
says that it shows no doubt. Precision and recall are in `confusion`, several raters in
`krippendorff`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from auditor.errors import StatisticsError
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import (
    RESAMPLES,
    bootstrap_estimate,
    ordered,
    sums_by_class,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

Pair = TypeVar("Pair", bound=tuple[Hashable, Hashable])
"""(class by the first rater, class by the second)."""

NO_ITEMS = "no item was classed by both"
ONE_CLASS = "both gave one class to every item: agreement by chance is certain"
ALL_AGREE = "every item agrees: resampling them shows no doubt"


def beyond_chance(observed: float, expected: float) -> float | None:
    """(observed - expected) / (1 - expected): 1 for full agreement, 0 for that of chance.

    The form that kappa, pi and alpha share. None where `expected` is 1. Raises StatisticsError
    for shares outside [0, 1].
    """
    for value in (observed, expected):
        if not 0 <= value <= 1:
            raise StatisticsError(f"{value!r} is no share: it must lie in [0, 1]")
    return None if expected == 1 else (observed - expected) / (1 - expected)


def cohens_kappa(
    pairs: Mapping[Pair, int],
    *,
    rng: numpy.random.Generator | None = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Cohen's kappa: chance agreement from each rater's own shares of the classes.

    Unweighted. Interval: percentile bootstrap over items, raters fixed; None without `rng`.

    Source: Cohen (1960), Educational and Psychological Measurement 20.
    """

    def by_chance(first: Floats, second: Floats) -> Floats:
        chance: Floats = (first * second).sum(axis=1)
        return chance

    return _coefficient(pairs, by_chance, rng, resamples)


def scotts_pi(
    pairs: Mapping[Pair, int],
    *,
    rng: numpy.random.Generator | None = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Scott's pi: chance agreement from the shares of the classes over both raters together.

    With K classes the chance agreement is at least 1 / K. The same as Fleiss' kappa of two
    raters. Interval: percentile bootstrap over items, raters fixed; None without `rng`.

    Source: Scott (1955), Public Opinion Quarterly 19; SPAGBias (arXiv 2604.14672), Appendix D.
    """

    def by_chance(first: Floats, second: Floats) -> Floats:
        chance: Floats = ((first + second) ** 2).sum(axis=1) / 4
        return chance

    return _coefficient(pairs, by_chance, rng, resamples)


def with_doubt_noted(estimate: Estimate, *, all_agree: bool) -> Estimate:
    """The estimate with a note where all items agree and the interval is a point for that."""
    if not all_agree or estimate.ci_low is None or estimate.note is not None:
        return estimate
    return replace(estimate, note=ALL_AGREE)


def _coefficient(
    pairs: Mapping[Pair, int],
    by_chance: Callable[[Floats, Floats], Floats],
    rng: numpy.random.Generator | None,
    resamples: int,
) -> Estimate:
    import numpy

    items = ordered(pairs)
    if not items:
        return Estimate(value=None, n=0, note=NO_ITEMS)
    names = sorted({name for pair in items for name in pair}, key=repr)
    number = {name: place for place, name in enumerate(names)}
    first = numpy.array([number[a] for a, _ in items])
    second = numpy.array([number[b] for _, b in items])
    agreeing = first == second

    def statistic(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        chance = by_chance(
            sums_by_class(weights, first, len(names)), sums_by_class(weights, second, len(names))
        )
        # Counts, not shares: whole numbers are exact, so that one class gives exactly 0 / 0.
        above = n * weights[:, agreeing].sum(axis=1) - chance
        room = n * n - chance
        found: Floats = numpy.full(len(n), numpy.nan)
        numpy.divide(above, room, out=found, where=room > 0)
        return found

    found = bootstrap_estimate(
        items.values(), statistic, undefined=ONE_CLASS, rng=rng, resamples=resamples
    )
    return with_doubt_noted(found, all_agree=bool(agreeing.all()))
