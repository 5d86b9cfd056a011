"""What `spatial.explicit` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.spatial_explicit._stat_across import across
from auditor.protocols.spatial_explicit._stat_conditions import condition_rows
from auditor.protocols.spatial_explicit._stat_counts import Counts, count_cells
from auditor.protocols.spatial_explicit._stat_headlines import headlines
from auditor.protocols.spatial_explicit._stat_robustness import robustness_rows
from auditor.protocols.spatial_explicit._stat_rows import SpaceRows
from auditor.protocols.spatial_explicit._stat_tests import NULL_LEVEL

if TYPE_CHECKING:
    from auditor.protocols.spatial_explicit.params import SpatialExplicitParams

__all__ = ["across", "headlines", "statistics"]


def statistics(
    target: str,
    cells: Iterable[CellRecord],
    params: SpatialExplicitParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target: overall rates, then by condition and space, then robustness.

    `cells` is passed over once and only counts are kept, so memory grows with the number of
    cells and not of trials. Without a response there are the overall rates only, null with a
    note. Raises StatisticsError for an annotation value that the task does not allow.
    """
    del materials
    null_level = NULL_LEVEL if params is None else params.null_level
    table = count_cells(cells)
    rows = SpaceRows(target)
    everything = (counts for spaces in table.values() for counts in spaces.values())
    yield from rows.rates({}, Counts.total(everything))
    for condition, spaces in table.items():
        yield from condition_rows(rows, condition, spaces, null_level)
    yield from robustness_rows(rows, table, null_level)
