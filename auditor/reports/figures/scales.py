"""How numbers of a scale are written and coloured, so that no meaning hangs on hue alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.reports.figures.shapes import Scale

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

_MAPS = {
    Scale.SHARE: "cividis",
    Scale.AMOUNT: "cividis",
    # Orange and purple stay apart for every kind of colour vision.
    Scale.LEAN: "PuOr",
    # So do red and blue; which is whose follows the papers on gender.
    Scale.MEN: "RdBu",
    Scale.SHIFT: "PuOr",
    Scale.RATING: "cividis",
    Scale.CORRELATION: "PuOr",
}
_TICKS = {
    Scale.SHARE: {0.0: "0 %", 0.5: "50 %", 1.0: "100 %"},
    Scale.LEAN: {0.0: "0 %", 0.5: "50 %", 1.0: "100 %"},
    Scale.MEN: {0.0: "0 %", 0.5: "50 %", 1.0: "100 %"},
    Scale.SHIFT: {-1.0: "−100", 0.0: "0", 1.0: "+100"},
    Scale.AMOUNT: {0.0: "0", 0.5: "0.5", 1.0: "1"},
    Scale.RATING: {1.0: "1", 3.0: "3", 5.0: "5"},
    Scale.CORRELATION: {-1.0: "−1", 0.0: "0", 1.0: "+1"},
}


def colour_map(scale: Scale) -> Colormap:
    """The colours from the lowest to the highest number."""
    import matplotlib

    return matplotlib.colormaps[_MAPS[scale]]


def ticks(scale: Scale) -> dict[float, str]:
    """Numbers that the scale of colours names."""
    return _TICKS[scale]


def colour(scale: Scale, value: float) -> tuple[float, float, float, float]:
    """The colour of a number; ends of the scale for what lies beyond them."""
    low, high = min(_TICKS[scale]), max(_TICKS[scale])
    place = (min(max(value, low), high) - low) / (high - low)
    red, green, blue, alpha = colour_map(scale)(place)
    return (red, green, blue, alpha)


def is_bold(scale: Scale, value: float) -> bool:
    """Whether a number is written in bold: on blue, which in grey is as dark as red."""
    return scale is Scale.MEN and value > 0.5


def ink(colour: tuple[float, float, float, float]) -> str:
    """Black or white, whichever reads better on a colour."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Where both contrast equally: (1 + 0.05) / (l + 0.05) = (l + 0.05) / 0.05.
    return "black" if luminance > 0.179 else "white"


def written(scale: Scale, value: float) -> str:
    """A number as its tile says it."""
    if scale in (Scale.AMOUNT, Scale.RATING):
        return f"{value:.2f}"
    if scale is Scale.CORRELATION:
        return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    points = round(100 * value)
    if scale is Scale.SHIFT:
        return f"{points:+d}".replace("-", "−") if points else "0"
    return str(points)
