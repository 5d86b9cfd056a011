"""When a failed call is tried again: one layer, capped, ordered by time.

A call to be retried gives its slot back and waits in a queue, not in a sleeping task. So this
computes delays and keeps the queue; libraries that wrap a function and sleep inside it (tenacity,
stamina) would hold the slot and draw their jitter from a generator of their own, where here every
draw is named.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from auditor.endpoints.gate import LONGEST_NAMED_SECONDS
from auditor.errors import EndpointError, QuotaError, RateError

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with full jitter (uniform between nothing and the backoff)."""

    transient_attempts: int = 8
    """Attempts a call gets at most, counting the first; refusals for rate are not counted."""
    rate_attempts: int = 30
    """Refusals for rate (429) that a call takes at most: they are the endpoint's state."""
    first_seconds: float = 1.0
    longest_seconds: float = 60.0
    """Cap of the backoff. What an endpoint names itself (Retry-After) wins over it, to an hour."""

    def delay_seconds(
        self,
        error: EndpointError,
        *,
        transient_attempts: int,
        rate_attempts: int,
        jitter: float,
    ) -> float | None:
        """Seconds until the next attempt, or None to give up.

        Args:
            error: how the last attempt ended.
            transient_attempts: attempts that ended in a transient error, this one included.
            rate_attempts: attempts that were refused for rate, this one included.
            jitter: a number in [0, 1), drawn by name: `draw(seed, "retry", "<key>.<attempt>")`.

        A used-up account with a time named comes back at that time, uncounted, and not before its
        backoff where that time proves wrong again and again; without one, and for every other
        error that is not retryable, there is no next attempt.
        """
        if isinstance(error, QuotaError):
            named = error.retry_after_seconds
            return None if named is None else max(named, self._backoff(transient_attempts, jitter))
        if not error.retryable:
            return None
        is_rate = isinstance(error, RateError)
        attempts = rate_attempts if is_rate else transient_attempts
        if attempts >= (self.rate_attempts if is_rate else self.transient_attempts):
            return None
        if error.retry_after_seconds is not None:
            return min(LONGEST_NAMED_SECONDS, max(0.0, error.retry_after_seconds))
        return self._backoff(attempts, jitter)

    def _backoff(self, attempts: int, jitter: float) -> float:
        # 2.0**1023 is the last power that is a float; the cap is long reached by then.
        backoff = self.first_seconds * 2.0 ** min(max(attempts, 1) - 1, 64)
        return jitter * min(self.longest_seconds, backoff)


@dataclass(order=True, slots=True)
class _Entry(Generic[Item]):
    due: float
    order: int
    item: Item = field(compare=False)


class RetryQueue(Generic[Item]):
    """Calls that wait for their next attempt, by time, first come first served at equal times.

    It does not bound itself: its owner stops taking up work while too much waits.
    """

    def __init__(self) -> None:
        self._heap: list[_Entry[Item]] = []
        self._order = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, due: float, item: Item) -> None:
        """Let `item` wait until `due`, on the monotonic clock of the owner."""
        heapq.heappush(self._heap, _Entry(due, self._order, item))
        self._order += 1

    def pop_due(self, now: float) -> Item | None:
        """The first item whose time has come, or None."""
        if not self._heap or self._heap[0].due > now:
            return None
        return heapq.heappop(self._heap).item

    def next_due(self) -> float | None:
        """When the first item is due, or None if nothing waits."""
        return self._heap[0].due if self._heap else None

    def drain(self) -> list[Item]:
        """All that waits, in order of time; the queue is empty afterwards."""
        items = [entry.item for entry in sorted(self._heap)]
        self._heap.clear()
        return items
