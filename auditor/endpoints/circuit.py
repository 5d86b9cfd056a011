"""When an endpoint cannot be reached: stop asking, try one call at a time, give up in the end."""

from __future__ import annotations

import math

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0
_PROBES = 10


class Circuit:
    """Opens after so many failures in a row without any word from the endpoint.

    While it is open, one probe goes out after 1, 2, 4, ... up to 60 s. Any word from the endpoint
    closes it; ten failed probes give it up. Failures of calls that were in flight when it opened
    change nothing.
    """

    def __init__(self, threshold: int) -> None:
        self._threshold = threshold
        self._failures = 0
        self._failing_since: float | None = None
        self._opens_at: float | None = None
        self._probes_failed = 0
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether calls are held back."""
        return self._opens_at is not None

    @property
    def probe_at(self) -> float | None:
        """When the next probe may go out; None while closed."""
        return self._opens_at

    def failing_seconds(self, now: float) -> float:
        """How long nothing has been heard."""
        return 0.0 if self._failing_since is None else now - self._failing_since

    def wait_seconds(self, now: float) -> float:
        """0 if a call may start, infinity while a probe is out, else seconds to the next one."""
        if self._opens_at is None:
            return 0.0
        return math.inf if self._probing else max(0.0, self._opens_at - now)

    def take(self) -> bool:
        """Count a call that starts; True if it is a probe."""
        self._probing = self.is_open
        return self._probing

    def heard(self) -> None:
        """The endpoint said something: close."""
        self._failures = 0
        self._failing_since = None
        self._opens_at = None
        self._probes_failed = 0
        self._probing = False

    def failed(self, now: float, *, is_probe: bool) -> bool:
        """Count a call that got no answer; True if the endpoint is given up."""
        if self._failing_since is None:
            self._failing_since = now
        self._failures += 1
        if self.is_open and is_probe:
            self._probing = False
            self._probes_failed += 1
            self._opens_at = now + self._pause_seconds()
            return self._probes_failed >= _PROBES
        if not self.is_open and self._failures >= self._threshold:
            self._opens_at = now + self._pause_seconds()
        return False

    def abandoned(self) -> None:
        """A probe ended without telling anything: the next call is the probe."""
        self._probing = False

    def _pause_seconds(self) -> float:
        return min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2.0**self._probes_failed)
