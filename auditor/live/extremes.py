"""The rows at both ends of a range: the occupations with most and fewest men, for example."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.text import Text

from auditor.live import figures
from auditor.live.entries import Entry, Figure, entry_lines, fits_beside
from auditor.live.glyphs import Glyphs
from auditor.live.ranges import Range
from auditor.protocols.base import StatisticRow

_BETWEEN = 4
"""Blanks between both ends where they stand beside each other."""
_FIGURES = (
    Figure(key="value", head="value", label=""),
    Figure(key="interval", head="95 % interval", right=False, label=""),
    Figure(key="n", head="n"),
)


def both_ends(found: Range, top: int) -> tuple[list[StatisticRow], list[StatisticRow]]:
    """The `top` highest and lowest rows, from the end inwards; a row stands at one end only.

    Rows without a value are left out; of equal ones the last by name stand at the low end, and of
    an odd number that has room the middle one at the high end.
    """
    known = sorted(
        (row for row in found.rows if row.value is not None),
        key=lambda row: (-(row.value or 0.0), _item(row, found.over)),
    )
    low = min(top, len(known) // 2)
    return known[: min(top, len(known) - low)], known[len(known) - low :][::-1]


def extreme_lines(found: Range, *, top: int, width: int, glyphs: Glyphs) -> list[Text]:
    """Both ends of a range, side by side where there is room; an end without a row is not named."""
    high, low = (
        [_entry(row, found.over, glyphs) for row in rows] for rows in both_ends(found, top)
    )
    if not high:
        return [glyphs.text(("no value", "dim"))]
    if not low:
        lines = entry_lines("highest", _FIGURES, high, width, glyphs)
        return _titled("highest", lines, glyphs)
    return beside([("highest", high), ("lowest", low)], _FIGURES, width, glyphs)


def beside(
    sides: Sequence[tuple[str, Sequence[Entry]]],
    columns: Sequence[Figure],
    width: int,
    glyphs: Glyphs,
) -> list[Text]:
    """Two tables of (title, entries): side by side where both fit, else one below the other."""
    (first_title, first), (second_title, second) = sides
    left = entry_lines(first_title, columns, first, width, glyphs)
    right = entry_lines(second_title, columns, second, width, glyphs)
    if not all(fits_beside(title, columns, entries, width) for title, entries in sides):
        return [*_titled(first_title, left, glyphs), *_titled(second_title, right, glyphs)]
    reach = max((line.cell_len for line in left), default=0) + _BETWEEN
    if reach + max((line.cell_len for line in right), default=0) > width:
        return [*left, *right]
    return [
        Text.assemble(one, " " * (reach - one.cell_len), other, no_wrap=True)
        for one, other in zip_longest(left, right, fillvalue=Text())
    ]


def _titled(title: str, lines: list[Text], glyphs: Glyphs) -> list[Text]:
    """Rows that stand above their figures have no heads, and so no title yet."""
    has_title = bool(lines) and lines[0].plain.startswith(title)
    return lines if has_title else [glyphs.text((title, "dim")), *lines]


def _entry(row: StatisticRow, over: Sequence[str], glyphs: Glyphs) -> Entry:
    cells = {
        "value": glyphs.text(figures.figure(row.value)),
        "interval": glyphs.text((figures.interval(row.ci_low, row.ci_high), "dim")),
        "n": glyphs.text(figures.count(row.n)),
    }
    known = {key: cell for key, cell in cells.items() if cell.plain}
    return Entry(name=glyphs.text(_item(row, over)), figures=known)


def _item(row: StatisticRow, over: Sequence[str]) -> str:
    return ", ".join(str(row.group[name]) for name in over)
