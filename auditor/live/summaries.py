"""Which rows stand in a protocol's overview: what the protocol declares, or all summed up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.live.ranges import Range
from auditor.protocols import spatial_corpus
from auditor.protocols.additions import is_summarised
from auditor.protocols.base import StatisticRow, Summary
from auditor.types import JSON

_JUDGES = ("judge", "source")
"""May stand in any group, and always tell rows apart."""
_FEW = 3
"""So many rows of one statistic and target stand for themselves where nothing is declared."""


_Item = TypeVar("_Item", StatisticRow, Range)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What an overview shows, the most telling first."""

    rows: Sequence[StatisticRow]
    """A line each."""
    ranges: Sequence[Range]
    """Many rows a line."""
    ends: Sequence[Range]
    """Of these, the ones whose rows at either end are shown as well."""

    @property
    def common(self) -> dict[str, JSON]:
        """Levels that all have whose group holds the factor, where those are several.

        None where two lines would look alike without them.
        """
        groups = [*(row.group for row in self.rows), *(each.group for each in self.ranges)]
        levels: dict[str, list[JSON]] = {}
        for group in groups:
            for name, level in group.items():
                levels.setdefault(name, []).append(level)
        found = {
            name: each[0]
            for name, each in levels.items()
            if len(each) > 1 and len(set(map(canonical_json, each))) == 1
        }
        return found if _told_apart(self.rows, found) and _told_apart(self.ranges, found) else {}

    @property
    def least_lines(self) -> int:
        """Lines that it takes at least."""
        return len(self.rows) + len(self.ranges)

    def without_ends(self) -> Chosen:
        """Without the ranges whose ends are shown, which say more."""
        return replace(self, ranges=[each for each in self.ranges if each not in self.ends])

    def first(self, most: int) -> Chosen:
        """At most so many lines, of which ranges have their share."""
        rows = _leading(self.rows, max(most - len(self.ranges), -(-2 * most // 3)))
        return replace(self, rows=rows, ranges=_leading(self.ranges, most - len(rows)))


def _told_apart(lines: Sequence[StatisticRow] | Sequence[Range], but: Collection[str]) -> bool:
    """Whether all lines differ without the levels of these factors."""
    seen = {
        (
            line.target,
            line.statistic,
            canonical_json({name: level for name, level in line.group.items() if name not in but}),
        )
        for line in lines
    }
    return len(seen) == len(lines)


def _leading(items: Sequence[_Item], most: int) -> Sequence[_Item]:
    """The first items, a statistic of all targets or of none, as far as that leaves any."""
    if len(items) <= most:
        return items
    place = most
    while place > 0 and items[place - 1].statistic == items[place].statistic:
        place -= 1
    return items[: place or most]


def declared(protocol: str) -> Sequence[Summary] | None:
    """What a protocol says its overview holds; None where it says nothing or is not there."""
    if protocol == spatial_corpus.NAME:  # counted, not asked: no spec names it
        return spatial_corpus.OVERVIEW
    try:
        found = protocols.get(protocol)
    except UsageError:  # of an outside package that is gone: its figures are still worth seeing
        return None
    return found.overview if is_summarised(found) else None


def chosen(rows: Sequence[StatisticRow], summaries: Sequence[Summary] | None) -> Chosen:
    """The rows and ranges of one protocol's overview.

    A range of one row is a row. Without declarations a statistic with few rows shows them, one
    with many is a range over all factors in which they differ.
    """
    if summaries is None:
        return _undeclared(rows)
    singles: list[StatisticRow] = []
    ranges: list[Range] = []
    ends: list[Range] = []
    by_statistic: dict[str, list[StatisticRow]] = {}
    for row in rows:
        by_statistic.setdefault(row.statistic, []).append(row)
    for summary in summaries:
        mine = [row for row in by_statistic.get(summary.statistic, ()) if _is_in(summary, row)]
        if not summary.over:
            singles += mine
            continue
        for found in _ranges(mine, summary.over):
            if len(found.rows) == 1:
                singles += found.rows
                continue
            ranges.append(found)
            if summary.ends:
                ends.append(found)
    return Chosen(rows=singles, ranges=ranges, ends=ends)


def _is_in(summary: Summary, row: StatisticRow) -> bool:
    names = row.group.keys()
    allowed = {*summary.by, *summary.over, *summary.where, *_JUDGES}
    return (
        names <= allowed
        and names >= set(summary.over)
        and all(row.group.get(name) == level for name, level in summary.where.items())
    )


def _ranges(rows: Sequence[StatisticRow], over: tuple[str, ...]) -> list[Range]:
    found: dict[tuple[str, str], tuple[Mapping[str, JSON], list[StatisticRow]]] = {}
    for row in rows:
        group = {name: level for name, level in row.group.items() if name not in over}
        _, members = found.setdefault((row.target, canonical_json(group)), (group, []))
        members.append(row)
    return [
        Range(
            target=target,
            statistic=members[0].statistic,
            group=group,
            over=over,
            rows=members,
        )
        for (target, _), (group, members) in found.items()
    ]


def _undeclared(rows: Sequence[StatisticRow]) -> Chosen:
    kinds: dict[tuple[str, str, tuple[str, ...]], list[StatisticRow]] = {}
    for row in rows:
        kinds.setdefault((row.target, row.statistic, tuple(row.group)), []).append(row)
    singles: list[StatisticRow] = []
    ranges: list[Range] = []
    for (_, _, names), members in kinds.items():
        if len(members) <= _FEW or not names:
            singles += members
            continue
        over = tuple(
            name
            for name in names
            if name not in _JUDGES and len({canonical_json(row.group[name]) for row in members}) > 1
        )
        ranges += _ranges(members, over) if over else []
        singles += [] if over else members
    return Chosen(rows=singles, ranges=ranges, ends=())
