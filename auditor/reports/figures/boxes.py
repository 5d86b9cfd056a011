"""How a box plot is laid out and drawn: a box for each series, the benchmarks' hatched."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from auditor.reports.figures.lettering import fitted, height, legible, unlike, width
from auditor.reports.figures.page import GREY, INK, PALE, Page, percent_axis
from auditor.reports.figures.shapes import Box, Boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 5
"""Values below which a box would show more than is known: they are drawn as points."""

_SIZE = 7.5
_ROW = 0.36
_LONGEST_LABEL = 2.6
_PAD = 0.1
_FACTS = 1.75
_AXIS = 0.5
_DASHES = ("--", ":", "-.")


class BoxLayout:
    """A box plot with all sizes known, in inches."""

    def __init__(self, shape: Boxes, least_width: float) -> None:
        self._shape = shape
        self._labels = unlike(
            [fitted(legible(box.label), _SIZE, _LONGEST_LABEL) for box in shape.boxes]
        )
        self._left = max((width(label, _SIZE) for label in self._labels), default=0) + 2 * _PAD
        self._plot = max(least_width - self._left - _FACTS, 3.2)
        self.width = self._left + self._plot + _FACTS
        self._body = _ROW * len(shape.boxes)
        self.height = height(1, _SIZE) + self._body + _AXIS

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        body = top + height(1, _SIZE)
        axes = page.axes(left + self._left, body, self._plot, self._body)
        axes.set_ylim(len(self._shape.boxes), 0)
        axes.set_yticks([])
        percent_axis(axes, "x", _SIZE - 1)
        axes.set_xlabel(self._shape.axis, fontsize=_SIZE)
        axes.grid(visible=True, axis="x", color=PALE, linewidth=0.6)
        axes.set_axisbelow(True)
        facts = left + self._left + self._plot + _PAD
        page.text(facts, top, "median", _SIZE - 1, color=GREY)
        page.text(facts + 0.6, top, self._shape.items, _SIZE - 1, color=GREY)
        references = 0
        for number, (box, label) in enumerate(zip(self._shape.boxes, self._labels, strict=True)):
            middle = body + (number + 0.5) * _ROW
            page.text(
                left + self._left - _PAD, middle, label, _SIZE, ha="right", va="center_baseline"
            )
            page.text(
                facts,
                middle,
                f"{100 * median(box.values):.1f} %" if box.values else "none",
                _SIZE,
                va="center_baseline",
            )
            page.text(
                facts + 0.6,
                middle,
                f"{len(box.values)}" + (f" ({box.missing} without)" if box.missing else ""),
                _SIZE,
                va="center_baseline",
            )
            _draw_box(axes, box, number + 0.5)
            if box.is_reference and box.values:
                axes.axvline(
                    median(box.values),
                    color=INK,
                    linewidth=0.9,
                    linestyle=_DASHES[references % len(_DASHES)],
                    zorder=1.5,
                )
                references += 1


def _draw_box(axes: Axes, box: Box, place: float) -> None:
    if len(box.values) < FEWEST:
        axes.scatter(box.values, [place] * len(box.values), s=16, marker="D", color=INK, zorder=3)
        return
    line = {"color": INK, "linewidth": 0.9}
    drawn = axes.boxplot(
        [list(box.values)],
        positions=[place],
        widths=0.55,
        orientation="horizontal",
        manage_ticks=False,
        patch_artist=True,
        medianprops={"color": INK, "linewidth": 2.0},
        whiskerprops=line,
        capprops=line,
        flierprops={"marker": "o", "markersize": 2.5, "markeredgecolor": INK, "linewidth": 0.5},
    )
    for patch in drawn["boxes"]:
        patch.set(
            facecolor="white" if box.is_reference else "#9fb6d9",
            edgecolor=INK,
            linewidth=0.9,
            hatch="////" if box.is_reference else None,
        )
