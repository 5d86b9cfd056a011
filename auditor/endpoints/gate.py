"""Whether an endpoint may be asked right now: concurrency, pace and pauses in one place.

A refusal (429) begins an *episode*: the endpoint as a whole pauses for as long as it says
(Retry-After, at most an hour), else for half a second, doubled while refusals follow each other
without an answer between them. One episode shrinks concurrency and pace once: refusals of calls
that were admitted before it began can lengthen its pause, no more.

Where the first call after a pause is refused, the endpoint is closed, which does not say how wide
it opens: nothing shrinks. If nothing is answered meanwhile either, one call at a time goes out,
until one is. However long an endpoint stays closed, it is then asked again as widely as before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.endpoints.concurrency import AdaptiveConcurrency
from auditor.endpoints.pace import Pace
from auditor.types import RateHints

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 60.0
LONGEST_NAMED_SECONDS = 3600.0
"""An endpoint that names a later time is asked again after this: one call, and it may be wrong."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A call's leave to start."""

    at: float
    number: int
    """1 for the endpoint's first call."""
    is_probe: bool = False
    """Whether it tries an endpoint that could not be reached."""


class Gate:
    """Counts calls in flight and says how long the next one has to wait.

    `climbs`: whether it starts slowly (for endpoints without a limit in the spec).
    """

    def __init__(self, ceiling: int, *, climbs: bool = True) -> None:
        self.concurrency = AdaptiveConcurrency(ceiling)
        self.pace = Pace(climbs=climbs)
        self.in_flight = 0
        self.paused_until = -math.inf
        self.reason: str | None = None
        """Why it pauses, while it does."""
        self._episode_at = -math.inf
        self._answered_since = False
        self._barren = 0

    @property
    def limit(self) -> int:
        """Calls allowed at once right now."""
        return 1 if self._barren else self.concurrency.limit

    def wait_seconds(self, now: float) -> float:
        """0 if a call may start, infinity if one has to end first, else seconds to wait."""
        if self.in_flight >= self.limit:
            return math.inf
        return max(0.0, self.paused_until - now, self.pace.ready_at() - now)

    def take(self, now: float, *, is_probe: bool = False) -> Pass:
        """Count a call that starts."""
        self.in_flight += 1
        return Pass(now, self.pace.take(now), is_probe)

    def release(self) -> None:
        """Count a call whose slot is free again."""
        self.in_flight -= 1

    def answered(self, now: float, leave: Pass) -> None:
        """Learn from a call that the endpoint let through, whatever it answered."""
        self._barren = 0
        self._answered_since = True
        self.pace.answered(now, now - leave.at)
        self.concurrency.grow()

    def hinted(self, now: float, hints: RateHints) -> None:
        """Wait for the reset where the headers say that nothing is left."""
        used_up = hints.remaining_requests == 0 or hints.remaining_tokens == 0
        if used_up and hints.reset_seconds is not None:
            self._pause(now, now + hints.reset_seconds, "allowance used up")

    def refused(self, now: float, leave: Pass, retry_after_seconds: float | None = None) -> None:
        """Pause after a 429, and shrink if it begins an episode."""
        if leave.at <= self._episode_at:
            if retry_after_seconds is not None:
                self._pause(now, now + retry_after_seconds, "429")
            return
        is_closed = self._episode_at > -math.inf and self.pace.passed(leave.number) == 0
        self._barren = self._barren + 1 if is_closed and not self._answered_since else 0
        if is_closed:
            self.pace.closed(now)
        else:
            self.concurrency.shrink(self.in_flight)
            self.pace.refused(now, leave.number, self.in_flight)
        self._episode_at = now
        self._answered_since = False
        if retry_after_seconds is None:
            doubled = _FIRST_PAUSE_SECONDS * 2.0 ** min(self._barren, 10)
            retry_after_seconds = min(_LONGEST_PAUSE_SECONDS, doubled)
        self._pause(now, now + retry_after_seconds, "429")

    def _pause(self, now: float, until: float, reason: str) -> None:
        until = min(until, now + LONGEST_NAMED_SECONDS)
        if until > max(now, self.paused_until):
            self.pace.paused(until)
            self.paused_until = until
            self.reason = reason
