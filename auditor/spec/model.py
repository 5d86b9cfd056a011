"""A spec as the rest of the program reads it: checked, resolved, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor.protocols.base import ProtocolParams
from auditor.spec.positions import Positions
from auditor.types import JSON, EndpointConfig, TargetRequest

SIMULATED = "sim"
"""The provider that answers in this process."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits of a run; None is no limit."""

    usd: float | None = None
    calls: int | None = None
    tokens: int | None = None

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set, by name."""
        named = {"usd": self.usd, "calls": self.calls, "tokens": self.tokens}
        return {name: limit for name, limit in named.items() if limit is not None}


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model under audit."""

    name: str
    """Display name, unique in the spec."""
    request: TargetRequest
    endpoint: str
    """Name of its entry in `Spec.endpoints`."""
    samples_per_request: int = 1

    @property
    def simulated(self) -> bool:
        """Whether its answers are made up in this process."""
        return self.request.provider == SIMULATED


@dataclass(frozen=True, kw_only=True)
class Judge:
    """What annotates one task: an offline judge by name, or a model at an endpoint."""

    task: str
    name: str
    """Display name, unique within its task."""
    offline: str | None = None
    """Name of the offline judge; None where a model judges."""
    provider: str | None = None
    model: str | None = None
    endpoint: str | None = None
    """Name of its entry in `Spec.endpoints`; None for an offline judge."""
    params: Mapping[str, JSON] = field(default_factory=dict)
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    output: str | None = None
    """How a model is asked for typed output: "native", "tool" or "prompted"; None: as the model
    is found to take it."""

    @property
    def simulated(self) -> bool:
        """Whether its answers are made up in this process."""
        return self.provider == SIMULATED


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One spec file: the plan of a run."""

    name: str
    seed: int
    max_failure_rate: float
    """Share of failed trials that still counts as success."""
    budget: Budget
    judges: tuple[Judge, ...]
    """Those that the file names; other tasks have their default judge."""
    endpoints: Mapping[str, EndpointConfig]
    """By name: those that the file names, and one named after its provider for models without."""
    targets: tuple[Target, ...]
    protocols: Mapping[str, ProtocolParams]
    """Parameters by protocol name, in the file's order."""
    text: str = field(repr=False)
    """The file's text as it came."""
    source: str
    """Where the text came from, for messages."""
    positions: Positions = field(repr=False, compare=False)

    @property
    def simulated(self) -> bool:
        """Whether every target is simulated; False where there is none."""
        return bool(self.targets) and all(target.simulated for target in self.targets)

    @property
    def used_endpoints(self) -> tuple[str, ...]:
        """Names of the endpoints that a target or a judge calls, each once, in that order."""
        called = [target.endpoint for target in self.targets]
        called += [judge.endpoint for judge in self.judges if judge.endpoint is not None]
        return tuple(dict.fromkeys(called))
