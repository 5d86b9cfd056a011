"""Something that watches a program's event loop, run beside whatever `asyncio.run` is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

_run = asyncio.run


def run_beside(watch: Callable[[], Coroutine[Any, Any, None]]) -> Any:
    """What takes the place of `asyncio.run`."""

    async def both(work: Coroutine[Any, Any, Any]) -> Any:
        watching = asyncio.create_task(watch())
        try:
            return await work
        finally:
            watching.cancel()

    return lambda work, **options: _run(both(work), **options)
