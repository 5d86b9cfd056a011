"""How a tile map is laid out and drawn: a number in every tile, hatching where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from auditor.reports.figures import scales
from auditor.reports.figures.lettering import (
    CUT,
    fitted,
    height,
    legible,
    shortened,
    stacked,
    width,
)
from auditor.reports.figures.page import GREY, INK, Page, bare
from auditor.reports.figures.shapes import TileMap, Tiles

_SIZE = 6.5
_NUMBER = 6.0
_ROW = 0.165
_SECTION = 0.24
_LEAST_COLUMN, _MOST_COLUMN = 0.40, 0.85
_BETWEEN = 0.22
_LONGEST_ROW = 5.4
_HEAD_LENGTHS = (1.8, 3.2)
"""The second one where names would be cut at the first."""
_HEAD_LINES = 3
"""As many as the narrowest column has room for."""
_PAD = 0.06
_BAR_WIDTH, _BAR_HEIGHT = 1.9, 0.11
_KEY = 0.36
_LABEL_OFF, _GAP_KEY_OFF, _GAP_WORDS_OFF = 0.2, 0.3, 0.38
_GAP_WORDS = "no value"


class TileLayout:
    """A tile map with all sizes known, in inches."""

    def __init__(self, shape: TileMap, least_width: float) -> None:
        self._shape = shape
        self._rows = shortened(shape.rows, lambda name: fitted(legible(name), _SIZE, _LONGEST_ROW))
        self._head_length = _head_length(shape)
        self._heads = [
            shortened(
                block.columns,
                lambda name: stacked(legible(name), _SIZE, self._head_length, _HEAD_LINES),
            )
            for block in shape.blocks
        ]
        self._left = max((width(name, _SIZE) for name in self._rows), default=0) + 2 * _PAD
        columns = sum(len(block.columns) for block in shape.blocks)
        gaps = _BETWEEN * (len(shape.blocks) - 1)
        room = (least_width - self._left - gaps) / max(columns, 1)
        self._column = min(max(room, _LEAST_COLUMN), _MOST_COLUMN)
        self.width = max(self._left + gaps + self._column * columns, least_width)
        lines = [line for heads in self._heads for head in heads for line in head.split("\n")]
        widest = max((width(line, _SIZE) for line in lines), default=0)
        self._upright = widest > self._column - _PAD
        self._head = (widest if self._upright else height(1, _SIZE)) + 2 * _PAD
        self._title = height(1, _SIZE + 0.5) + _PAD if any(b.title for b in shape.blocks) else 0.0
        self._head += self._title
        self._tops = list(self._row_tops())
        self._body = (self._tops[-1] + _ROW) if self._tops else 0.0
        self._keys = {block.scale: block for block in shape.blocks}
        self._has_gaps = any(block.missing for block in shape.blocks)
        self.width = max(self.width, self._left + self._keys_width())
        self.height = self._head + self._body + 0.12 + _KEY * len(self._keys)

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        body = top + self._head
        for name, place in zip(self._rows, self._tops, strict=True):
            page.text(
                left + self._left - _PAD,
                body + place + _ROW / 2,
                name,
                _SIZE,
                ha="right",
                va="center_baseline",
            )
        for title, place in self._section_titles():
            page.text(left, body + place, legible(title), _SIZE + 0.5, weight="bold", va="bottom")
        at = left + self._left
        for block, heads in zip(self._shape.blocks, self._heads, strict=True):
            room = self._column * len(block.columns) + _BETWEEN - _PAD
            page.text(
                at,
                top,
                fitted(legible(block.title), _SIZE + 0.5, room, bold=True),
                _SIZE + 0.5,
                weight="bold",
            )
            self._draw_heads(page, at, body, heads)
            self._draw_block(page, at, body, block)
            at += self._column * len(block.columns) + _BETWEEN
        self._draw_keys(page, left + self._left, body + self._body + 0.12)

    def _keys_width(self) -> float:
        labels = [width(legible(block.label), _SIZE) for block in self._keys.values()]
        wide = [_BAR_WIDTH + _LABEL_OFF + label for label in labels]
        if self._has_gaps and wide:
            wide[-1] += _GAP_KEY_OFF + _GAP_WORDS_OFF + width(_GAP_WORDS, _SIZE)
        return max(wide, default=0.0)

    def _row_tops(self) -> Iterator[float]:
        sections = self._shape.sections or (("", len(self._shape.rows)),)
        starts = set(accumulate((count for _, count in sections), initial=0))
        place = 0.0
        for number in range(len(self._shape.rows)):
            if self._shape.sections and number in starts:
                place += _SECTION
            yield place
            place += _ROW

    def _section_titles(self) -> Iterator[tuple[str, float]]:
        counts = [count for _, count in self._shape.sections]
        for (title, count), start in zip(
            self._shape.sections, accumulate(counts, initial=0), strict=False
        ):
            if count:
                yield title, self._tops[start] - 0.03

    def _draw_heads(self, page: Page, left: float, body: float, heads: list[str]) -> None:
        for number, head in enumerate(heads):
            page.text(
                left + (number + 0.5) * self._column,
                body - _PAD,
                head,
                _SIZE,
                ha="center",
                va="bottom",
                rotation=90 if self._upright else 0,
                multialignment="left",
                linespacing=1.1,
            )

    def _draw_block(self, page: Page, left: float, top: float, block: Tiles) -> None:
        from matplotlib.collections import PolyCollection

        if not block.columns or not self._tops:
            return
        axes = page.axes(left, top, self._column * len(block.columns), self._body)
        bare(axes)
        axes.set_xlim(0, len(block.columns))
        axes.set_ylim(self._body, 0)
        axes.set_facecolor("none")
        known, colours, unknown, dots = [], [], [], []
        for row, values in enumerate(block.values):
            y = self._tops[row]
            for column, value in enumerate(values):
                corners = [
                    (column, y), (column + 1, y), (column + 1, y + _ROW), (column, y + _ROW)
                ]  # fmt: skip
                if value is None:
                    unknown.append(corners)
                    continue
                shade = scales.colour(block.scale, value)
                said = block.said[row][column] if block.said else scales.written(block.scale, value)
                known.append(corners)
                colours.append(shade)
                axes.text(
                    column + 0.5,
                    y + _ROW / 2,
                    f"({said})" if (row, column) in block.few else said,
                    fontsize=_NUMBER,
                    color=scales.ink(shade),
                    weight="bold" if scales.is_bold(block.scale, value) else "normal",
                    ha="center",
                    va="center_baseline",
                )
                if (row, column) in block.marked:
                    dots.append((column + 1 - 0.055 / self._column, y + 0.045, scales.ink(shade)))
        axes.add_collection(
            PolyCollection(known, facecolors=colours, edgecolors="white", linewidths=0.5)
        )
        axes.add_collection(
            PolyCollection(
                unknown, facecolors="white", edgecolors=GREY, linewidths=0.4, hatch="//////"
            )
        )
        if dots:
            x, y_places, inks = zip(*dots, strict=True)
            axes.scatter(x, y_places, s=4.5, c=inks, linewidths=0, zorder=3)

    def _draw_keys(self, page: Page, left: float, top: float) -> None:
        """What colours mean, and hatching where there is any."""
        import numpy as np

        for number, (scale, block) in enumerate(self._keys.items()):
            place = top + number * _KEY
            ends = scales.ticks(scale)
            axes = page.axes(left, place, _BAR_WIDTH, _BAR_HEIGHT)
            axes.pcolormesh(
                np.linspace(min(ends), max(ends), 65),
                [0, 1],
                np.linspace(min(ends), max(ends), 64)[None, :],
                cmap=scales.colour_map(scale),
                vmin=min(ends),
                vmax=max(ends),
            )
            axes.set_yticks([])
            axes.set_xticks(list(ends), list(ends.values()), fontsize=_NUMBER)
            axes.tick_params(length=2, width=0.5, pad=1.5)
            page.text(
                left + _BAR_WIDTH + _LABEL_OFF,
                place + _BAR_HEIGHT / 2,
                legible(block.label),
                _SIZE,
                va="center_baseline",
            )
            if self._has_gaps and number == len(self._keys) - 1:
                label = width(legible(block.label), _SIZE)
                self._draw_gap_key(
                    page, left + _BAR_WIDTH + _LABEL_OFF + label + _GAP_KEY_OFF, place
                )

    def _draw_gap_key(self, page: Page, left: float, top: float) -> None:
        from matplotlib.patches import Rectangle

        axes = page.axes(left, top, 0.3, _BAR_HEIGHT)
        bare(axes)
        axes.add_patch(
            Rectangle(
                (0, 0), 1, 1, facecolor="white", edgecolor=GREY, linewidth=0.8, hatch="//////"
            )
        )
        page.text(
            left + _GAP_WORDS_OFF,
            top + _BAR_HEIGHT / 2,
            _GAP_WORDS,
            _SIZE,
            va="center_baseline",
            color=INK,
        )


def _head_length(shape: TileMap) -> float:
    """How long the lines of the columns' names may be."""
    usual, longest = _HEAD_LENGTHS
    names = (legible(name) for block in shape.blocks for name in block.columns)
    cut = any(CUT in stacked(name, _SIZE, usual, _HEAD_LINES) for name in names if CUT not in name)
    return longest if cut else usual
