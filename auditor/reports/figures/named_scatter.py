"""How fields of named points are laid out and drawn: each name where it covers the least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.reports.figures.lettering import fitted, height, legible, width, wrapped
from auditor.reports.figures.page import GREY, PALE, Page
from auditor.reports.figures.shapes import NamedPanel, NamedScatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 7.0
_TITLE = 8.0
_FACTS = 6.5
_NAME = 5.5
_LEFT = 0.5
_FOOT = 0.5
_BETWEEN = 0.62
_MOST_SIDE = 3.4
_LEAST_SIDE = 2.6
_DOT = 0.028
"""Radius of a point, in inches."""
_OFF = 0.02
_COLOUR = "#1f4e8c"

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in inches from the lower left corner of a field."""


class NamedScatterLayout:
    """Fields of named points with all sizes known, in inches."""

    def __init__(self, shape: NamedScatter, least_width: float) -> None:
        self._shape = shape
        columns = max(min(shape.abreast, len(shape.panels)), 1)
        self._columns = columns
        room = (least_width - _BETWEEN * (columns - 1) - _LEFT - 0.1) / columns
        self._side = min(max(room, _LEAST_SIDE), _MOST_SIDE)
        whole = _LEFT + self._side * columns + _BETWEEN * (columns - 1) + 0.1
        self.width = max(whole, least_width)
        self._facts = [
            [line for fact in panel.facts for line in wrapped(legible(fact), _FACTS, self._side)]
            for panel in shape.panels
        ]
        most = max(map(len, self._facts), default=0)
        self._head = height(1, _TITLE) + height(most, _FACTS) + 0.1
        self._row = self._head + self._side + _FOOT
        self.height = self._row * -(-len(shape.panels) // columns)

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        for number, panel in enumerate(self._shape.panels):
            down, across = divmod(number, self._columns)
            at = left + _LEFT + across * (self._side + _BETWEEN)
            place = top + down * self._row
            title = fitted(legible(panel.title), _TITLE, self._side, bold=True)
            page.text(at, place, title, _TITLE, weight="bold")
            page.lines(at, place + height(1, _TITLE) + 0.03, self._facts[number], _FACTS)
            axes = page.axes(at, place + self._head, self._side, self._side)
            _draw(axes, panel, self._side)


def _draw(axes: Axes, panel: NamedPanel, side: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axes.grid(visible=True, color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=_SIZE - 1, width=0.6, length=2.5)
    axes.set_xlabel(legible(panel.x_axis), fontsize=_SIZE, labelpad=2)
    axes.set_ylabel(legible(panel.y_axis), fontsize=_SIZE, labelpad=2)
    axes.scatter(
        [point.x for point in panel.points],
        [point.y for point in panel.points],
        s=(2 * _DOT * 72) ** 2,
        facecolor="white",
        edgecolor=_COLOUR,
        linewidth=0.8,
        zorder=3,
    )
    if panel.is_log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _written(value)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _written(value)))
    axes.margins(0.09)
    if panel.y_range is not None:
        low, high = panel.y_range
        beyond = 0.03 * (high - low)
        axes.set_ylim(low - beyond, high + beyond)
    _name(axes, panel, side)


def _name(axes: Axes, panel: NamedPanel, side: float) -> None:
    """Names beside their points, one after the other, each in the place that covers least."""
    # Limits follow the points when they are asked for, and places follow the limits.
    axes.get_xlim(), axes.get_ylim()
    places = [
        axes.transAxes.inverted().transform(axes.transData.transform((point.x, point.y))) * side
        for point in panel.points
    ]
    taken: list[Box] = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in places]
    for (x, y), point in zip(places, panel.points, strict=True):
        name = legible(point.name)
        box = min(
            _around(float(x), float(y), width(name, _NAME), height(1, _NAME) * 0.8),
            key=lambda box: _covered(box, taken, side),
        )
        taken.append(box)
        middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if abs(middle[0] - x) + abs(middle[1] - y) > width(name, _NAME) / 2 + 0.16:
            axes.plot(
                [x / side, middle[0] / side],
                [y / side, middle[1] / side],
                transform=axes.transAxes,
                color=GREY,
                linewidth=0.4,
                zorder=2,
            )
        axes.text(
            middle[0] / side,
            middle[1] / side,
            name,
            fontsize=_NAME,
            ha="center",
            va="center",
            transform=axes.transAxes,
            zorder=4,
        )


def _written(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _around(x: float, y: float, wide: float, high: float) -> Iterator[Box]:
    """Places beside a point, the nearest and most usual first."""
    for distance in (_DOT + _OFF, 0.12, 0.2):
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)):
            centre_x = x + right * (distance + wide / 2)
            centre_y = y + up * (distance + high / 2) * (1 if right == 0 else 0.8)
            yield (
                centre_x - wide / 2,
                centre_y - high / 2,
                centre_x + wide / 2,
                centre_y + high / 2,
            )


def _covered(box: Box, taken: Sequence[Box], side: float) -> float:
    """How much of what is there a box would cover, and how far it would leave the field."""
    total = 0.0
    for other in taken:
        wide = min(box[2], other[2]) - max(box[0], other[0])
        high = min(box[3], other[3]) - max(box[1], other[1])
        total += max(wide, 0.0) * max(high, 0.0)
    outside = max(-box[0], 0) + max(-box[1], 0) + max(box[2] - side, 0) + max(box[3] - side, 0)
    return total + outside
