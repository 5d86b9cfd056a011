"""An event loop whose time jumps: hours pass in milliseconds, and always the same way."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest


def _on_time() -> float:
    return 0.0


class _JumpingSelector(selectors.DefaultSelector):
    now = 1000.0
    late: Callable[[], float] = staticmethod(_on_time)

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everything waits for something that never comes")
        if not ready and timeout:
            self.now += timeout + self.late()
        return ready


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, late: Callable[[], float]) -> None:
        self._jumping = _JumpingSelector()
        self._jumping.late = late
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


@pytest.fixture
def run_virtual(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a coroutine function to its end in virtual time, asyncio-throttle's included.

    `late` says by how many seconds a timer is late, as on a busy machine.
    """

    def run(
        main: Callable[[], Coroutine[Any, Any, Any]], late: Callable[[], float] = _on_time
    ) -> Any:
        loop = _VirtualLoop(late)
        clock = SimpleNamespace(monotonic=loop.time)
        monkeypatch.setattr("asyncio_throttle.throttler.time", clock)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(main())

    return run
