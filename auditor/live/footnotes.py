"""Notes of a table, each once, below it."""

from __future__ import annotations

from rich.text import Text

from auditor.live.columns import crop, wrap
from auditor.live.glyphs import Glyphs


class Footnotes:
    """Collects notes and gives each a number; the same note gets the same number."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._numbers: dict[str, int] = {}

    def mark(self, note: str | None) -> str:
        """The sign of a note, "[1]" for the first; empty for None."""
        if note is None:
            return ""
        return f"[{self._numbers.setdefault(note, len(self._numbers) + 1)}]"

    def lines(self, width: int) -> list[Text]:
        """The notes in the order of their numbers, wrapped by words to `width` cells."""
        lines = [
            line
            for note, number in self._numbers.items()
            for line in wrap(self._glyphs.plain(note, 1_000), width, lead=f"[{number}] ")
        ]
        return [crop(Text(line, style="dim", no_wrap=True), width, self._glyphs) for line in lines]
