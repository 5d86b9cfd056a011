"""Texts of a figure: nothing in them acts, and each fits its place. Sizes are in points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.harmless import harmless

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

POINTS = 72
"""An inch."""
LINE = 1.35
"""Height of a line, in sizes of its letters."""

CHINESE = Path(__file__).parent / "fonts" / "DroidSansFallback-GB2312.ttf"
"""Has the glyphs that the font of matplotlib lacks."""

CUT = "…"
"""Stands in a name for its middle."""

_LATIN = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
_LONGEST = 1000
_PIECES = re.compile(r"[^\s/\-_]*(?:[\s/\-_]+|$)")
_MEASURED = 100
_FIXED_POINT = 65536


def legible(text: str) -> str:
    r"""`text` with what a figure's font cannot show as escapes: `\x1b`, `\u0915`.

    A character without a glyph would come out as an empty box, the same for all of them.
    """
    known = _glyphs()
    return "".join(
        character if ord(character) in known else f"\\u{ord(character):04x}"
        for character in harmless(text, _LONGEST)
    )


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a legible text is, in inches; pairs that stand closer together are not counted."""
    return sum(_advance(character, bold) for character in text) * size / POINTS


def height(lines: int, size: float) -> float:
    """How high so many lines are, in inches."""
    return lines * size * LINE / POINTS


def fitted(text: str, size: float, most: float, *, bold: bool = False) -> str:
    """A legible text cut in its middle to `most` inches: names differ at their ends."""
    if width(text, size, bold=bold) <= most:
        return text
    kept = len(text) - 1
    while kept > 2:
        cut = _without_middle(text, kept)
        if width(cut, size, bold=bold) <= most:
            return cut
        kept -= 1
    return CUT


def wrapped(text: str, size: float, most: float, *, bold: bool = False) -> list[str]:
    """A legible text in lines of at most `most` inches, between words where that is possible."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold=bold) <= most:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while width(line, size, bold=bold) > most and len(line) > 1:
            cut = len(line) - 1
            while cut > 1 and width(line[:cut], size, bold=bold) > most:
                cut -= 1
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line]


def stacked(text: str, size: float, most: float, lines: int, *, bold: bool = False) -> str:
    """A legible name in at most `lines` lines of `most` inches, cut in its middle if need be.

    Lines end behind `/ - _` or a blank where that is possible.
    """
    found = _parted(text, size, most, bold)
    kept = len(text) - 1
    while len(found) > lines and kept > 2:
        shorter = _without_middle(text, kept)
        if width(shorter, size, bold=bold) <= most * lines:
            found = _parted(shorter, size, most, bold)
        kept -= 1
    return "\n".join(found[:lines])


def _parted(text: str, size: float, most: float, bold: bool) -> list[str]:
    lines = [""]
    for piece in _PIECES.findall(text):
        rest = piece
        while rest:
            if width((lines[-1] + rest).rstrip(), size, bold=bold) <= most:
                lines[-1] += rest
                break
            if lines[-1]:
                lines.append("")
                continue
            cut = len(rest)
            while cut > 1 and width(rest[:cut], size, bold=bold) > most:
                cut -= 1
            lines[-1], rest = rest[:cut], rest[cut:]
            if rest:
                lines.append("")
    return [line.rstrip() for line in lines]


def _without_middle(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    return f"{text[:head]}{CUT}{text[len(text) - (kept - head) :]}"


def unlike(names: list[str]) -> list[str]:
    """The names, those that look the same told apart by a number."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def shortened(names: Iterable[str], shorten: Callable[[str], str]) -> list[str]:
    """Each name made shorter; different ones that look the same then are told apart by a number."""
    names = list(names)
    different = list(dict.fromkeys(names))
    short = dict(zip(different, unlike([shorten(name) for name in different]), strict=True))
    return [short[name] for name in names]


@lru_cache(maxsize=2048)
def _advance(character: str, bold: bool) -> float:
    """Width of a character in sizes of its letters."""
    from matplotlib.ft2font import LoadFlags

    font = _font(_LATIN[bold])
    if ord(character) not in font.get_charmap():
        font = _font(CHINESE)
    font.set_size(_MEASURED, POINTS)
    glyph = font.load_char(ord(character), flags=LoadFlags.NO_HINTING)
    return glyph.linearHoriAdvance / _FIXED_POINT / _MEASURED


@lru_cache(maxsize=3)
def _font(file: Path | str) -> FT2Font:
    """A font by its file; a text is the name of one that comes with matplotlib."""
    import matplotlib
    from matplotlib.font_manager import get_font

    return get_font(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / file)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    light, bold = (frozenset(_font(name).get_charmap()) for name in _LATIN)
    return (light & bold) | frozenset(_font(CHINESE).get_charmap())
