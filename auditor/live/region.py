"""The lines at the bottom of a terminal that are drawn over and over, below what is said."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.control import Control
from rich.segment import ControlType, Segment
from rich.text import Text

_CODE = [(ControlType.CARRIAGE_RETURN,)]
"""Marks a segment as control, so that it is neither measured nor written into files."""

# Synchronised update: terminals that know it show a frame at once, others ignore it.
_BEGIN = "\x1b[?2026h"
_END = "\x1b[?2026l"
# Line by line: tmux keeps a copy of a screen that is erased from its first cell on.
_ERASE_LINE = "\x1b[2K"
_UP = "\x1b[1A"
# Without autowrap a character that a terminal draws wider than expected cannot push a line over.
_NO_WRAP = "\x1b[?7l"
# The cursor rests at the start of the last line: there the terminal's echo of Ctrl-C has room,
# and does not push the frame up.
_WRAP = "\r\x1b[?7h"


class Region(RenderHook):
    """A frame of lines that stays below everything else printed on the same console.

    Terminals rewrap what they show when they become narrower: the frame's place is computed
    from the lines drawn last and the width of the moment, so that no rest of it stays.
    Everything is safe to call from any thread; a call writes once and waits for nobody but
    another write.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.RLock()
        self._lines: Sequence[Text] = ()
        self._drawn: tuple[int, ...] = ()
        """Cells of each line of the frame that is on the screen."""
        self._open = False
        self._closed = False

    def open(self) -> bool:
        """Take the bottom of the console; the cursor is hidden until `close`.

        True the first time; a region that was closed stays closed.
        """
        with self._lock:
            if self._open or self._closed:
                return False
            self._open = True
            self._console.push_render_hook(self)
            self._console.show_cursor(False)
            return True

    def draw(self, lines: Sequence[Text]) -> None:
        """Replace the frame. Without effect on a closed region."""
        with self._lock:
            if self._open:
                self._lines = tuple(lines)
                self._console.print(Control())

    def say(self, message: Text) -> None:
        """Print `message` above the frame, broken between words."""
        with self._lock:
            self._console.print(message)

    def close(self) -> None:
        """Leave the last frame where it is, and the cursor below it."""
        with self._lock:
            self._closed = True
            if not self._open:
                return
            self._open = False
            self._console.pop_render_hook()
            if self._drawn:
                self._console.print()
            self._console.show_cursor(True)
            self._drawn = ()

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Erase the frame, print what is to be printed, and draw the frame again below it."""
        with self._lock:
            erase = _Raw(_BEGIN + self._erasure())
            self._drawn = tuple(line.cell_len for line in self._lines)
            frame = (_Raw(_NO_WRAP), _Frame(self._lines), _Raw(_WRAP + _END))
            return [erase, *renderables, *frame]

    def _erasure(self) -> str:
        """Erases the frame on the screen and leaves the cursor in its first cell."""
        if not self._drawn:
            return ""
        width = max(1, self._console.width)
        rows = [max(1, -(-cells // width)) for cells in self._drawn]
        # Where the last line was rewrapped, the cursor is on the first of its rows.
        below = (f"\x1b[1B{_ERASE_LINE}" * (rows[-1] - 1)) + _UP * (rows[-1] - 1)
        above = f"{_UP}{_ERASE_LINE}" * sum(rows[:-1])
        return f"\r{_ERASE_LINE}{below}{above}"


class _Raw:
    """Control codes as they are."""

    def __init__(self, codes: str) -> None:
        self._codes = codes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Segment(self._codes, None, _CODE)


class _Frame:
    """Lines without a line feed after the last one."""

    def __init__(self, lines: Sequence[Text]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, line in enumerate(self._lines):
            if number:
                yield Segment.line()
            yield from line.render(console, end="")
