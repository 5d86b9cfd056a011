"""How distributions are laid out and drawn: outlines over one another, in panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.reports.figures.lettering import fitted, height, legible, wrapped
from auditor.reports.figures.page import INK, PALE, Page, percent_axis
from auditor.reports.figures.shapes import Histogram, Histograms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 7.0
_TITLE = 8.0
_FACTS = 6.5
_LEFT = 0.62
_BETWEEN = 0.5
_FOOT = 0.55
_BODY = 1.7
_ABREAST = 2
_LINES = (("#8c4a00", "-"), ("#1f4e8c", "--"), ("#4d4d4d", ":"))
"""Colour and line of each outline: told apart in grey, too."""


class HistogramLayout:
    """Panels of distributions with all sizes known, in inches."""

    def __init__(self, shape: Histograms, least_width: float) -> None:
        self._shape = shape
        self.width = least_width
        abreast = max(1, min(len(shape.panels), _ABREAST))
        self._abreast = abreast
        self._panel = (least_width - _LEFT - _BETWEEN * (abreast - 1) - 0.1) / abreast
        self._facts = [
            [line for fact in panel.facts for line in wrapped(legible(fact), _FACTS, self._panel)]
            for panel in shape.panels
        ]
        most = max((len(lines) for lines in self._facts), default=0)
        self._head = height(1, _TITLE) + height(most, _FACTS) + 0.1
        self._row = self._head + _BODY + _FOOT
        self.height = self._row * -(-len(shape.panels) // abreast)
        highest = [max(line.shares) for panel in shape.panels for line in panel.outlines]
        self._highest = max(highest, default=1.0) * 1.08

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        for number, panel in enumerate(self._shape.panels):
            down, across = divmod(number, self._abreast)
            place = top + down * self._row
            at = left + _LEFT + across * (self._panel + _BETWEEN)
            title = fitted(legible(panel.title), _TITLE, self._panel, bold=True)
            page.text(at, place, title, _TITLE, weight="bold")
            page.lines(at, place + height(1, _TITLE), self._facts[number], _FACTS)
            axes = page.axes(at, place + self._head, self._panel, _BODY)
            axes.set_ylim(0, self._highest)
            axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}")
            axes.tick_params(axis="y", labelsize=_SIZE - 1, width=0.6, length=2.5)
            percent_axis(axes, "x", _SIZE - 1)
            axes.set_xlabel(self._shape.axis, fontsize=_SIZE, labelpad=2)
            if across == 0:
                axes.set_ylabel(self._shape.height, fontsize=_SIZE, labelpad=2)
            _draw_panel(axes, panel)


def _draw_panel(axes: Axes, panel: Histogram) -> None:
    axes.grid(visible=True, color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.axvline(0.5, color=INK, linewidth=0.6, linestyle=":")
    for number, outline in enumerate(panel.outlines):
        colour, line = _LINES[number % len(_LINES)]
        edges = [place / len(outline.shares) for place in range(len(outline.shares) + 1)]
        axes.stairs(
            outline.shares,
            edges,
            color=colour,
            linestyle=line,
            linewidth=1.4,
            label=legible(outline.label),
        )
    if panel.outlines:
        axes.legend(fontsize=_SIZE - 1, frameon=False, loc="upper right", handlelength=2.2)
