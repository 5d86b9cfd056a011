"""The rich live view: reads, draws, and prints messages above what it draws."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.text import Text

from auditor.harmless import harmless
from auditor.live.dashboard import frame
from auditor.live.glyphs import glyphs_for
from auditor.live.plain import PlainView
from auditor.live.pulse import Pulse
from auditor.live.reading import Read, Reading, rest_seconds
from auditor.live.region import Region
from auditor.live.spoken import StandardStreams
from auditor.store.status import Snapshot

_CLOSING_SECONDS = 5.0
"""How long the end of a run waits for a last frame."""


class View(Protocol):
    """What shows a run: on a terminal or as plain lines."""

    problems: list[str]
    """Failures of the view itself, each once; none of them ends the run."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The last one read."""
        ...

    def start(self) -> None:
        """Show the run from a thread of its own."""
        ...

    def tick(self) -> float:
        """Show what is due, and the seconds until the next call: for a loop instead of a thread."""
        ...

    def say(self, text: str, style: str = "") -> None:
        """Print a line at once, from any thread."""
        ...

    def stop(self) -> None:
        """Show the last state and end."""
        ...


def open_view(read: Read, console: Console) -> View:
    """The dashboard on a terminal, plain lines elsewhere (pipes, files, TERM=dumb)."""
    return LiveView(read, console) if is_drawn(console) else PlainView(read, console.file)


def is_drawn(console: Console) -> bool:
    """Whether `open_view` gives the dashboard; plain lines show no headline figures."""
    return console.is_terminal and not console.is_dumb_terminal


class LiveView:
    """The dashboard, drawn at most once every `refresh_seconds`, at the foot of a terminal.

    Reading and drawing each take at most a twentieth of the time: where one is slow, it happens
    more seldom, but countdowns go on every second. What fails in here is said once, kept in
    `problems`, and tried again later. `start` and `stop` frame a thread; a caller with a loop of
    its own calls `tick` instead of `start`, and `stop` at the end. `clock` is monotonic seconds,
    `wall` Unix seconds. `read` is called by one thread only.
    """

    def __init__(
        self,
        read: Read,
        console: Console,
        *,
        refresh_seconds: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._console = console
        self._glyphs = glyphs_for(console)
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._wall = wall
        self._reading = Reading(read, clock, refresh_seconds)
        self._region = Region(console)
        self._streams = StandardStreams(self.say)
        self._pulse: Pulse | None = None
        self._stopped = False
        self._next_draw = clock()
        self.problems: list[str] = []

    @property
    def snapshot(self) -> Snapshot | None:
        """The last one read, or None before the first."""
        return self._reading.snapshot

    def start(self) -> None:
        """Draw from a thread of its own until `stop`."""
        self._pulse = Pulse(self.tick, self._finish)
        self._pulse.start()

    def tick(self) -> float:
        """Read and draw what is due; the seconds until something will be."""
        start = self._clock()
        if start < self._next_draw:
            return self._next_draw - start
        try:
            self._reading.refresh()
            drawing_from = self._clock()
            self._draw()
            end = self._clock()
            wait = rest_seconds(end - drawing_from, self._refresh_seconds)
            # Between two readings only the clocks on the screen move: once a second will do.
            self._next_draw = max(start + wait, min(self._reading.due_at, start + 1.0))
        except Exception as error:
            self._record(error)
            end = self._clock()
            self._next_draw = end + max(1.0, self._refresh_seconds)
        return max(0.0, self._next_draw - end)

    def say(self, text: str, style: str = "") -> None:
        """Print `text` above the frame, at once: it waits for no reading and no layout."""
        message = Text(self._glyphs.plain(text, keep_lines=True), style=style)
        try:
            self._region.say(message)
        except (OSError, ValueError) as error:
            # A terminal that went away must not take the run with it.
            self._note(error)

    def stop(self) -> None:
        """Draw the last state and leave it on the screen, cursor below. Again: nothing."""
        if self._stopped:
            return
        self._stopped = True
        if self._pulse is None:
            self._finish()
        elif not self._pulse.stop(_CLOSING_SECONDS):
            self.problems.append("the last frame took too long")
        try:
            self._streams.give_back()
            self._region.close()
        except (OSError, ValueError) as error:
            self._note(error)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _draw(self) -> None:
        snapshot = self._reading.snapshot
        if snapshot is None:
            return
        size = self._console.size
        lines = frame(
            snapshot,
            self._reading.headlines,
            self._reading.rates,
            width=size.width,
            # One line is left for the shell's prompt after the end.
            height=max(1, size.height - 1),
            now=self._wall(),
            glyphs=self._glyphs,
        )
        if self._region.open():
            self._streams.take()
        self._region.draw(lines)

    def _finish(self) -> None:
        try:
            self._reading.refresh(force=True)
            self._draw()
        except Exception as error:
            self._record(error)

    def _record(self, error: Exception) -> None:
        if self._note(error):
            self.say(f"live view: {self.problems[-1]} (the run goes on)", "yellow")

    def _note(self, error: Exception) -> bool:
        """Keep a failure; True if it is the first of its kind."""
        problem = f"{type(error).__name__}: {harmless(str(error), 200)}"
        if problem in self.problems:
            return False
        self.problems.append(problem)
        return True
