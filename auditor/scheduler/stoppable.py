"""Work on an event loop that Ctrl-C gives up, and that ends in good order all the same."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from auditor.scheduler.interrupts import EXIT_INTERRUPTED, leave_at_once
from auditor.signals import take_up, told_of_signals
from auditor.waiting import speaker

T = TypeVar("T")
_LEFT = "left at once"


def run_stoppable(
    work: Coroutine[Any, Any, T], *, leave: Callable[[int], None] = leave_at_once
) -> T:
    """As `asyncio.run`, but for what becomes of Ctrl-C while the work ends.

    The first one cancels the work, which then gives back what it holds: a store's lock, programs
    of judges. `asyncio.run` raises KeyboardInterrupt at the second, in the midst of that, and a
    store's writer may wait for ever. Here the second says a line, and the third leaves at once
    through `leave`. Raises KeyboardInterrupt for work that was given up.
    """
    presses = _Presses(leave)
    with presses.heard():
        try:
            with asyncio.Runner() as runner:
                return runner.run(presses.giving_up(work))
        except asyncio.CancelledError:
            if presses.count:
                raise KeyboardInterrupt from None
            raise


class _Presses:
    """Hears Ctrl-C, and passes it on to the work."""

    def __init__(self, leave: Callable[[int], None]) -> None:
        self.count = 0
        self._leave = leave
        self._say = speaker()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hears while the block runs; not where the process ignores it, nor off its main thread."""
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._press)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    async def giving_up(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives, unless it is given up."""
        loop = self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        if threading.current_thread() is not threading.main_thread():
            return await work
        with told_of_signals() as told:
            loop.add_reader(told, take_up, told)
            try:
                return await work
            finally:
                loop.remove_reader(told)

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 2:
            try:
                self._say(_LEFT)
            except Exception:  # whatever speaks was in the midst of a word, or of being loaded
                os.write(2, f"{_LEFT}\n".encode())
            finally:
                self._leave(EXIT_INTERRUPTED)
        elif self._loop is None or self._task is None or self._loop.is_closed():
            raise KeyboardInterrupt
        elif self.count == 1:
            # Not here: the loop may be in the midst of a step.
            self._loop.call_soon_threadsafe(self._task.cancel)
        else:
            self._loop.call_soon_threadsafe(self._say, "stopping (Ctrl-C again to leave at once)")
