"""Rows of figures whose names are never cut, so that no two of them look alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.text import Text

from auditor.live.columns import Cell, Column, column_widths, grid, total_width
from auditor.live.entries import broken
from auditor.live.glyphs import Glyphs

_INDENT = 4
_NEEDED = 1
"""Columns up to this priority are not given up for a name to stand beside its figures."""


def named_grid(
    columns: Sequence[Column], rows: Sequence[Mapping[str, Cell]], width: int, glyphs: Glyphs
) -> list[Text]:
    """As `grid`, with the first column's texts whole, as of figures the most important that fit.

    Where names leave no room for the figures that count most, each stands above its own.
    """
    name, *others = columns
    whole = [replace(name, least=None), *others]
    widths = column_widths(whole, rows, width)
    used = {key for row in rows for key in row}
    needed = {column.key for column in whole if column.priority <= _NEEDED} & used
    if needed <= widths.keys() and total_width(widths) <= width:
        return grid(whole, rows, width, glyphs, widths=widths)
    indent = min(_INDENT, max(0, width - 1))
    lines: list[Text] = []
    for row, figures in zip(rows, grid(others, rows, width - indent, glyphs), strict=True):
        own = row.get(name.key)
        if isinstance(own, Text):
            lines += broken(own, width)
        lines.append(Text.assemble(" " * indent, figures, no_wrap=True))
    return lines
