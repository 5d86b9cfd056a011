"""Time that passes at a word, in the event loop of a test.

What waits a minute for a program or a server that hangs is through at once, and what it waits for
otherwise has a minute, on the busiest machine.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE_SECONDS = 120.0
"""For whatever is sure to come."""


async def until(holds: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for something that other tasks, threads or processes bring about."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"it has not come about in {seconds:g} s"
        await asyncio.sleep(0.002)


def let_pass(seconds: float) -> None:
    """Set the loop's clock on: whatever is due within these seconds is due now."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]
