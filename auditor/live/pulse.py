"""A view's thread: calls it when it asks to be called, until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Pulse:
    """Calls `tick` in a daemon thread of its own; `tick` gives the seconds until the next call.

    After `stop` it calls `last` once in the same thread, so that a database connection opened
    there is used by one thread only.
    """

    def __init__(self, tick: Callable[[], float], last: Callable[[], None]) -> None:
        self._tick = tick
        self._last = last
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live view", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_seconds: float) -> bool:
        """End after a last call; False if that took too long, and the thread is left behind."""
        self._stopping.set()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.wait(self._tick()):
            pass
        self._last()
