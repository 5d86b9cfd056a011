"""All that a call has to pass at an endpoint but the spec's limits a minute."""

from __future__ import annotations

import math

from auditor.endpoints.circuit import Circuit
from auditor.endpoints.gate import Gate, Pass
from auditor.errors import (
    AuthError,
    EndpointError,
    QuotaError,
    RateError,
    TransientError,
    UnreachableError,
)
from auditor.types import Reply


class EndpointDoors:
    """Gate, circuit and stop of one endpoint: asked before each call, told how it ended."""

    def __init__(self, name: str, ceiling: int, *, climbs: bool) -> None:
        self.name = name
        self.gate = Gate(ceiling, climbs=climbs)
        self.circuit = Circuit(max(8, ceiling))
        self._stop: EndpointError | None = None
        self._stopped_until = math.inf

    def stopped(self, now: float) -> EndpointError | None:
        """The error that stopped the endpoint, while it is stopped."""
        if self._stop is not None and now >= self._stopped_until:
            self._stop = None
        return self._stop

    def stopped_until(self) -> float | None:
        """When a stop ends by itself; None if there is none, or it never does."""
        ends = self._stop is not None and self._stopped_until < math.inf
        return self._stopped_until if ends else None

    def wait_seconds(self, now: float) -> float:
        """0 if a call may start, infinity if one has to end first, else seconds to wait."""
        return max(self.gate.wait_seconds(now), self.circuit.wait_seconds(now))

    def pause(self, now: float) -> tuple[float, str] | None:
        """Until when nothing starts and why, or None if only slots and limits hold calls back."""
        probe_at, paused_until = self.circuit.probe_at, self.gate.paused_until
        if probe_at is not None:
            if probe_at <= now:
                return now, "no connection: one call tries"
            return probe_at, f"no connection: tries again in {_seconds(probe_at - now)}"
        if paused_until > now:
            return paused_until, f"{self.gate.reason}: waits {_seconds(paused_until - now)}"
        return None

    def take(self, now: float) -> Pass:
        """Count a call that starts."""
        return self.gate.take(now, is_probe=self.circuit.take())

    def leave(self, *, is_untold_probe: bool) -> None:
        """Count a call whose slot is free again."""
        self.gate.release()
        if is_untold_probe:
            self.circuit.abandoned()

    def answered(self, now: float, leave: Pass, reply: Reply) -> None:
        """Learn from an answer."""
        self.circuit.heard()
        self.gate.answered(now, leave)
        if reply.hints is not None:
            self.gate.hinted(now, reply.hints)

    def failed(self, now: float, leave: Pass, error: EndpointError) -> None:
        """Learn from a call that ended without an answer."""
        if isinstance(error, TransientError) and error.status is None:
            if self.circuit.failed(now, is_probe=leave.is_probe):
                self._stop = self._unreachable(now, error)
                self._stopped_until = math.inf
            return
        self.circuit.heard()
        if isinstance(error, RateError):
            self.gate.refused(now, leave, error.retry_after_seconds)
        elif isinstance(error, (AuthError, QuotaError)):
            wait = error.retry_after_seconds if isinstance(error, QuotaError) else None
            self._stop = error
            self._stopped_until = math.inf if wait is None else now + wait
        elif not isinstance(error, TransientError):
            # It read the request and refused that, not the asking: as good as an answer.
            self.gate.answered(now, leave)

    def _unreachable(self, now: float, last: EndpointError) -> UnreachableError:
        minutes = self.circuit.failing_seconds(now) / 60.0
        return UnreachableError(
            f"no answer from endpoint {self.name!r} in {minutes:.1f} minutes; "
            f"the last attempt ended with: {last.message}",
            code=last.code,
            hint="check that the server runs and that base_url is right, then resume",
        )


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 1.0 else f"{seconds:.1f} s"
