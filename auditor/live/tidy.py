"""Statistics as they are: a row of the result table each, by target and statistic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Column, grid
from auditor.live.entries import Entry, Figure, entry_lines
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_FIGURES = (
    Figure(key="value", head="value", label=""),
    Figure(key="interval", head="95 % interval", right=False, label=""),
    Figure(key="p", head="p"),
    Figure(key="n", head="n"),
    Figure(key="note", head="", right=False),
)
_TITLE = "statistic"
_COUNTS = frozenset(
    (
        "bias_consistency",
        "dc_ties",
        "domain_binomial",
        "excellent_dc",
        "excellent_mae",
        "pairs_left_out",
        "reward_label",
        "unread_stories",
    )
)
_COUNT_ENDINGS = ("_spaces", "_count", "_dominant")


class _Found(Protocol):
    """A row of the result table, or several in one."""

    @property
    def target(self) -> str: ...
    @property
    def statistic(self) -> str: ...
    @property
    def group(self) -> Mapping[str, JSON]: ...


_Item = TypeVar("_Item", bound=_Found)


def tidy_lines(
    rows: Sequence[StatisticRow],
    *,
    name_of: Callable[[str], Text],
    notes: Footnotes,
    width: int,
    glyphs: Glyphs,
    but: Collection[str] = (),
) -> list[Text]:
    """Every row, cut nowhere: a line each with its group in a column where that fits.

    Else the groups stand below their statistic's name. Rows keep their order, but those of one
    statistic stand together. `name_of` gives the heading of a target; `but` names factors that
    groups do not show, since their level has been said.
    """
    cells = {id(row): row_figures(row, notes, glyphs) for row in rows}
    lines = _level(rows, cells, name_of, but, glyphs)
    if lines and max(line.cell_len for line in lines) <= width:
        return lines
    entries = grouped_entries(
        rows, name_of=name_of, figures_of=lambda row: cells[id(row)], but=but, glyphs=glyphs
    )
    return entry_lines(_TITLE, _FIGURES, entries, width, glyphs)


def grouped_entries(
    found: Iterable[_Item],
    *,
    name_of: Callable[[str], Text],
    figures_of: Callable[[_Item], Mapping[str, Text]],
    but: Collection[str],
    glyphs: Glyphs,
) -> list[Entry]:
    """Below each target's name its statistics; `name_of` and `but` as in `tidy_lines`."""
    entries = []
    for target, statistics in _grouped(found).items():
        entries.append(Entry(name=name_of(target)))
        for statistic, members in statistics.items():
            figures_by_group = [(group_text(each.group, but), figures_of(each)) for each in members]
            entries += _of_statistic(statistic, figures_by_group, glyphs)
    return entries


def _grouped(found: Iterable[_Item]) -> dict[str, dict[str, list[_Item]]]:
    """By target and statistic."""
    targets: dict[str, dict[str, list[_Item]]] = {}
    for each in found:
        targets.setdefault(each.target, {}).setdefault(each.statistic, []).append(each)
    return targets


def _of_statistic(
    statistic: str, members: Sequence[tuple[str, Mapping[str, Text]]], glyphs: Glyphs
) -> list[Entry]:
    """One statistic's (group, figures): in its own line where it has one, else below it."""
    if len(members) == 1:
        group, found = members[0]
        name = glyphs.text(statistic, (f"  {group}" if group else "", "dim"))
        return [Entry(name=name, indent=2, figures=found)]
    heading = Entry(name=glyphs.text(statistic), indent=2)
    return [
        heading,
        *(
            Entry(name=glyphs.text((group or "overall", "dim")), indent=4, figures=found)
            for group, found in members
        ),
    ]


def row_figures(row: StatisticRow, notes: Footnotes, glyphs: Glyphs) -> dict[str, Text]:
    """What a row says, by column; what it does not have is absent, but for the value."""
    style = "bold" if row.value is not None else "dim"
    cells = {"value": glyphs.text((value_text(row), style))}
    if between := figures.interval(row.ci_low, row.ci_high):
        cells["interval"] = glyphs.text(between)
    if row.p_value is not None:
        cells["p"] = glyphs.text(figures.p_value(row.p_value))
    if row.n is not None:
        cells["n"] = glyphs.text(figures.count(row.n))
    if row.note is not None:
        cells["note"] = glyphs.text((notes.mark(row.note), "dim"))
    return cells


def group_text(group: Mapping[str, JSON], but: Collection[str] = ()) -> str:
    """Factor levels as "prompt 1, temperature 0.7", but for some; empty for an overall figure."""
    return ", ".join(f"{name} {level}" for name, level in group.items() if name not in but)


def value_text(row: StatisticRow) -> str:
    """A row's value: whole for statistics that count, three places for the others."""
    counts = row.statistic in _COUNTS or row.statistic.endswith(_COUNT_ENDINGS)
    if counts and row.value is not None and row.value.is_integer():
        return figures.count(row.value)
    return figures.figure(row.value)


def _level(
    rows: Sequence[StatisticRow],
    cells: Mapping[int, Mapping[str, Text]],
    name_of: Callable[[str], Text],
    but: Collection[str],
    glyphs: Glyphs,
) -> list[Text]:
    """A line a row, as wide as they are."""
    columns = [
        Column(key="statistic", priority=0, right=False),
        Column(key="group", priority=0, right=False),
        *(Column(key=figure.key, priority=0, right=figure.right) for figure in _FIGURES),
    ]
    found: list[dict[str, Text]] = []
    for target, statistics in _grouped(rows).items():
        found.append({"statistic": name_of(target)})
        for statistic, members in statistics.items():
            for row in members:
                line = {"statistic": glyphs.text(f"  {statistic}"), **cells[id(row)]}
                if group := group_text(row.group, but):
                    line["group"] = glyphs.text((group, "dim"))
                found.append(line)
    used = {key for line in found for key in line}
    heads = {"statistic": _TITLE, "group": "group"} | {f.key: f.head for f in _FIGURES}
    head = {key: glyphs.text((text, "dim")) for key, text in heads.items() if key in used}
    return grid(columns, [head, *found], _ANY_WIDTH, glyphs)


_ANY_WIDTH = 100_000
