"""How many calls an endpoint gets at once: less after a refusal, more with each answer."""

from __future__ import annotations


class AdaptiveConcurrency:
    """A limit between 1 and the spec's. A quarter of a call is won back with each answer."""

    def __init__(self, ceiling: int) -> None:
        self.ceiling = max(1, ceiling)
        self._limit = float(self.ceiling)

    @property
    def limit(self) -> int:
        """Calls allowed at once."""
        return int(self._limit)

    def shrink(self, in_flight: int) -> None:
        """Take back 15 %, once an episode.

        Where the limit was not reached it did not cause the refusal: then it falls towards what
        is in use, and stays above it.
        """
        lower = 0.85 * self._limit
        if in_flight < self.limit:
            lower = max(lower, in_flight + 1.0)
        self._limit = max(1.0, min(lower, self._limit))

    def grow(self) -> None:
        """Win back on an answer."""
        self._limit = min(float(self.ceiling), self._limit + 0.25)
