"""Who is next at an endpoint: one queue, in order of arrival, emptied by one task.

Requests a minute are paced by one asyncio-throttle that this task alone acquires: n permits in
every n/rate seconds with n = max(1, round(rate/20)), so that calls neither come in bursts (a permit
count for a whole minute is given out at once) nor slower than the limit allows. The throttle polls,
hence one waiter and not hundreds. It knows neither weights nor a past, so tokens a minute, and the
calls made before a resume, are kept in sliding windows of a minute.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from auditor.endpoints.gate import Pass
from auditor.endpoints.token_flow import TokenFlow
from auditor.endpoints.windows import Entry, MinuteWindow


class Throttle(Protocol):
    """What asyncio-throttle's Throttler offers."""

    async def acquire(self) -> None:
        """Wait for a permit."""
        ...


class Doors(Protocol):
    """What else a call has to pass: the endpoint itself."""

    def wait_seconds(self, now: float) -> float:
        """0 if a call may start, infinity if one has to end first, else seconds to wait."""
        ...

    def take(self, now: float) -> Pass:
        """Count a call that starts."""
        ...

    def leave(self, *, is_untold_probe: bool) -> None:
        """Count a call whose slot is free again."""
        ...


@dataclass(slots=True)
class Admission:
    """Leave to make one call."""

    leave: Pass
    tokens: int
    """What was counted for it."""
    entry: Entry | None = None


@dataclass(slots=True)
class _Waiter:
    future: asyncio.Future[Admission]
    tokens: int


class Dispatcher:
    """Admits callers one after the other as the doors, the throttle and the windows allow."""

    def __init__(
        self,
        doors: Doors,
        *,
        clock: Callable[[], float],
        throttle: Throttle | None = None,
        requests: MinuteWindow | None = None,
        tokens: TokenFlow | None = None,
    ) -> None:
        self._doors = doors
        self._clock = clock
        self._throttle = throttle
        self._requests = requests
        self._tokens = tokens
        self._is_limited = throttle is not None or requests is not None or tokens is not None
        self._waiters: deque[_Waiter] = deque()
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._holds_permit = False
        self.reason: str | None = None
        """The limit that holds the first in the queue, while one does."""
        self.waiting_until: float | None = None

    @property
    def waiting(self) -> int:
        """Callers in the queue."""
        return len(self._waiters)

    async def admit(self, tokens: int) -> Admission:
        """Wait for leave to make a call of about so many tokens."""
        now = self._clock()
        if not self._is_limited and not self._waiters and not self._doors.wait_seconds(now):
            return Admission(self._doors.take(now), tokens)
        waiter = _Waiter(asyncio.get_running_loop().create_future(), tokens)
        self._waiters.append(waiter)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            return await waiter.future
        except asyncio.CancelledError:
            # Admitted and cancelled in the same turn of the loop: the slot is nobody's.
            is_decided = waiter.future.done() and not waiter.future.cancelled()
            if is_decided and waiter.future.exception() is None:
                self.leave(waiter.future.result(), was_sent=False, was_told=False)
            raise

    def leave(self, admission: Admission, *, was_sent: bool, was_told: bool) -> None:
        """Take a slot back; `was_told`: the doors know how its call ended."""
        if not was_sent:
            self.settle(admission, 0)
        self._doors.leave(is_untold_probe=admission.leave.is_probe and not was_told)
        if not self._waiters:
            return
        if self._is_limited or not self._hands_over():
            self._changed.set()

    def settle(self, admission: Admission, tokens: int) -> None:
        """Correct what was counted for a call by the tokens it really used."""
        if self._tokens is not None and admission.entry is not None:
            self._tokens.amend(admission.entry, tokens - admission.tokens, self._clock())
            admission.tokens = tokens
            self._changed.set()

    def remember(self, calls: Iterable[tuple[float, int]]) -> None:
        """Count calls of the last minute, given as (seconds ago, tokens), before any other."""
        now = self._clock()
        for seconds_ago, tokens in sorted(calls, reverse=True):
            if seconds_ago < 60.0:
                if self._requests is not None:
                    self._requests.add(now - seconds_ago, 1.0)
                if self._tokens is not None:
                    self._tokens.remember(now - seconds_ago, tokens)

    def refuse(self, make_error: Callable[[], Exception]) -> None:
        """Let everyone in the queue fail, each with an error of its own."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.future.done():
                waiter.future.set_exception(make_error())
        self._changed.set()

    async def close(self) -> None:
        """Stop the task; callers still in the queue are cancelled."""
        for waiter in self._waiters:
            waiter.future.cancel()
        self._waiters.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            while self._waiters:
                if self._waiters[0].future.done():
                    self._waiters.popleft()
                    continue
                await self._advance(self._waiters[0])
        except Exception as error:
            # Not to be seen but in a defect: whoever waits must not wait for ever.
            cause = error
            self.refuse(lambda: RuntimeError(f"dispatcher stopped: {cause!r}"))
            raise
        finally:
            self.reason = self.waiting_until = None

    async def _advance(self, waiter: _Waiter) -> None:
        """Admit the first in the queue, or wait for whatever holds it and come back."""
        now = self._clock()
        wait = self._doors.wait_seconds(now)
        if wait == math.inf:
            await self._wait_for_change()
            return
        if wait:
            await asyncio.sleep(wait)
            return
        wait, reason = self._limit_wait(now, waiter.tokens)
        if wait:
            self.reason, self.waiting_until = reason, now + wait
            await self._wait_for_change(wait)
            return
        if self._throttle is not None and not self._holds_permit:
            self.reason, self.waiting_until = "requests per minute", None
            await self._throttle.acquire()
            # Doors may have shut meanwhile: the permit is kept for the next who passes.
            self._holds_permit = True
            return
        self._holds_permit = False
        self.reason = self.waiting_until = None
        self._waiters.popleft()
        waiter.future.set_result(self._admit(now, waiter.tokens))

    def _hands_over(self) -> bool:
        """Give free slots to those who wait; False if the task has to wait for more than a slot.

        Where nothing but the doors holds calls back, a slot goes from hand to hand like this,
        without a turn of the task for every call.
        """
        while self._waiters:
            waiter = self._waiters[0]
            if not waiter.future.done():
                now = self._clock()
                wait = self._doors.wait_seconds(now)
                if wait:
                    return wait == math.inf
                waiter.future.set_result(self._admit(now, waiter.tokens))
            self._waiters.popleft()
        return False

    async def _wait_for_change(self, seconds: float | None = None) -> None:
        """Until a call has ended or used less than was counted for it, or so many seconds."""
        self._changed.clear()
        if seconds is None:
            await self._changed.wait()
            return
        timer = asyncio.get_running_loop().call_later(seconds, self._changed.set)
        try:
            await self._changed.wait()
        finally:
            timer.cancel()

    def _limit_wait(self, now: float, tokens: int) -> tuple[float, str]:
        requests = 0.0 if self._requests is None else self._requests.wait_seconds(now, 1.0)
        flow = 0.0 if self._tokens is None else self._tokens.wait_seconds(now, tokens)
        if flow > requests:
            return flow, "tokens per minute"
        return requests, "requests per minute"

    def _admit(self, now: float, tokens: int) -> Admission:
        leave = self._doors.take(now)
        if self._requests is not None:
            self._requests.add(now, 1.0)
        entry = None if self._tokens is None else self._tokens.add(now, tokens)
        return Admission(leave, tokens, entry)
