"""Tables of figures in which nothing is cut: where a line is too narrow, rows take several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from auditor.live.columns import GAP
from auditor.live.glyphs import Glyphs

_LEAST_NAME = 20
"""Cells that a name must have beside its figures; where it has fewer, it stands above them."""
_JOINTS = "_-/,"
"""A word that is longer than a line is broken after one of these, if it holds one."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One column of figures."""

    key: str
    head: str
    right: bool = True
    label: str | None = None
    """Stands before the figure where it has no head above it; None: the head; empty: nothing."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A name with its figures, or a heading without any."""

    name: Text
    indent: int = 0
    figures: Mapping[str, Text] = field(default_factory=dict)


def entry_lines(
    title: str, columns: Sequence[Figure], entries: Sequence[Entry], width: int, glyphs: Glyphs
) -> list[Text]:
    """Lines of at most `width` cells that hold every name and every figure whole.

    Figures stand in columns under their heads, `title` over the names, as long as the names have
    room beside them, on several lines if need be. Else each name stands above its figures, which
    then bear their heads themselves. Columns without a figure are left out.
    """
    used = [column for column in columns if any(column.key in e.figures for e in entries)]
    widths = {column.key: _width(column, entries) for column in used}
    widest = max((e.indent + e.name.cell_len for e in entries if e.figures), default=0)
    widest = max(widest, cell_len(title) if used else 0)
    room = width - sum(widths.values()) - GAP * len(widths)
    if room < min(widest, _LEAST_NAME):
        return [line for e in entries for line in _stacked(e, used, width, glyphs)]
    room = min(room, widest)
    head = _line(glyphs.text((title, "dim")), room, _heads(used, glyphs), used, widths)
    lines = [head] if head.plain else []
    for entry in entries:
        if not entry.figures:
            lines += indented(broken(entry.name, max(1, width - entry.indent)), entry.indent)
            continue
        first, *more = indented(broken(entry.name, max(1, room - entry.indent)), entry.indent)
        lines += [_line(first, room, entry.figures, used, widths), *more]
    return lines


def fits_beside(
    title: str, columns: Sequence[Figure], entries: Sequence[Entry], width: int
) -> bool:
    """Whether every entry with figures takes one line of `entry_lines`."""
    used = [column for column in columns if any(column.key in e.figures for e in entries)]
    names = [e.indent + e.name.cell_len for e in entries if e.figures]
    needed = max([cell_len(title), *names]) + sum(GAP + _width(c, entries) for c in used)
    return needed <= width


def broken(text: Text, width: int) -> list[Text]:
    """`text` in lines of at most `width` cells, broken between words.

    A word that is longer than a line is broken at a joint ("_", "-", "/", ","), else anywhere.
    """
    plain = text.plain
    breaks: list[int] = []
    start = cells = 0
    for place, character in enumerate(plain):
        cells += cell_len(character)
        if cells <= width or place == start:
            continue
        start = place + 1 if character == " " else _break(plain, start, place)
        breaks.append(start)
        cells = cell_len(plain[start : place + 1])
    lines = list(text.divide(breaks))
    for line in lines:
        line.rstrip()
        line.no_wrap = True
    return lines


def flowing(items: Sequence[Text], width: int, glyphs: Glyphs) -> list[Text]:
    """Items one after the other, as many on a line as fit; one longer than a line is broken."""
    between = glyphs.text((" · ", "dim"))
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + between.cell_len + item.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], between, item, no_wrap=True)
        else:
            lines += broken(item, width)
    return lines


def indented(lines: Sequence[Text], cells: int = 2) -> list[Text]:
    """Lines behind so many blanks."""
    blank = " " * cells
    return [Text.assemble(blank, line, no_wrap=True) for line in lines]


def _break(plain: str, start: int, place: int) -> int:
    """Where the line that began at `start` ends if it may not reach beyond `place`."""
    blank = plain.rfind(" ", start, place)
    if blank > start:
        return blank + 1
    joint = max(plain.rfind(sign, start, place) for sign in _JOINTS)
    return joint + 1 if joint > start else place


def _width(column: Figure, entries: Sequence[Entry]) -> int:
    cells = [e.figures[column.key].cell_len for e in entries if column.key in e.figures]
    return max([cell_len(column.head), *cells])


def _heads(columns: Sequence[Figure], glyphs: Glyphs) -> Mapping[str, Text]:
    return {column.key: glyphs.text((column.head, "dim")) for column in columns}


def _line(
    name: Text,
    room: int,
    figures: Mapping[str, Text],
    columns: Sequence[Figure],
    widths: Mapping[str, int],
) -> Text:
    parts: list[str | Text] = [name, " " * (room - name.cell_len)]
    for column in columns:
        content = figures.get(column.key, Text())
        blank = " " * (widths[column.key] - content.cell_len)
        parts += [" " * GAP, *((blank, content) if column.right else (content, blank))]
    line = Text.assemble(*parts, no_wrap=True)
    line.rstrip()
    return line


def _stacked(entry: Entry, columns: Sequence[Figure], width: int, glyphs: Glyphs) -> list[Text]:
    lines = indented(broken(entry.name, max(1, width - entry.indent)), entry.indent)
    items = []
    for column in columns:
        if column.key not in entry.figures:
            continue
        label = column.head if column.label is None else column.label
        lead = glyphs.text((f"{label} ", "dim")) if label else Text()
        items.append(Text.assemble(lead, entry.figures[column.key], no_wrap=True))
    indent = entry.indent + 2
    return [*lines, *indented(flowing(items, max(1, width - indent), glyphs), indent)]
