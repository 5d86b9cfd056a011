"""What `stories` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.rows import Rows, pending_note
from auditor.protocols.stories._stat_across import PROTOCOL, across
from auditor.protocols.stories._stat_benchmarks import benchmark_rows
from auditor.protocols.stories._stat_counts import Counts, count_cells
from auditor.protocols.stories._stat_headlines import headlines
from auditor.protocols.stories._stat_shares import dominance_rows, occupation_rows, overall_rows
from auditor.protocols.stories.occupations import DOMINANCE, all_occupations

if TYPE_CHECKING:
    from auditor.protocols.stories.params import StoriesParams

__all__ = ["across", "headlines", "statistics"]


def statistics(
    target: str,
    cells: Iterable[CellRecord],
    params: StoriesParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target: pooled figures, the benchmarks, then occupation by occupation.

    `cells` is passed over once and only counts are kept. Without a response the pooled figures
    are null with a note. Raises StatisticsError for a gender that the task does not allow, and
    UsageError for a table of occupations that is wrong.
    """
    occupations = all_occupations(materials)
    threshold = DOMINANCE if params is None else params.dominance
    table = count_cells(cells)
    whole = Counts.total(table.values())
    pending = pending_note(whole.pending, whole.responses)
    rows = Rows(PROTOCOL, target)
    yield from overall_rows(rows, table)
    yield from benchmark_rows(rows, table, occupations, pending)
    names = {occupation: (counts.male, counts.female) for occupation, counts in table.items()}
    yield from dominance_rows(rows, names, threshold, pending)
    yield from occupation_rows(rows, table)
