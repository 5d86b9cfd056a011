"""How squares of points are laid out and drawn, each with the line of equality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.reports.figures.lettering import fitted, height, legible, unlike, wrapped
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
_MANY = 3
"""Rows above which two stand side by side: a page stays nearer to a page."""
_MARKERS = ("o", "s", "^", "D")
_COLOURS = ("#1f4e8c", "#8c4a00", "#4d4d4d", "#5b2a86")


class ScatterLayout:
    """Squares of points with all sizes known, in inches."""

    def __init__(self, shape: Scatter, least_width: float) -> None:
        self._shape = shape
        self._abreast = 2 if len(shape.rows) > _MANY else 1
        self._strip = least_width
        self.width = least_width * self._abreast
        columns = max(len(shape.columns), 1)
        room = least_width - _LEFT - _BETWEEN * (columns - 1) - 0.1
        self._side = min(room / columns, _MOST_SIDE)
        self._titles = unlike(
            [
                fitted(legible(name), _TITLE, least_width - _LEFT - 0.1, bold=True)
                for name in shape.rows
            ]
        )
        self._facts = [[self._lines(panel) for panel in panels] for panels in shape.panels]
        most = max((len(lines) for facts in self._facts for lines in facts), default=0)
        self._head = height(1, _TITLE) + height(most, _FACTS) + 0.12
        self._row = self._head + self._side + _FOOT
        self.height = self._row * -(-len(shape.rows) // self._abreast)

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        for number, title in enumerate(self._titles):
            down, across = divmod(number, self._abreast)
            place = top + down * self._row
            start = left + across * self._strip + _LEFT
            page.text(start, place, title, _TITLE, weight="bold")
            for column, panel in enumerate(self._shape.panels[number]):
                at = start + column * (self._side + _BETWEEN)
                facts = self._facts[number][column]
                page.lines(at, place + height(1, _TITLE) + 0.04, facts, _FACTS)
                axes = page.axes(at, place + self._head, self._side, self._side)
                percent_axis(axes, "x", _SIZE - 1)
                percent_axis(axes, "y", _SIZE - 1)
                axes.set_xlabel(self._shape.columns[column], fontsize=_SIZE, labelpad=2)
                if column == 0:
                    axes.set_ylabel(self._shape.axis, fontsize=_SIZE, labelpad=2)
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
