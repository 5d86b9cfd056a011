"""Lines that fit: columns that drop by priority, and items that flow. Nothing ever wraps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from auditor.live.glyphs import Glyphs

Cell = Text | Callable[[int], Text]
"""A text, or what draws itself into a given width."""

GAP = 2
"""Blanks between two columns."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a grid."""

    key: str
    priority: int
    """0 stays always; the column with the greatest number goes first."""
    right: bool = True
    least: int | None = None
    """Cells that it may shrink to; None: never below its widest cell."""
    most: int | None = None
    """Cells that it may grow to where its cells draw themselves."""


def grid(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Cell]],
    width: int,
    glyphs: Glyphs,
    *,
    widths: Mapping[str, int] | None = None,
) -> list[Text]:
    """One line a row, none longer than `width` cells.

    Columns without a cell in any row are left out; then the least important ones go until the
    rest fits; what is left over is given to shrinkable texts first and to bars last.
    `widths` takes what `column_widths` gave for the same rows.
    """
    widths = column_widths(columns, rows, width) if widths is None else widths
    kept = [column for column in columns if column.key in widths]
    return [crop(_line(kept, row, widths, glyphs), width, glyphs) for row in rows]


def crop(line: Text, width: int, glyphs: Glyphs) -> Text:
    """`line` in at most `width` cells, ending in an ellipsis where it was cut."""
    if line.cell_len <= width:
        return line
    mark = glyphs.ellipsis if width > len(glyphs.ellipsis) else ""
    cut = line.copy()
    cut.truncate(max(0, width - len(mark)), overflow="crop")
    cut.append(mark)
    return cut


def crop_middle(line: Text, width: int, glyphs: Glyphs) -> Text:
    """`line` in at most `width` cells without its middle: names differ at both ends."""
    room = width - len(glyphs.ellipsis)
    if line.cell_len <= width or room < 6:
        return crop(line, width, glyphs)
    tail_cells = room // 2
    start = len(line)
    while start > 0 and line[start - 1 :].cell_len <= tail_cells:
        start -= 1
    head = line.copy()
    head.truncate(room - line[start:].cell_len, overflow="crop")
    return Text.assemble(head, glyphs.ellipsis, line[start:], no_wrap=True)


def flow(items: Sequence[Text], width: int, glyphs: Glyphs, separator: str = " · ") -> list[Text]:
    """Items one after the other, as many on a line as fit; one too long for a line is cut."""
    between = glyphs.text((separator, "dim"))
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + between.cell_len + item.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], between, item, no_wrap=True)
        else:
            lines.append(item)
    return [crop(line, width, glyphs) for line in lines]


def wrap(text: str, width: int, *, lead: str = "", most: int = 1_000) -> list[str]:
    """`text` broken between words into lines of `width` cells, behind `lead` and its blanks.

    At most `most` lines; the last one is then longer than `width`, for the caller to cut.
    """
    blank = " " * len(lead)
    lines = [lead]
    for number, word in enumerate(text.split(" ")):
        longer = f"{lines[-1]} {word}" if number else f"{lead}{word}"
        full = cell_len(longer) > width and lines[-1] != blank and number > 0
        if full and len(lines) < most:
            lines.append(blank + word)
        else:
            lines[-1] = longer
    return lines


def ends(left: Text, right: Text, width: int) -> Text | None:
    """`left` and `right` pushed to both ends of one line, or None if they don't fit."""
    space = width - left.cell_len - right.cell_len
    if space < GAP:
        return None
    return Text.assemble(left, " " * space, right, no_wrap=True)


def column_widths(
    columns: Sequence[Column], rows: Sequence[Mapping[str, Cell]], width: int
) -> dict[str, int]:
    """Cells of each column that `grid` would show in `width` cells, in order."""
    natural = {column.key: _natural(column, rows) for column in columns}
    kept = [column for column in columns if natural[column.key] > 0]
    widths = {column.key: _smallest(column, natural[column.key]) for column in kept}
    while kept and total_width(widths) > width:
        goes = max(kept, key=lambda column: column.priority)
        if goes.priority == 0:
            break
        kept.remove(goes)
        del widths[goes.key]
    for column in kept:
        room = width - total_width(widths)
        grown = min(widths[column.key] + max(0, room), natural[column.key])
        widths[column.key] = max(widths[column.key], grown)
    for column in kept:
        if column.most is not None:
            widths[column.key] += max(0, min(width - total_width(widths), column.most))
            widths[column.key] = min(widths[column.key], column.most)
    return widths


def _natural(column: Column, rows: Sequence[Mapping[str, Cell]]) -> int:
    widest = 0
    for row in rows:
        cell = row.get(column.key)
        if isinstance(cell, Text):
            widest = max(widest, cell.cell_len)
        elif cell is not None:
            widest = max(widest, column.least or 1)
    return widest


def _smallest(column: Column, natural: int) -> int:
    return natural if column.least is None else min(column.least, natural)


def total_width(widths: Mapping[str, int]) -> int:
    """Cells of a line of columns with these widths."""
    return sum(widths.values()) + GAP * max(0, len(widths) - 1)


def _line(
    columns: Sequence[Column], row: Mapping[str, Cell], widths: Mapping[str, int], glyphs: Glyphs
) -> Text:
    parts: list[str | Text] = []
    for number, column in enumerate(columns):
        cell = row.get(column.key)
        width = widths[column.key]
        blanks = GAP if number else 0
        if cell is None:
            parts.append(" " * (blanks + width))
            continue
        content = cell if isinstance(cell, Text) else cell(width)
        content = crop_middle(content, width, glyphs)
        rest = width - content.cell_len
        if column.right:
            parts += [" " * (blanks + rest), content]
        else:
            parts += [" " * blanks, content, " " * rest]
    line = Text.assemble(*parts, no_wrap=True)
    line.rstrip()
    return line
