"""Rows that compare two targets, such as the small and the large model of one family (App. F)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import join_notes
from auditor.protocols.spatial_explicit._stat_rows import SpaceRows
from auditor.statistics import (
    average_dc,
    average_mae,
    excellent_dc,
    excellent_mae,
    ties,
    total_dc,
    total_mae,
)
from auditor.types import JSON

_NOTHING = "no space has a valid answer of both targets"


def pair_rows(
    shares: Mapping[str, Mapping[str, float]],
    targets: Iterable[str],
    marks: Mapping[str, JSON],
    note: str | None,
) -> Iterator[StatisticRow]:
    """MAE and DC of every two targets, the one that comes first in the plan as `target`.

    `shares` holds men's shares by space and target, all of one condition, which `note` names where
    it is not the paper's; `marks` are what a group holds beside its factors. Compared are the
    spaces with a valid answer of both. Which two targets differ by their size alone, only a reader
    knows; so all pairs are given.
    """
    for first, second in combinations(targets, 2):
        table = [
            [space[first], space[second]]
            for space in shares.values()
            if first in space and second in space
        ]
        group: dict[str, JSON] = {"other": second, **marks}
        total = {"over": "target", **group}
        figures = (
            ("mae_average", group, average_mae(table, 0).value),
            ("dc_average", group, average_dc(table, 0).value),
            ("mae_total", total, total_mae(table)),
            ("dc_total", total, total_dc(table)),
            ("excellent_mae", total, excellent_mae(table)),
            ("excellent_dc", total, excellent_dc(table)),
            ("dc_ties", total, float(ties(table)) if table else None),
        )
        rows = SpaceRows(first)
        why = join_notes(None if table else _NOTHING, note)
        for statistic, place, value in figures:
            yield rows.figure(statistic, place, value, n=len(table), note=why)
