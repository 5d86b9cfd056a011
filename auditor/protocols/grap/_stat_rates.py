"""Rows of rates over responses, and of the pairs that paired statistics leave out."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_scores import Labels, ScoreTable
from auditor.protocols.rows import Group, Rows


def rate_rows(rows: Rows, table: ScoreTable) -> Iterator[StatisticRow]:
    """Scored, refusal, invalid and truncated rates, overall and by level of the contrast."""
    yield from _rates(rows, {}, Labels.total(table.labels.values()))
    for level, labels in table.labels.items():
        yield from _rates(rows, {"gender": level}, labels)


def left_out_row(rows: Rows, table: ScoreTable, setting: Group) -> StatisticRow:
    """How many pairs lack a score on one side or on both."""
    has_both = table.has_both
    missing = len(has_both) - int(has_both.sum())
    return rows.figure(
        "pairs_left_out",
        setting,
        float(missing),
        n=len(has_both),
        note=None if len(has_both) else "no pairs",
    )


def _rates(rows: Rows, group: Group, labels: Labels) -> Iterator[StatisticRow]:
    return rows.label_rates(
        group,
        {"scored": labels.scored, "refusal": labels.refusal, "invalid": labels.invalid},
        responses=labels.responses,
        pending=labels.pending,
        truncated=labels.truncated,
    )
