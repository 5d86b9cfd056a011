"""What a figure shows, as plain data: titles, labels, numbers. Nothing of how it looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Matrix = tuple[tuple[float | None, ...], ...]
"""Values by row and column; None is missing."""


class Scale(StrEnum):
    """What numbers mean, and so their colours and how they are written."""

    SHARE = "share"
    """0 to 1, as percent; light is more."""
    LEAN = "lean"
    """0 to 1, as percent, on either side of a half."""
    MEN = "men"
    """Men's share, 0 to 1, as percent: red below a half (women), blue and bold above it (men)."""
    SHIFT = "shift"
    """-1 to 1, as percentage points, on either side of zero."""
    AMOUNT = "amount"
    """0 to 1, as a decimal."""
    RATING = "rating"
    """1 to 5, as a decimal."""
    CORRELATION = "correlation"
    """-1 to 1, as a decimal, on either side of zero."""


@dataclass(frozen=True, kw_only=True)
class Tiles:
    """Columns of tiles on one scale, with the map's rows."""

    columns: tuple[str, ...]
    values: Matrix
    scale: Scale
    label: str
    """What the numbers are, beside the scale of colours."""
    marked: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of tiles that bear a dot."""
    few: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of tiles that rest on few answers: their numbers stand in brackets."""
    title: str = ""
    """Above the columns."""
    said: tuple[tuple[str, ...], ...] = ()
    """What is written in the tiles, by row and column; empty: their numbers as percent or
    decimal."""

    @property
    def missing(self) -> int:
        """How many tiles have no number."""
        return sum(value is None for row in self.values for value in row)


@dataclass(frozen=True, kw_only=True)
class TileMap:
    """Blocks of tiles side by side, over the same rows."""

    rows: tuple[str, ...]
    blocks: tuple[Tiles, ...]
    sections: tuple[tuple[str, int], ...] = ()
    """Titles of consecutive groups of rows, with their numbers of rows; empty: one without."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """One box of a box plot."""

    label: str
    values: tuple[float, ...]
    """Without the missing ones."""
    missing: int = 0
    is_reference: bool = False
    """Whether it is a benchmark: drawn otherwise, with a line through the others."""


@dataclass(frozen=True, kw_only=True)
class Boxes:
    """Distributions of shares, one below the other."""

    boxes: tuple[Box, ...]
    axis: str
    """What the values are."""
    items: str
    """What there is one value of each."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point with its interval, where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One square of points, both axes from 0 to 1."""

    points: tuple[Point, ...]
    facts: tuple[str, ...] = ()
    """Lines above it."""


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """Squares of points against the line of equality, by row and column."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """What x is."""
    axis: str
    """What y is."""
    panels: tuple[tuple[Panel, ...], ...]
    has_halves: bool = False
    """Whether lines at a half of both axes part the points by the side that they lean to."""


@dataclass(frozen=True, kw_only=True)
class NamedPoint:
    """One point with what it stands for."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, kw_only=True)
class NamedPanel:
    """One field of points on axes of its own."""

    title: str
    x_axis: str
    y_axis: str
    points: tuple[NamedPoint, ...]
    facts: tuple[str, ...] = ()
    """Lines above it."""
    y_range: tuple[float, float] | None = None
    """Ends of the scale of y; None: as the points need."""
    is_log_x: bool = False


@dataclass(frozen=True, kw_only=True)
class NamedScatter:
    """Fields of named points, row by row."""

    panels: tuple[NamedPanel, ...]
    abreast: int
    """Fields in a row."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One number with its interval, where it has one."""

    value: float
    low: float | None = None
    high: float | None = None
    reach: float | None = None
    """Half of a second, thin bar about the value."""
    is_hollow: bool = False
    """Whether it is told apart from the others."""
    said: str = ""
    """The number in writing, beside the mark; empty: not written."""


@dataclass(frozen=True, kw_only=True)
class MarkColumn:
    """Marks of one kind, one a row; None is missing."""

    title: str
    axis: str
    """What the numbers are."""
    reference: float
    """Where a line is drawn: the number that says nothing."""
    marks: tuple[Mark | None, ...]
    ticks: tuple[tuple[float, str], ...] = ()
    """Places on the axis and what they are called, from one end to the other; empty: numbers as
    the marks need them."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Numbers with intervals along lines, by row, in columns side by side.

    Columns with one axis and reference share their scale.
    """

    rows: tuple[str, ...]
    columns: tuple[MarkColumn, ...]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """One distribution over equal bins from 0 to 1."""

    label: str
    shares: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Distributions over one another."""

    title: str
    outlines: tuple[Outline, ...]
    facts: tuple[str, ...] = ()
    """Lines above it."""


@dataclass(frozen=True, kw_only=True)
class Histograms:
    """Distributions in panels that share both axes."""

    panels: tuple[Histogram, ...]
    axis: str
    """What is distributed, from 0 to 1."""
    height: str
    """What a bin's height is, as percent."""


Shape = TileMap | Boxes | Scatter | NamedScatter | Marks | Histograms


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One figure to draw."""

    title: str
    shape: Shape
    statistics: tuple[str, ...]
    """Names of the statistics that its numbers are."""
    n: int
    unit: str
    """What n counts."""
    missing: int
    """Numbers that are not there."""
    targets: tuple[str, ...]
    caption: tuple[str, ...] = field(default=())
    """Sentences on what is to be seen, and what is not."""
