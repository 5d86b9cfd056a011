"""A spec as the rest of the program reads it: checked, resolved, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor.protocols.base import Bases, ProtocolParams
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

    @property
    def needs_cap(self) -> bool:
        """Whether every call must have an output cap: a limit in money or tokens needs one."""
        return self.usd is not None or self.tokens is not None


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model under audit."""

    name: str
    """Display name, unique in the spec."""
    request: TargetRequest
    endpoint: str
    """Name of its entry in `Spec.endpoints`."""
    samples_per_request: int = 1
    tuned_from: str | None = None
    """Name of the target that is its base model; no part of its cells' keys."""

    @property
    def simulated(self) -> bool:
        """Whether its answers are made up in this process."""
        return self.request.provider == SIMULATED


@dataclass(frozen=True, kw_only=True)
class Judge:
    """What annotates one task: an offline judge by name, a command, or a model at an endpoint."""

    task: str
    name: str
    """Display name, unique within its task."""
    offline: str | None = None
    """Name of the offline judge; None where a model or a command judges."""
    command: tuple[str, ...] | None = None
    """Program and arguments; None where no command judges."""
    timeout_seconds: float | None = None
    """Longest wait for an answer of a judge in a process of its own; None: its default."""
    provider: str | None = None
    model: str | None = None
    endpoint: str | None = None
    """Name of its entry in `Spec.endpoints`; None where no model judges."""
    params: Mapping[str, JSON] = field(default_factory=dict)
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    output: str | None = None
    """How a model is asked for typed output: "native", "tool" or "prompted"; None: as the model
    is found to take it."""
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How a model judges, where its task knows more than one way."""
    protocol: str | None = None
    """The only protocol whose task it judges; None: all that have the task."""
    setting: str | None = None
    """What of a trial it is shown; None: all settings that its task has, a judge for each."""
    is_added: bool = False
    """Whether it was added to a store's spec: it works beside the others, the default included."""

    @property
    def is_local(self) -> bool:
        """Whether it needs no endpoint: an offline judge or a command."""
        return self.endpoint is None

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
    bases: Bases
    """Base models of instruction-tuned targets, those of imported ones among them."""
    own_texts: Mapping[str, str] = field(repr=False)
    """Texts that stand in for rubric files in the whole run, by the paths of these."""
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
