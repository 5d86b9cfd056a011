"""What a judge that is a model is given: its place in the plan, and what a run has in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.judges.base import Truth
from agents.judges.model.judge import ModelJudge
from agents.shutdown import Shutdown
from auditor.endpoints import Budget, Endpoint, Prices, RetryPolicy
from auditor.store.store import Store


@dataclass(frozen=True, kw_only=True)
class RunMeans:
    """What all that sends calls in a run has in common."""

    store: Store
    budget: Budget
    caps_output: bool
    """Whether every call must have an output cap."""
    shutdown: Shutdown
    seed: int
    policy: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, kw_only=True)
class Appointment:
    """A judge with its place in the plan and at its endpoint."""

    judge: ModelJudge
    name: str
    """The spec's name for it."""
    judge_id: int
    judge_hash: bytes
    endpoint: Endpoint
    prices: Prices
    reads: str | None = None
    """The task whose annotations it reads; None: it reads responses."""
    truth: Truth | None = None
    """The offline judge that a simulated one takes for right; None for real models."""
    limit: int | None = None
    """Sources that it takes up at most in this process; None: all."""
