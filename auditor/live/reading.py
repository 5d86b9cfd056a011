"""When a view reads the store: as often as it likes, but never for long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from auditor.live.rates import UNKNOWN_RATES, RateMeter, Rates
from auditor.protocols.base import Headline
from auditor.store.status import Snapshot

Read = Callable[[], tuple[Snapshot, Sequence[Headline]]]
"""Gives the state of a run and its headline figures; called by one thread only."""

_SHARE = 0.05
"""Most of a view's time that goes into reading, and into drawing."""


def rest_seconds(spent_seconds: float, least_seconds: float) -> float:
    """Seconds from one start to the next of work that takes `spent_seconds`."""
    return max(least_seconds, spent_seconds / _SHARE)


class Reading:
    """The last snapshot, its figures and rates, read again when it is due.

    The costlier a reading is, the longer until the next: at most a twentieth of the time.
    """

    def __init__(self, read: Read, clock: Callable[[], float], interval_seconds: float) -> None:
        self._read = read
        self._clock = clock
        self._interval = interval_seconds
        self._meter = RateMeter()
        self.due_at = clock()
        """When the next reading may start, by `clock`."""
        self.snapshot: Snapshot | None = None
        self.headlines: Sequence[Headline] = ()
        self.rates: Rates = UNKNOWN_RATES

    def refresh(self, *, force: bool = False) -> None:
        """Read if it is time, or in any case. What `read` raises is passed on."""
        start = self._clock()
        if not force and start < self.due_at:
            return
        try:
            self.snapshot, self.headlines = self._read()
        finally:
            end = self._clock()
            self.due_at = start + rest_seconds(end - start, self._interval)
        self.rates = self._meter.observe(self.snapshot, end)
