"""Requests a minute as asyncio-throttle wants them: few permits over short periods."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

_LOOKS_EVERY_SECONDS = 0.001


class EvenThrottle:
    """n = max(1, round(rate/20)) permits in every n/rate seconds, from one asyncio-throttle.

    The throttle looks for a free permit in short intervals. Its only caller knows when the oldest
    one comes back and sleeps until then, so that it looks once or twice instead of for the whole
    period, and loses about a millisecond a period.
    """

    def __init__(
        self, requests_per_minute: float, *, clock: Callable[[], float] = monotonic
    ) -> None:
        from asyncio_throttle.throttler import Throttler

        self.permits, self.period = permits_for(requests_per_minute)
        self._throttler = Throttler(self.permits, self.period, _LOOKS_EVERY_SECONDS)
        self._clock = clock
        self._given: deque[float] = deque(maxlen=self.permits)

    async def acquire(self) -> None:
        """Wait for a permit. For one caller at a time."""
        if len(self._given) == self.permits:
            await asyncio.sleep(max(0.0, self._given[0] + self.period - self._clock()))
        await self._throttler.acquire()  # type: ignore[no-untyped-call]
        self._given.append(self._clock())


def permits_for(requests_per_minute: float) -> tuple[int, float]:
    """Permits and the period in seconds that they belong to."""
    rate = requests_per_minute / 60.0
    permits = max(1, round(rate / 20.0))
    return permits, permits / rate
