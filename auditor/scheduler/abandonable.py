"""Work in a thread that can be left behind: the process need not wait for it to end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def unless(
    abandoned: asyncio.Event, work: Callable[[], Result], *, name: str
) -> Result | None:
    """The result of `work`, run in a thread; None as soon as `abandoned` is set.

    The thread is a daemon: unlike one of asyncio's pool it keeps no interpreter from ending. So
    `work` may only read. What it raises is raised here.
    """
    if abandoned.is_set():
        return None
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # abandoned, and the loop has closed since
            return

    threading.Thread(target=run, name=name, daemon=True).start()
    waiting = asyncio.ensure_future(abandoned.wait())
    try:
        await asyncio.wait((done, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return done.result() if done.done() else None
