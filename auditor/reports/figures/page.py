"""A figure's page: placed in inches from its upper left corner; equal input gives equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.reports.figures.lettering import CHINESE, POINTS, height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1a1a1a"
GREY = "#8c8c8c"
PALE = "#e6e6e6"
_DOTS_PER_INCH = 150
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "auditor",
    "text.parse_math": False,
    # Letters as wide as they are measured, at every resolution.
    "text.hinting": "none",
    "font.family": ["sans-serif", "Droid Sans Fallback"],
    "font.sans-serif": ["DejaVu Sans"],
    "hatch.linewidth": 0.6,
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
"""Texts stay texts in SVG: they can be searched, read aloud and copied. None is taken for a
formula."""


@contextmanager
def style() -> Iterator[None]:
    """What figures look like, whatever the user's own settings of matplotlib are."""
    import matplotlib

    _add_chinese_font()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


class Page:
    """One page. Only to be used within `style`."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.width = width
        self.height = height
        self._figure = Figure(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(self._figure)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes at a place."""
        return self._figure.add_axes(
            (
                left / self.width,
                1 - (top + height) / self.height,
                width / self.width,
                height / self.height,
            )
        )

    def text(self, left: float, top: float, text: str, size: float, **look: Any) -> None:
        """A line of text; its upper left corner, unless `look` aligns it otherwise."""
        settings = {"ha": "left", "va": "top", **look}
        self._figure.text(left / self.width, 1 - top / self.height, text, fontsize=size, **settings)

    def lines(
        self, left: float, top: float, lines: Sequence[str], size: float, **look: Any
    ) -> float:
        """Lines one below the other; gives the place below the last."""
        for number, line in enumerate(lines):
            self.text(left, top + height(number, size), line, size, **look)
        return top + height(len(lines), size)

    def save(self, path: Path, kind: str, *, title: str, description: str) -> None:
        """Write it as "svg" or "png". Neither holds a date or a version."""
        if kind == "svg":
            words = {"Title": title, "Description": description}
            metadata: dict[str, Any] = {**words, "Date": None, "Creator": None}
        else:
            metadata = {"Software": None}
        self._figure.savefig(path, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def bare(axes: Axes) -> None:
    """Axes without a frame and without ticks."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def percent_axis(axes: Axes, which: str, size: float) -> None:
    """An axis of shares from 0 to 1, written as percent."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25", "50", "75", "100 %"])
    axis.set_tick_params(labelsize=size, width=0.6, length=size / POINTS * 30)
    # Marks at the very ends are drawn whole.
    (axes.set_xlim if which == "x" else axes.set_ylim)(-0.03, 1.03)


@lru_cache(maxsize=1)
def _add_chinese_font() -> None:
    from matplotlib.font_manager import fontManager

    fontManager.addfont(CHINESE)
    # There is one weight: bold text takes it too, instead of a warning for each of its letters.
    added = fontManager.ttflist[-1]
    fontManager.ttflist.append(replace(added, weight=700))
