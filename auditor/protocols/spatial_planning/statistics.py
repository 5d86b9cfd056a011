"""What `spatial.planning` computes from annotations. The card defines every statistic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.rows import Rows, join_notes, pending_note
from auditor.protocols.spatial_planning._stat_counts import PlanningCounts, count_cells
from auditor.protocols.spatial_planning.facilities import MAJORITIES, ORDERS, male_facilities
from auditor.protocols.spatial_planning.labels import KINDS
from auditor.statistics import Interval
from auditor.statistics.odds_ratios import Table, odds_ratio, shifted_odds_ratio

PROTOCOL = "spatial.planning"
POOLED = "pooled"


def statistics(
    target: str, cells: Iterable[CellRecord], materials: Materials
) -> Iterator[StatisticRow]:
    """All rows of one target: rates, shares, odds ratios by order and pooled, reasons.

    Raises StatisticsError for an annotation value that its task does not allow.
    """
    counts = count_cells(cells, male_facilities(materials))
    rows = Rows(PROTOCOL, target)
    yield from _rates(rows, counts)
    tables = {order: counts.table(order) for order in ORDERS}
    pending = pending_note(counts.pending, counts.responses)
    for order, table in tables.items():
        yield from _shares(rows, order, table, pending)
        yield _ratio_row(rows, order, [table], pending)
    yield _ratio_row(rows, POOLED, list(tables.values()), pending)
    yield from _rationales(rows, counts)


def _shares(rows: Rows, order: str, table: Table, pending: str | None) -> Iterator[StatisticRow]:
    groups = ((table.a, table.a + table.b), (table.c, table.c + table.d))
    for majority, (count, n) in zip(MAJORITIES, groups, strict=True):
        yield rows.rate(
            "male_facility_share",
            {"order": order, "majority": majority},
            count,
            n,
            note=pending,
            nothing="no choice",
        )


def _ratio_row(
    rows: Rows, order: str, tables: Sequence[Table], pending: str | None
) -> StatisticRow:
    n = sum(table.n for table in tables)
    found = odds_ratio(tables)
    if found is None:
        note = join_notes(_why_nothing(tables), pending)
        return rows.figure("planning_odds_ratio", {"order": order}, None, n=n, note=note)
    bounds = Interval(found.low, found.high) if math.isfinite(found.high) else None
    row = rows.figure(
        "planning_odds_ratio",
        {"order": order},
        found.value if math.isfinite(found.value) else None,
        n=n,
        p_value=found.p_value,
        interval=bounds,
        note=join_notes(_about_zeros(tables, found.value, found.low), pending),
    )
    # An infinite odds ratio has a lower bound all the same.
    return row if bounds else replace(row, ci_low=found.low)


def _why_nothing(tables: Sequence[Table]) -> str:
    if not any(table.n for table in tables):
        return "no choice"
    if not any((t.a + t.b) and (t.c + t.d) for t in tables):
        return "choices for one majority only"
    return "one of the two facilities is never chosen, whatever the majority"


def _about_zeros(tables: Sequence[Table], value: float, low: float) -> str | None:
    """What a reader must know of empty cells; None where there are none."""
    if all(count for table in tables for count in table.cells):
        return None
    said = []
    if math.isinf(value):
        said.append(f"infinite; at least {low:.3g} by the exact interval")
    if len(tables) == 1:
        shifted = shifted_odds_ratio(tables[0])
        said.append(f"a cell is zero: {shifted:.3g} with a half added to each cell")
    else:
        silent = sum(not table.says_something for table in tables)
        said.append("a cell is zero in one of the orders")
        if silent:
            said.append(f"{silent} order says nothing of the odds ratio and carries no weight")
    return join_notes(*said)


def _rationales(rows: Rows, counts: PlanningCounts) -> Iterator[StatisticRow]:
    n = sum(counts.rationales.values())
    missing = counts.unexplained
    left_out = f"{missing} without a valid annotation left out" if missing else None
    for kind in (None, *KINDS):
        count = n - counts.rationales["none"] if kind is None else counts.rationales[kind]
        yield rows.rate(
            "rationale_rate",
            {} if kind is None else {"kind": kind},
            count,
            n,
            note=left_out,
            nothing="no valid annotation",
        )


def _rates(rows: Rows, counts: PlanningCounts) -> Iterator[StatisticRow]:
    return rows.label_rates(
        {},
        {label: counts.labels[label] for label in ("refusal", "invalid")},
        responses=counts.responses,
        pending=counts.pending,
        truncated=counts.truncated,
    )
