"""Whether two raters' numbers go together, whatever their units.

Items are given as pairs: (number by the first rater, number by the second) to the number of items
with these two. Correlation does not see a bias: a judge that gives one point more throughout
correlates fully (see `closeness` for that). None, with a note, where either rater gives one number
to every item, for fewer than three items, since two always lie on a line, and without items.
Numbers that are equal to nine decimals are tied.

Intervals: percentile bootstrap over items, raters fixed; None without `rng`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from auditor.statistics.closeness import NO_NUMBERS, NumberPairs
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import RESAMPLES, bootstrap_estimate, ordered
from auditor.statistics.rank import LEAST_ITEMS
from auditor.statistics.rounding import tied

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Correlation = Callable[[Floats, Floats, Any], Floats]
    """From both raters' numbers (kinds,) and weights (resamples, kinds) to (resamples,)."""

NO_VARIATION = "one of the two gave one number to every item: there is nothing to correlate"
TOO_FEW = "fewer than three items with a number by both: two always lie on a line"


def pearson_of(
    pairs: NumberPairs, *, rng: numpy.random.Generator | None = None, resamples: int = RESAMPLES
) -> Estimate:
    """Pearson's r of the items' numbers; as scipy's `pearsonr` on the items one by one."""
    from auditor.statistics.correlation import resampled_pearson

    return _estimate(pairs, resampled_pearson, rng, resamples)


def spearman_of(
    pairs: NumberPairs, *, rng: numpy.random.Generator | None = None, resamples: int = RESAMPLES
) -> Estimate:
    """Spearman's rho: Pearson's r of the ranks, ties at their mean rank; as scipy's `spearmanr`.

    Resamples are ranked anew.
    """
    return _estimate(pairs, _weighted_spearman, rng, resamples)


def _estimate(
    pairs: NumberPairs,
    correlation: Correlation,
    rng: numpy.random.Generator | None,
    resamples: int,
) -> Estimate:
    import numpy

    items = ordered(pairs)
    if 0 < (n := sum(items.values())) < LEAST_ITEMS:
        return Estimate(value=None, n=n, note=TOO_FEW)
    first, second = tied(numpy.array(list(items)).reshape(-1, 2)).T
    return bootstrap_estimate(
        items.values(),
        lambda weights: correlation(first, second, weights),
        undefined=NO_VARIATION if items else NO_NUMBERS,
        rng=rng,
        resamples=resamples,
    )


def _weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    import numpy

    ranks_x, ranks_y = _centred_ranks(x, weights), _centred_ranks(y, weights)
    weighted = weights * ranks_x
    room = numpy.einsum("ij,ij->i", weighted, ranks_x)
    together = numpy.einsum("ij,ij->i", weighted, ranks_y)
    numpy.multiply(weights, ranks_y, out=weighted)
    room *= numpy.einsum("ij,ij->i", weighted, ranks_y)
    found: Floats = numpy.full(len(weights), numpy.nan)
    # Ranks of tied items are their mean exactly, so that no variation is exactly zero.
    numpy.divide(together, numpy.sqrt(room), out=found, where=room > 0)
    return numpy.clip(found, -1.0, 1.0)


def _centred_ranks(values: Floats, weights: Floats) -> Floats:
    """The mean rank of each kind among all items of a resample less that of all of them."""
    import numpy

    _, place = numpy.unique(values, return_inverse=True)
    order = numpy.argsort(place, kind="stable")
    starts = numpy.flatnonzero(numpy.diff(place[order], prepend=-1))
    alike = numpy.add.reduceat(weights[:, order], starts, axis=1)
    below = numpy.cumsum(alike, axis=1)
    n = below[:, -1:]
    ranks: Floats = (below - (alike + n) / 2)[:, place]
    return ranks
