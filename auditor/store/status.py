"""What a store says of a run's progress, as plain data: read by `status`, `watch`, live view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class TargetProgress:
    """One target in one protocol."""

    target: str
    protocol: str
    planned: int
    responses: int
    failures: int
    """Trials now without a response whose last attempt ended for good."""
    outcomes: Mapping[str, int] = field(default_factory=dict)
    simulated: bool = False


@dataclass(frozen=True, kw_only=True)
class JudgeProgress:
    """One judge at one task."""

    task: str
    judge: str
    planned: int
    done: int
    """Invalid ones included."""
    invalid: int
    failed: int
    lag: int
    """Sources that it has not read yet."""


@dataclass(frozen=True, kw_only=True)
class AgentTotals:
    """Calls of one agent at one endpoint."""

    agent: str
    """"generator:llama", "judge:name/sonnet", "doctor", ..."""
    endpoint: str
    calls: int
    retries: int
    rate_limited: int
    """Calls answered with 429."""
    unknown: int
    """Calls whose outcome is unknown."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None where any call's price is unknown."""


@dataclass(frozen=True, kw_only=True)
class EndpointGauge:
    """The state of one endpoint, at most a second old while a run lives."""

    endpoint: str
    in_flight: int
    concurrency: int
    """Calls allowed at once right now."""
    concurrency_limit: int
    waiting_until: float | None
    """Unix seconds until which it sends nothing, or None."""
    reason: str | None
    """Why it waits, is slowed down or has stopped, or None."""
    last_error: str | None
    at: float
    is_stopped: bool = False
    """Whether it sends nothing any more, in this process."""


@dataclass(frozen=True, kw_only=True)
class RecentError:
    """One failed call."""

    at: float
    agent: str
    kind: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Everything that a view of a run shows, but the headline figures."""

    run: str
    state: str
    """running, complete, interrupted or incomplete (see the contract)."""
    simulated: bool
    seed: int
    created_at: float
    started_at: float | None
    """When the present or last holder began; None before the first."""
    ended_at: float | None
    planned: int
    responses: int
    failures: int
    calls: int
    retries: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    reserved_usd: float
    budget: Mapping[str, float]
    """Limits that the spec sets: any of usd, calls, tokens."""
    targets: tuple[TargetProgress, ...]
    judges: tuple[JudgeProgress, ...]
    agents: tuple[AgentTotals, ...]
    endpoints: tuple[EndpointGauge, ...]
    errors: tuple[RecentError, ...]
    """The newest last, at most five."""
    alarms: tuple[str, ...]
    """Sentences about what a reader must not overlook."""
