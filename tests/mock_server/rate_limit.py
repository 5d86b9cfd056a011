"""A bucket of tokens that refills continuously, as real rate limits do."""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class Bucket:
    """Gives `per_second` permits a second, at most `burst` at once."""

    def __init__(
        self, per_second: float, *, burst: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second = per_second
        self.burst = burst
        self.level = burst
        self._clock = clock
        self._last = clock()

    def take(self) -> bool:
        """Whether there was a permit; it is used up."""
        now = self._clock()
        self.level = min(self.burst, self.level + (now - self._last) * self.per_second)
        self._last = now
        if self.level < 1:
            return False
        self.level -= 1
        return True

    @property
    def wait_seconds(self) -> float:
        """Seconds until the next permit."""
        return max(0.0, (1 - self.level) / self.per_second)

    def headers(self) -> dict[str, str]:
        """Allowance headers in OpenAI's form."""
        return {
            "x-ratelimit-limit-requests": str(int(self.burst)),
            "x-ratelimit-remaining-requests": str(int(self.level)),
            "x-ratelimit-reset-requests": f"{math.ceil(1000 * self.wait_seconds)}ms",
        }
