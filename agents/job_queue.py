"""A generator's jobs: journaled ones ready to go, and failed ones waiting for their next attempt.

A retry waits here and not in a sleeping worker, so it holds no slot. While as many retries wait as
there may be calls at once, nothing new is taken up: an endpoint in trouble does not make the queue
grow.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

from auditor.endpoints import RetryQueue

Job = TypeVar("Job")


class JobQueue(Generic[Job]):
    """Ordered hand-over from one feeder to several workers, bounded by `room`.

    Workers get due retries first. `get` gives None once the feeder has closed the queue and every
    job is done, or at once after `stop`.
    """

    def __init__(self, room: int) -> None:
        self._room = max(1, room)
        self._ready: deque[Job] = deque()
        self._retries: RetryQueue[tuple[Job, bool]] = RetryQueue()
        self._blocking = 0
        self._unfinished = 0
        self._closed = False
        self._stopped = False
        self._getters: deque[asyncio.Future[None]] = deque()
        self._putter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def put(self, job: Job) -> bool:
        """Hand over a job when there is room; False if the queue has stopped instead."""
        while not self._stopped and (
            len(self._ready) >= self._room or self._blocking >= self._room
        ):
            self._putter = asyncio.get_running_loop().create_future()
            await self._putter
        if self._stopped:
            return False
        self._ready.append(job)
        self._unfinished += 1
        self._wake(self._getters)
        return True

    def put_back(self, job: Job, delay_seconds: float, *, blocks: bool = True) -> None:
        """Let a job that was taken wait for its next attempt.

        `blocks` False: it does not wait for the endpoint, but for something that jobs which are
        still to be put in may be holding (budget), so they must not wait for it.
        """
        loop = asyncio.get_running_loop()
        self._blocking += blocks
        self._retries.push(loop.time() + delay_seconds, (job, blocks))
        self._arm(loop)

    def done(self) -> None:
        """A job that was taken has come to its end."""
        self._unfinished -= 1
        if self._is_over:
            self._wake_all()

    def close(self) -> None:
        """Nothing more will be put in."""
        self._closed = True
        if self._is_over:
            self._wake_all()

    def stop(self) -> list[Job]:
        """Hand out nothing more; gives the jobs that nobody has taken."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        left = [*self._ready, *(job for job, _ in self._retries.drain())]
        self._ready.clear()
        self._blocking = 0
        self._unfinished -= len(left)
        self._wake_all()
        return left

    async def get(self) -> Job | None:
        """The next job whose time has come; None when there will be none."""
        while not self._ready:
            if self._stopped or self._is_over:
                return None
            getter = asyncio.get_running_loop().create_future()
            self._getters.append(getter)
            await getter
        job = self._ready.popleft()
        self._wake_putter()
        return job

    @property
    def _is_over(self) -> bool:
        return self._closed and self._unfinished == 0

    def _arm(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due = self._retries.next_due()
        self._timer = None if due is None else loop.call_at(due, self._release_due, loop)

    def _release_due(self, loop: asyncio.AbstractEventLoop) -> None:
        # The timer may fire a clock tick early; what is due within it goes now.
        while (due := self._retries.pop_due(loop.time() + 0.001)) is not None:
            job, blocks = due
            self._blocking -= blocks
            self._ready.appendleft(job)
            self._wake(self._getters)
        self._arm(loop)
        self._wake_putter()

    def _wake_putter(self) -> None:
        if self._putter is not None and not self._putter.done():
            self._putter.set_result(None)

    def _wake(self, waiting: deque[asyncio.Future[None]]) -> None:
        while waiting:
            future = waiting.popleft()
            if not future.done():
                future.set_result(None)
                return

    def _wake_all(self) -> None:
        while self._getters:
            self._wake(self._getters)
        self._wake_putter()
