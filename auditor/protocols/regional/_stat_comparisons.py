"""Scores out of one setting's comparisons: who won, who was shown first, who won twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.protocols.regional._stat_choices import (
    FIRST,
    NOBODY,
    SECOND,
    Comparisons,
    Pairs,
    paired,
)
from auditor.protocols.regional._stat_doubt import RESAMPLES, Items, generator
from auditor.protocols.regional._stat_scores import Scores
from auditor.statistics import resampled_totals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


MOST_VALUES = 4_000_000
"""32 MB."""
_OVERALL = 4
"""Columns that are not a region's."""


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of n, with the same of every resample."""

    count: int
    n: int
    resampled: Floats
    """NaN where a resample has no case."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the comparisons of one task in one language come to."""

    scores: Scores
    first_wins: Share
    """Comparisons that the one shown first won, out of those with a winner."""
    same_wins: Share
    """Repetitions in which one region won in both orders, out of those with two winners."""
    items: Items
    """Pairs."""
    wins: Integers
    """(regions, regions): comparisons with the row's region first that it won."""
    losses: Integers


def setting_of(
    comparisons: Comparisons,
    places: Sequence[int],
    regions: Sequence[str],
    item: str,
    *,
    most_values: int = MOST_VALUES,
) -> Setting:
    """Everything that one setting gives; `item` names the draws.

    `places` gives a region's place among `regions` by its number. At most about `most_values`
    numbers are held at once, however many repetitions there are.
    """
    import numpy as np

    n = len(regions)
    pairs = paired(comparisons, places)
    observed, drawn = _totals(pairs, n, generator(item), most_values)
    won, valid, first_won, winners, same_won, both = _parts(observed, n)
    drawn_won, drawn_valid, drawn_first, drawn_winners, drawn_same, drawn_both = _parts(drawn, n)
    single = pairs.sizes == 1
    return Setting(
        scores=Scores(
            regions=tuple(regions),
            values=_quotient(won, valid),
            n=valid.astype(np.int64),
            resampled=_quotient(drawn_won, drawn_valid),
            items=_of_regions(pairs, np.ones(len(single), dtype=bool), n),
            single=_of_regions(pairs, single, n),
        ),
        first_wins=Share(int(first_won), int(winners), _quotient(drawn_first, drawn_winners)),
        same_wins=Share(int(same_won), int(both), _quotient(drawn_same, drawn_both)),
        items=Items(len(single), int(single.sum())),
        wins=_table(pairs, n, FIRST),
        losses=_table(pairs, n, SECOND),
    )


def _totals(
    pairs: Pairs, regions: int, rng: np.random.Generator, most_values: int
) -> tuple[Floats, Floats]:
    """Totals of `_columns`, observed and of every resample; some pairs at a time."""
    import numpy as np

    columns = 2 * regions + _OVERALL
    observed, drawn = np.zeros(columns), np.zeros((RESAMPLES, columns))
    at_once = max(1, most_values // (columns * max(1, pairs.codes.shape[1])))
    for start in range(0, len(pairs.sizes), at_once):
        part = pairs.part(slice(start, start + at_once))
        values = _columns(part, regions)
        observed += values.sum(axis=(0, 1))
        drawn += resampled_totals(values, part.sizes, rng=rng, resamples=RESAMPLES)
    return observed, drawn


def _columns(pairs: Pairs, regions: int) -> Floats:
    """What each repetition of a pair adds: (pairs, slots, columns).

    The columns are the comparisons won by each region, those of each region that have a winner,
    and then, over all: won by the first, with a winner, won by one region in both orders, with
    a winner in both orders.
    """
    import numpy as np

    low_first, high_first = pairs.codes[:, :, 0], pairs.codes[:, :, 1]
    low_won = (low_first == FIRST).astype(float) + (high_first == SECOND)
    high_won = (low_first == SECOND).astype(float) + (high_first == FIRST)
    both = (low_first > NOBODY) & (high_first > NOBODY)
    found = np.zeros((*low_first.shape, 2 * regions + _OVERALL))
    places = np.arange(len(low_first))
    found[places, :, pairs.low] = low_won
    found[places, :, pairs.high] = high_won
    found[places, :, regions + pairs.low] = low_won + high_won
    found[places, :, regions + pairs.high] = low_won + high_won
    found[:, :, -4] = (low_first == FIRST).astype(float) + (high_first == FIRST)
    found[:, :, -3] = low_won + high_won
    found[:, :, -2] = both & (low_first != high_first)
    found[:, :, -1] = both
    return found


def _parts(totals: Floats, regions: int) -> tuple[Floats, ...]:
    """The columns apart: two blocks of regions, then four single ones."""
    blocks = totals[..., :regions], totals[..., regions : 2 * regions]
    return (*blocks, *(totals[..., place] for place in (-4, -3, -2, -1)))


def _of_regions(pairs: Pairs, chosen: NDArray[np.bool_], regions: int) -> Integers:
    """Chosen pairs of each region."""
    import numpy as np

    ends = np.concatenate([pairs.low[chosen], pairs.high[chosen]])
    return np.bincount(ends, minlength=regions).astype(np.int64)


def _quotient(count: Floats, n: Floats) -> Floats:
    import numpy as np

    found: Floats = np.divide(count, n, out=np.full(count.shape, np.nan), where=n > 0)
    return found


def _table(pairs: Pairs, regions: int, code: int) -> Integers:
    import numpy as np

    table = np.zeros((regions, regions), dtype=np.int64)
    counts = (pairs.codes == code).sum(axis=1)
    table[pairs.low, pairs.high] = counts[:, 0]
    table[pairs.high, pairs.low] = counts[:, 1]
    return table
