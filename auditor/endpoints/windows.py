"""What was used in the last minute: a sliding window over requests or tokens."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

_WINDOW_SECONDS = 60.0
_SLOT_SECONDS = 0.1


@dataclass(slots=True)
class Entry:
    """What was used within a tenth of a second."""

    began_at: float
    at: float
    """The last moment that it holds: it leaves the window as a whole, a minute after this."""
    amount: float


class MinuteWindow:
    """At most `limit` in any 60 seconds.

    Amounts of one tenth of a second are kept as one, so that memory does not grow with the limit.
    An amount above the limit passes when the window is empty: it could never pass otherwise.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._entries: deque[Entry] = deque()
        self._used = 0.0

    def used(self, now: float) -> float:
        """What stands in the window."""
        self._drop(now)
        return self._used

    def wait_seconds(self, now: float, amount: float) -> float:
        """Seconds until `amount` fits; 0 if it does."""
        self._drop(now)
        excess = self._used + amount - self.limit
        if excess <= 0 or not self._entries:
            return 0.0
        leaves_at = now
        for entry in self._entries:
            leaves_at = entry.at + _WINDOW_SECONDS
            excess -= entry.amount
            if excess <= 0:
                break
        # Beyond the last digit of the sum, so that the entry is gone when the wait is over.
        return math.nextafter(leaves_at, math.inf) - now + 1e-6

    def add(self, at: float, amount: float) -> Entry:
        """Count `amount` at a moment not before the last one; the entry can be amended."""
        self._used += amount
        last = self._entries[-1] if self._entries else None
        if last is not None and at - last.began_at < _SLOT_SECONDS:
            last.at = max(last.at, at)
            last.amount += amount
            return last
        entry = Entry(at, at, amount)
        self._entries.append(entry)
        return entry

    def amend(self, entry: Entry, difference: float, now: float) -> None:
        """Correct an estimate by what was really used; nothing if it has left the window."""
        self._drop(now)
        if entry.at > now - _WINDOW_SECONDS:
            entry.amount += difference
            self._used += difference

    def _drop(self, now: float) -> None:
        while self._entries and self._entries[0].at <= now - _WINDOW_SECONDS:
            self._used -= self._entries.popleft().amount
        if not self._entries:
            self._used = 0.0
