"""How squares of points are laid out and drawn, each with the line of equality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.reports.figures.lettering import (
    height,
    legible,
    shortened,
    stacked,
    wrapped,
)
from auditor.reports.figures.page import GREY, INK, PALE, Page, percent_axis
from auditor.reports.figures.shapes import Panel, Scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 7.0
_TITLE = 8.0
_FACTS = 6.5
_MOST_SIDE = 3.4
_LEFT = 0.62
_BETWEEN = 0.55
_FOOT = 0.52
_TITLE_LINES = 5
_MANY = 3
"""Rows above which two stand side by side: a page stays nearer to a page."""
_MARKERS = ("o", "s", "^", "D")
_COLOURS = ("#1f4e8c", "#8c4a00", "#4d4d4d", "#5b2a86")


class ScatterLayout:
    """Squares of points with all sizes known, in inches."""

    def __init__(self, shape: Scatter, least_width: float) -> None:
        self._shape = shape
        columns = max(len(shape.columns), 1)
        # Single squares are narrow: two of them have room in the width of a page.
        self._abreast = 2 if len(shape.rows) > (1 if columns == 1 else _MANY) else 1
        self._strip = least_width / self._abreast if columns == 1 else least_width
        self.width = self._strip * self._abreast
        room = self._strip - _LEFT - _BETWEEN * (columns - 1) - 0.1
        self._side = min(room / columns, _MOST_SIDE)
        self._titles = shortened(
            shape.rows,
            lambda name: stacked(
                legible(name), _TITLE, self._strip - _LEFT - 0.1, _TITLE_LINES, bold=True
            ),
        )
        self._title = height(
            max((title.count("\n") + 1 for title in self._titles), default=1), _TITLE
        )
        self._facts = [[self._lines(panel) for panel in panels] for panels in shape.panels]
        most = max((len(lines) for facts in self._facts for lines in facts), default=0)
        self._head = self._title + height(most, _FACTS) + 0.12
        self._row = self._head + self._side + _FOOT
        self.height = self._row * -(-len(shape.rows) // self._abreast)

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        for number, title in enumerate(self._titles):
            down, across = divmod(number, self._abreast)
            place = top + down * self._row
            start = left + across * self._strip + _LEFT
            page.text(
                start, place + self._title, title, _TITLE,
                weight="bold", va="bottom", linespacing=1.1,
            )  # fmt: skip
            for column, panel in enumerate(self._shape.panels[number]):
                at = start + column * (self._side + _BETWEEN)
                facts = self._facts[number][column]
                page.lines(at, place + self._title + 0.04, facts, _FACTS)
                axes = page.axes(at, place + self._head, self._side, self._side)
                percent_axis(axes, "x", _SIZE - 1)
                percent_axis(axes, "y", _SIZE - 1)
                axes.set_xlabel(self._shape.columns[column], fontsize=_SIZE, labelpad=2)
                if column == 0:
                    axes.set_ylabel(self._shape.axis, fontsize=_SIZE, labelpad=2)
                if self._shape.has_halves:
                    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle=":")
                    axes.axvline(0.5, color=GREY, linewidth=0.8, linestyle=":")
                _draw_panel(axes, panel, column)

    def _lines(self, panel: Panel) -> list[str]:
        facts = panel.facts if panel.points else ("nothing to show",)
        return [line for fact in facts for line in wrapped(legible(fact), _FACTS, self._side)]


def _draw_panel(axes: Axes, panel: Panel, kind: int) -> None:
    axes.grid(visible=True, color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.9, linestyle="--")
    colour = _COLOURS[kind % len(_COLOURS)]
    spans = [point for point in panel.points if point.low is not None and point.high is not None]
    axes.vlines(
        [point.x for point in spans],
        [point.low for point in spans if point.low is not None],
        [point.high for point in spans if point.high is not None],
        color=GREY,
        linewidth=0.5,
        alpha=0.6,
    )
    axes.scatter(
        [point.x for point in panel.points],
        [point.y for point in panel.points],
        s=9,
        marker=_MARKERS[kind % len(_MARKERS)],
        facecolor="white",
        edgecolor=colour,
        linewidth=0.8,
        zorder=3,
    )
