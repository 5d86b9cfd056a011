"""How numbers with intervals are laid out and drawn: rows of marks in columns side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.reports.figures.lettering import (
    POINTS,
    fitted,
    height,
    legible,
    shortened,
    stacked,
    width,
)
from auditor.reports.figures.page import GREY, INK, PALE, Page
from auditor.reports.figures.shapes import Mark, MarkColumn, Marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 7.5
_TITLE = 8.0
_WRITTEN = 6.0
_BESIDE = 4.0
"""Points between a mark and its number."""
_ROW = 0.24
_LONGEST_LABEL = 3.6
_TITLE_LINES = 8
_PAD = 0.1
_BETWEEN = 0.16
_FOOT = 0.52
_ABREAST = 4
"""Columns side by side; more stand in a band below."""
_LEAST_COLUMN = 1.35
_COLOUR = "#1f4e8c"


class MarkLayout:
    """Rows of marks with all sizes known, in inches."""

    def __init__(self, shape: Marks, least_width: float) -> None:
        self._shape = shape
        self._labels = shortened(
            shape.rows, lambda name: fitted(legible(name), _SIZE, _LONGEST_LABEL)
        )
        self._left = max((width(label, _SIZE) for label in self._labels), default=0) + 2 * _PAD
        self._abreast = abreast = max(1, min(len(shape.columns), _ABREAST))
        room = least_width - self._left - _PAD
        self._column = max(_LEAST_COLUMN, (room - _BETWEEN * (abreast - 1)) / abreast)
        self._bands = [
            shape.columns[start : start + abreast]
            for start in range(0, len(shape.columns), abreast)
        ]
        self.width = self._left + abreast * self._column + (abreast - 1) * _BETWEEN + _PAD
        self._titles = shortened(
            (column.title for column in shape.columns),
            lambda name: stacked(legible(name), _TITLE, self._column, _TITLE_LINES, bold=True),
        )
        self._body = _ROW * max(len(shape.rows), 1)
        self._heads = [
            height(max(title.count("\n") for title in titles) + 1, _TITLE) + 0.06
            for titles in (
                self._titles[start : start + abreast]
                for start in range(0, len(self._titles), abreast)
            )
        ]
        self.height = sum(head + self._body + _FOOT for head in self._heads)

    def draw(self, page: Page, left: float, top: float) -> None:
        """Put it on a page."""
        for band, columns in enumerate(self._bands):
            body = top + self._heads[band]
            for number, label in enumerate(self._labels):
                page.text(
                    left + self._left - _PAD,
                    body + (number + 0.5) * _ROW,
                    label,
                    _SIZE,
                    ha="right",
                    va="center_baseline",
                )
            for place, column in enumerate(columns):
                at = left + self._left + place * (self._column + _BETWEEN)
                title = self._titles[band * self._abreast + place]
                look = {"weight": "bold", "va": "bottom", "linespacing": 1.1}
                page.text(at, body - 0.04, title, _TITLE, **look)
                axes = page.axes(at, body, self._column, self._body)
                axes.set_xlim(*_limits(self._shape, column))
                axes.set_ylim(max(len(self._shape.rows), 1), 0)
                axes.set_xlabel(
                    fitted(legible(column.axis), _SIZE - 1, self._column + _BETWEEN / 2),
                    fontsize=_SIZE - 1,
                    labelpad=2,
                )
                _draw_column(axes, column)
            top = body + self._body + _FOOT


def _limits(shape: Marks, column: MarkColumn) -> tuple[float, float]:
    """From the least to the largest end of what shares this column's axis, and a little more."""
    if column.ticks:
        places = [place for place, _ in column.ticks]
        room = (max(places) - min(places)) * 0.06
        return min(places) - room, max(places) + room
    alike = [
        mark
        for other in shape.columns
        if (other.axis, other.reference) == (column.axis, column.reference)
        for mark in other.marks
        if mark is not None
    ]
    ends = [end for mark in alike for end in _ends(mark)] + [column.reference]
    room = max((max(ends) - min(ends)) * 0.06, 0.01)
    return min(ends) - room, max(ends) + room


def _write_beside(axes: Axes, mark: Mark, place: float) -> None:
    """The number on that side of the mark which has more room; above it where none has any."""
    left, right = axes.get_xlim()
    ends = _ends(mark)
    before, behind = min(ends) - left, right - max(ends)
    is_left = before > behind
    inches = axes.get_window_extent().width / axes.figure.dpi
    needed = (width(legible(mark.said), _WRITTEN) + 2 * _BESIDE / POINTS) / inches
    has_room = max(before, behind) >= needed * (right - left)
    if has_room:
        at, off = (min(ends), (-_BESIDE, 0.0)) if is_left else (max(ends), (_BESIDE, 0.0))
        look: dict[str, Any] = {"ha": "right" if is_left else "left", "va": "center_baseline"}
    else:
        at, off, look = mark.value, (0.0, 2.5), {"ha": "center", "va": "bottom"}
    axes.annotate(
        legible(mark.said),
        (at, place),
        xytext=off,
        textcoords="offset points",
        fontsize=_WRITTEN,
        # Legible where the line of reference passes behind it.
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        zorder=2 if has_room else 1.6,
        **look,
    )


def _ends(mark: Mark) -> list[float]:
    reach = mark.reach or 0.0
    ends = [mark.low, mark.high, mark.value - reach, mark.value + reach]
    return [end for end in ends if end is not None]


def _draw_column(axes: Axes, column: MarkColumn) -> None:
    from matplotlib.ticker import MaxNLocator

    if column.ticks:
        axes.set_xticks([place for place, _ in column.ticks], [name for _, name in column.ticks])
    elif not any(column.marks):
        axes.set_xticks([column.reference])
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
    axes.tick_params(axis="x", labelsize=_SIZE - 1, width=0.6, length=2.5)
    axes.set_yticks([])
    axes.set_axisbelow(True)
    axes.axvline(column.reference, color=INK, linewidth=0.9, linestyle="--", zorder=1.5)
    for number, mark in enumerate(column.marks):
        place = number + 0.5
        axes.axhline(place, color=PALE, linewidth=0.6, zorder=1)
        if mark is None:
            axes.annotate(
                "none",
                (0.5, place),
                xycoords=axes.get_yaxis_transform(),
                ha="center",
                va="center",
                fontsize=_SIZE - 2,
                color=GREY,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
            continue
        if mark.reach is not None:
            ends = mark.value - mark.reach, mark.value + mark.reach
            axes.plot(ends, (place, place), color=GREY, linewidth=0.8, marker="|", markersize=4)
        if mark.low is not None and mark.high is not None:
            axes.plot((mark.low, mark.high), (place, place), color=_COLOUR, linewidth=2.0)
        if mark.said:
            _write_beside(axes, mark, place)
        axes.plot(
            (mark.value,),
            (place,),
            marker="D" if mark.is_hollow else "o",
            markersize=4.5,
            markerfacecolor="white" if mark.is_hollow else _COLOUR,
            markeredgecolor=_COLOUR,
            markeredgewidth=1.0,
            zorder=3,
        )
