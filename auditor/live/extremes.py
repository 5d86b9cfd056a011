"""The items at both ends of a share: the occupations with most and fewest men, for example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, grid
from auditor.live.glyphs import Glyphs
from auditor.protocols.base import StatisticRow

_BETWEEN = 4
"""Blanks between both ends where they stand beside each other."""
_COLUMNS = (
    Column(key="item", priority=0, right=False, least=12),
    Column(key="share", priority=0),
    Column(key="interval", priority=2, right=False),
    Column(key="n", priority=3),
)


def extreme_lines(
    rows: Sequence[StatisticRow],
    *,
    item: str,
    titles: tuple[str, str],
    top: int,
    width: int,
    glyphs: Glyphs,
) -> list[Text]:
    """The `top` highest and lowest rows of one statistic, side by side where there is room.

    `item` is the factor that tells the rows apart; `titles` stand over the high and the low end.
    Rows without a value are left out; an item stands at one end only.
    """
    known = sorted(
        (row for row in rows if row.value is not None),
        key=lambda row: (-(row.value or 0.0), str(row.group[item])),
    )
    count = min(top, len(known) // 2)
    high, low = known[:count], known[len(known) - count :][::-1]
    left = grid(_COLUMNS, _end(titles[0], high, item, glyphs), width, glyphs)
    right = grid(_COLUMNS, _end(titles[1], low, item, glyphs), width, glyphs)
    reach = max(line.cell_len for line in left) + _BETWEEN
    if reach + max(line.cell_len for line in right) > width:
        return [*left, *right]
    return [
        Text.assemble(first, " " * (reach - first.cell_len), second, no_wrap=True)
        for first, second in zip_longest(left, right, fillvalue=Text())
    ]


def _end(
    title: str, rows: Sequence[StatisticRow], item: str, glyphs: Glyphs
) -> list[Mapping[str, Cell]]:
    heads = {"item": title, "share": "share", "interval": "95 % interval", "n": "n"}
    return [
        {key: glyphs.text((head, "dim")) for key, head in heads.items()},
        *(
            {
                "item": glyphs.text(str(row.group[item])),
                "share": glyphs.text(figures.figure(row.value)),
                "interval": glyphs.text((figures.interval(row.ci_low, row.ci_high), "dim")),
                "n": glyphs.text(figures.count(row.n)),
            }
            for row in rows
        ),
    ]
