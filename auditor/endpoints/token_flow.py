"""Tokens a minute: an even flow within a sliding window.

The window alone would let a minute's tokens go in its first second and then stand still. So tokens
are spread as well, at most a second's worth ahead of an even flow. A call needs room for its
estimate; what it does not use is given back when its usage is known.
"""

from __future__ import annotations

import math

from auditor.endpoints.windows import Entry, MinuteWindow


class TokenFlow:
    """Counts tokens of calls and says how long the next call has to wait."""

    def __init__(self, per_minute: float) -> None:
        self._window = MinuteWindow(per_minute)
        self._rate = per_minute / 60.0
        self._free_at = -math.inf

    def wait_seconds(self, now: float, tokens: int) -> float:
        """Seconds until a call of so many tokens may start."""
        return max(0.0, self._free_at - 1.0 - now, self._window.wait_seconds(now, tokens))

    def add(self, at: float, tokens: int) -> Entry:
        """Count a call that starts."""
        self._free_at = max(self._free_at, at) + tokens / self._rate
        return self._window.add(at, tokens)

    def remember(self, at: float, tokens: int) -> None:
        """Count a call of the past."""
        self._window.add(at, tokens)

    def amend(self, entry: Entry, difference: int, now: float) -> None:
        """Correct an estimate by what was really used."""
        self._free_at += difference / self._rate
        self._window.amend(entry, difference, now)
