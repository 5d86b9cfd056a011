"""One endpoint (provider, base URL, key), shared by all generators and judges that call it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Protocol

from auditor.endpoints.dispatcher import Admission, Dispatcher
from auditor.endpoints.doors import EndpointDoors
from auditor.endpoints.state import EndpointState
from auditor.endpoints.throttle import EvenThrottle
from auditor.endpoints.token_flow import TokenFlow
from auditor.endpoints.windows import MinuteWindow
from auditor.errors import EndpointError
from auditor.types import EndpointConfig, Provider, Reply, Request


class Shared(Protocol):
    """What several providers of an endpoint use together."""

    async def close(self) -> None:
        """Give it back."""
        ...


class Endpoint:
    """Lets calls through one by one, as its limits and the far side's refusals allow.

    It sends every request once: retrying is its callers' business (see `RetryPolicy`).

    Args:
        config: the endpoint as the spec gives it.
        provider_for: the provider for an api ("chat", "completions") and a model; asked once for
            each pair.
        clock: monotonic seconds, the event loop's own in tests.
        wall: Unix seconds, for what is shown.
        shared: what the providers share (connections), closed after them.
    """

    def __init__(
        self,
        config: EndpointConfig,
        provider_for: Callable[[str, str], Provider],
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        shared: Shared | None = None,
    ) -> None:
        self.config = config
        self._provider_for = provider_for
        self._shared = shared
        self._providers: dict[tuple[str, str], Provider] = {}
        self._clock = clock
        self._wall = wall
        requests, tokens = config.requests_per_minute, config.tokens_per_minute
        # A limit that is known, and a far side that refuses nobody, need no careful start.
        climbs = requests is None and not config.is_in_process
        self._doors = EndpointDoors(config.name, config.concurrency, climbs=climbs)
        self._dispatcher = Dispatcher(
            self._doors,
            clock=clock,
            throttle=None if requests is None else EvenThrottle(requests, clock=clock),
            requests=None if requests is None else MinuteWindow(requests),
            tokens=None if tokens is None else TokenFlow(tokens),
        )
        self._last_error: str | None = None
        self._is_draining = False

    @property
    def stopped(self) -> EndpointError | None:
        """Why nothing is sent any more: a refused key, a used-up account, no answer; or None.

        A used-up account with a time named stops until that time.
        """
        return self._doors.stopped(self._clock())

    def slot(self, tokens_estimate: int = 0) -> Slot:
        """A place among the endpoint's calls, held from admission until its block is left.

        Stay in the block until the response is committed: then the calls that are not
        acknowledged never exceed the concurrency::

            async with endpoint.slot(estimate) as slot:
                reply = await slot.send(request)
                await commit(reply)
        """
        return Slot(self, tokens_estimate)

    async def attempt(self, request: Request, *, tokens_estimate: int = 0) -> Reply:
        """Send one request once, when its turn comes. Raises a subclass of EndpointError."""
        async with self.slot(tokens_estimate) as slot:
            return await slot.send(request)

    def seed_history(self, calls: Iterable[tuple[float, int]]) -> None:
        """Count calls made before this process, as (seconds ago, tokens), before the first."""
        self._dispatcher.remember(calls)

    def gauge(self) -> EndpointState:
        """What it does right now."""
        now, at = self._clock(), self._wall()
        gate = self._doors.gate
        until, reason = self._waits(now)
        return EndpointState(
            endpoint=self.config.name,
            in_flight=gate.in_flight,
            concurrency=1 if self._doors.circuit.is_open else gate.limit,
            concurrency_limit=gate.concurrency.ceiling,
            waiting_until=None if until is None else at + (until - now),
            reason=reason,
            is_stopped=self.stopped is not None and until is None,
            last_error=self._last_error,
            at=at,
            queued=self._dispatcher.waiting,
            pace=gate.pace.learned_rate,
        )

    def drain(self) -> None:
        """Admit nothing more, and turn away whoever waits; calls under way may finish."""
        self._is_draining = True
        self._dispatcher.refuse(_draining)

    async def close(self) -> None:
        """Stop admitting and give the providers' connections back."""
        await self._dispatcher.close()
        await self.renew()
        if self._shared is not None:
            await self._shared.close()

    async def renew(self) -> None:
        """Ask for providers anew from the next call on: what is known of their models changed."""
        providers, self._providers = self._providers, {}
        # One provider may serve several models: it is closed once.
        for provider in {id(each): each for each in providers.values()}.values():
            await provider.close()

    def _waits(self, now: float) -> tuple[float | None, str | None]:
        """Until when it sends nothing, and why."""
        stop, pause = self._doors.stopped(now), self._doors.pause(now)
        pace, dispatcher = self._doors.gate.pace.learned_rate, self._dispatcher
        if stop is not None:
            return self._doors.stopped_until(), self._shown(stop)
        if pause is not None:
            return pause
        if dispatcher.reason is None and dispatcher.waiting and pace is not None:
            return None, f"429: held to {pace:.3g} calls a second"
        return dispatcher.waiting_until, dispatcher.reason

    def _shown(self, error: EndpointError) -> str:
        """An error's sentence; should a server have echoed the key, without it."""
        key = os.environ.get(self.config.api_key_env) if self.config.api_key_env else None
        return error.message.replace(key, "[key]") if key else error.message

    # What follows is the slots' side.

    def _raise_if_stopped(self) -> None:
        if self._is_draining:
            raise _draining()
        stop = self.stopped
        if stop is not None:
            raise self._renewed(stop)

    def _renewed(self, stop: EndpointError) -> EndpointError:
        """The same error for another call, with the time that is left; one object a raise."""
        until = self._doors.stopped_until()
        return type(stop)(
            stop.message,
            status=stop.status,
            retry_after_seconds=None if until is None else max(0.0, until - self._clock()),
            code=stop.code,
            hint=stop.hint,
        )

    async def _admit(self, tokens_estimate: int) -> Admission:
        self._raise_if_stopped()
        return await self._dispatcher.admit(tokens_estimate)

    def _leave(self, admission: Admission, *, was_sent: bool, was_told: bool) -> None:
        self._dispatcher.leave(admission, was_sent=was_sent, was_told=was_told)

    async def _send(self, request: Request, admission: Admission) -> Reply:
        speaks = (request.api, request.model)
        provider = self._providers.get(speaks)
        if provider is None:
            provider = self._providers[speaks] = self._provider_for(*speaks)
        try:
            reply = await provider.send(request, timeout_seconds=self.config.timeout_seconds)
        except EndpointError as error:
            self._failed(admission, error)
            raise
        self._doors.answered(self._clock(), admission.leave, reply)
        used = reply.usage
        if used.input_tokens is not None and used.output_tokens is not None:
            self._dispatcher.settle(admission, used.input_tokens + used.output_tokens)
        return reply

    def _failed(self, admission: Admission, error: EndpointError) -> None:
        self._last_error = self._shown(error)
        now = self._clock()
        self._doors.failed(now, admission.leave, error)
        stop = self._doors.stopped(now)
        if stop is not None:
            self._dispatcher.refuse(lambda: self._renewed(stop))


def _draining() -> EndpointError:
    return EndpointError("nothing more is sent: the run drains")


class Slot:
    """One place at an endpoint: an async context manager that sends at most one request."""

    __slots__ = ("_admission", "_endpoint", "_tokens_estimate", "_told", "_was_sent")

    def __init__(self, endpoint: Endpoint, tokens_estimate: int) -> None:
        self._endpoint = endpoint
        self._tokens_estimate = tokens_estimate
        self._admission: Admission | None = None
        self._was_sent = False
        self._told = False

    @property
    def was_sent(self) -> bool:
        """Whether the request has gone out; an error before that cost nothing."""
        return self._was_sent

    async def __aenter__(self) -> Slot:
        self._admission = await self._endpoint._admit(self._tokens_estimate)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        admission, self._admission = self._admission, None
        if admission is not None:
            self._endpoint._leave(admission, was_sent=self._was_sent, was_told=self._told)

    async def send(self, request: Request) -> Reply:
        """Send once; raises a subclass of EndpointError, and at once if the endpoint stopped."""
        if self._admission is None or self._was_sent:
            raise RuntimeError("a slot sends one request, inside its own block")
        self._endpoint._raise_if_stopped()
        self._was_sent = True
        try:
            reply = await self._endpoint._send(request, self._admission)
        except EndpointError:
            self._told = True
            raise
        self._told = True
        return reply
