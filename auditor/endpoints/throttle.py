"""Requests a minute as asyncio-throttle wants them: few permits over short periods."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from time import monotonic

_LOOKS_EVERY_SECONDS = 0.001


class EvenThrottle:
    """n = max(1, round(rate/20)) permits in every n/rate seconds, from one asyncio-throttle.

    The throttle looks for a free permit in short intervals. Its only caller knows when the oldest
    one comes back and sleeps until then, so that it looks once or twice instead of for the whole
    period.

    On a busy machine that sleep ends late. What a permit lost in this way, at most one period, its
    next period is shorter by: permits keep to their times, and a stretch of time holds at most one
    period's permits more than without delays. Time in which nobody asked is not made up for.
    """

    def __init__(
        self, requests_per_minute: float, *, clock: Callable[[], float] = monotonic
    ) -> None:
        from asyncio_throttle.throttler import Throttler

        self.permits, self.period = permits_for(requests_per_minute)
        self._throttler = Throttler(self.permits, self.period, _LOOKS_EVERY_SECONDS)
        self._clock = clock
        self._given: deque[tuple[float, float]] = deque(maxlen=self.permits)
        """When each permit was given last, and how much later than it was free."""
        self._woke_at = -math.inf

    async def acquire(self) -> None:
        """Wait for a permit. For one caller at a time."""
        late = 0.0
        if len(self._given) == self.permits:
            given_at, made_up = self._given[0]
            self._throttler.period = self.period - made_up
            free_at = given_at + self._throttler.period
            wait = free_at - self._clock()
            if wait > 0:
                await asyncio.sleep(wait)
                self._woke_at = self._clock()
            # One sleep that ends late is late for every permit that came back meanwhile.
            late = min(max(0.0, self._woke_at - free_at), self.period)
        await self._throttler.acquire()  # type: ignore[no-untyped-call]
        self._given.append((self._clock(), late))


def permits_for(requests_per_minute: float) -> tuple[int, float]:
    """Permits and the period in seconds that they belong to."""
    rate = requests_per_minute / 60.0
    permits = max(1, round(rate / 20.0))
    return permits, permits / rate
