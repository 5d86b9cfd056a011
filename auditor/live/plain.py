"""The view of a run where there is no terminal: one plain line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO, Self

from auditor.counted import counted
from auditor.harmless import harmless
from auditor.live import figures
from auditor.live.glyphs import ASCII, UNICODE, Glyphs, speaks_ascii_only
from auditor.live.header import elapsed_seconds, spent
from auditor.live.notices import wait_reasons
from auditor.live.pulse import Pulse
from auditor.live.rates import Rates
from auditor.live.reading import Read, Reading
from auditor.live.simulated import simulated_targets, simulated_words
from auditor.store.status import JudgeProgress, Snapshot

_CLOSING_SECONDS = 5.0
_READS_EVERY_SECONDS = 1.0
"""More often than it writes: who waits for the end of a run hears of it soon."""


class PlainView:
    """Lines on `stream`, at once at the start, every `interval_seconds`, and at the end.

    The same interface as the live view's, and the same promise: what fails in here is said
    once and never ends the run.
    """

    def __init__(
        self,
        read: Read,
        stream: IO[str],
        *,
        interval_seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._stream = stream
        encoding = getattr(stream, "encoding", None) or "utf-8"
        self._glyphs = ASCII if speaks_ascii_only(encoding) else UNICODE
        self._interval = interval_seconds
        self._clock = clock
        self._wall = wall
        self._reading = Reading(read, clock, min(_READS_EVERY_SECONDS, interval_seconds))
        self._line_due_at = clock()
        self._pulse: Pulse | None = None
        self._stopped = False
        self._last = ""
        self.problems: list[str] = []

    @property
    def snapshot(self) -> Snapshot | None:
        """The last one read, or None before the first."""
        return self._reading.snapshot

    def start(self) -> None:
        """Write from a thread of its own until `stop`."""
        self._pulse = Pulse(self.tick, self._finish)
        self._pulse.start()

    def tick(self) -> float:
        """Read if it is time, write a line if one is due; the seconds until the next reading."""
        now = self._clock()
        if now >= self._reading.due_at:
            is_due = now >= self._line_due_at
            if is_due:
                self._line_due_at = now + self._interval
            self._refresh(write=is_due)
        return max(0.0, self._reading.due_at - self._clock())

    def say(self, text: str, style: str = "") -> None:
        """Write `text` at once; the style is for terminals."""
        try:
            # One write a line: lines of two threads don't mix.
            self._stream.write(self._glyphs.plain(text, keep_lines=True) + "\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._note(error)

    def stop(self) -> None:
        """Write the last state. Again: nothing."""
        if self._stopped:
            return
        self._stopped = True
        if self._pulse is None:
            self._finish()
        elif not self._pulse.stop(_CLOSING_SECONDS):
            self.problems.append("the last line took too long")

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

    def _finish(self) -> None:
        self._refresh(write=True, again=False)

    def _refresh(self, *, write: bool, again: bool = True) -> None:
        """Read, and write a line; `again` False: unless it is the one that was written last."""
        try:
            self._reading.refresh(force=True)
            if write and self._reading.snapshot is not None:
                line = progress_line(
                    self._reading.snapshot, self._reading.rates, self._wall(), self._glyphs
                )
                if again or line != self._last:
                    self.say(line)
                self._last = line
        except Exception as error:
            if self._note(error):
                self.say(f"live view: {self.problems[-1]} (the run goes on)")

    def _note(self, error: Exception) -> bool:
        problem = f"{type(error).__name__}: {harmless(str(error), 200)}"
        if problem in self.problems:
            return False
        self.problems.append(problem)
        return True


def progress_line(snapshot: Snapshot, rates: Rates, now: float, glyphs: Glyphs) -> str:
    """A run's state in one line. `now` is in Unix seconds."""
    running = snapshot.state == "running"
    run = glyphs.plain(snapshot.run, 60)
    mark = f" [{simulated_words(*simulated_targets(snapshot))}]" if snapshot.simulated else ""
    elapsed = figures.duration(elapsed_seconds(snapshot, now))
    parts = [
        f"{run}{mark} {snapshot.state} {elapsed}",
        f"{figures.count(snapshot.responses)}/{counted(snapshot.planned, 'trial')} "
        f"({figures.percent(snapshot.responses, snapshot.planned)})",
        *_judged(snapshot.judges),
    ]
    if running:
        parts += [
            f"speed {figures.rate(rates.calls)}",
            f"left {figures.duration(rates.seconds_left)}",
        ]
    parts += [
        f"{figures.count(snapshot.failures)} failed",
        counted(snapshot.retries, "retry"),
        spent(snapshot),
    ]
    for gauge, seconds, why in wait_reasons(snapshot, now):
        state = "has stopped" if seconds is None else f"goes on in {figures.duration(seconds + 1)}"
        parts.append(f"{gauge.endpoint} {state}: {why[:200]}")
    parts += [f"ALARM: {alarm[:200]}" for alarm in snapshot.alarms]
    return glyphs.plain(", ".join(parts))


def _judged(judges: Sequence[JudgeProgress]) -> list[str]:
    if not judges:
        return []
    done = sum(judge.done for judge in judges)
    planned = sum(judge.planned for judge in judges)
    return [f"{figures.count(done)}/{figures.count(planned)} judged"]
