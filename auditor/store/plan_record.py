"""What a store keeps of a plan, apart from its cells: targets, judges, endpoints, settings."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.store.planned_judges import judge_label
from auditor.types import JSON, TargetRequest


@dataclass(frozen=True, kw_only=True)
class PlannedTarget:
    """A target as the spec names it."""

    name: str
    request: TargetRequest
    simulated: bool


@dataclass(frozen=True, kw_only=True)
class PlannedJudge:
    """One judge at one task, on the protocols whose responses need it."""

    task: str
    name: str
    hash: bytes
    configuration: JSON
    protocols: tuple[str, ...]
    simulated: bool = False
    reads: str | None = None
    """The task whose annotations it reads; None: it reads responses."""
    labels: tuple[str, ...] | None = None
    """The texts that its annotations are counted by; None: each is counted by itself."""
    needs_prompt: bool = False
    """Whether it can say nothing of imported answers, whose prompts are not known."""

    @property
    def setting(self) -> str | None:
        """What of a trial it is shown, where its task knows more than one way."""
        found = self.configuration.get("setting")
        return None if found is None else str(found)

    def reads_origin(self, origin: str) -> bool:
        """Whether it can judge answers that were planned here, or imported."""
        return not (self.needs_prompt and origin == "imported")

    @property
    def label(self) -> str:
        """What it is called beside the other judges of its task."""
        return judge_label(self.name, self.setting)


@dataclass(frozen=True, kw_only=True)
class PlannedEndpoint:
    """An endpoint as it is recorded: no key, no credential."""

    name: str
    provider: str
    base_url: str | None
    client: str
    price: JSON = None


@dataclass(frozen=True, kw_only=True)
class PlanRecord:
    """All that a store keeps of a plan, apart from its cells."""

    name: str
    seed: int
    simulated: bool
    spec: str
    spec_path: str | None
    plan_hash: bytes
    budget: dict[str, float]
    max_failure_rate: float
    versions: dict[str, str]
    materials: dict[str, str]
    targets: tuple[PlannedTarget, ...]
    judges: tuple[PlannedJudge, ...]
    endpoints: tuple[PlannedEndpoint, ...]
    counts: tuple[tuple[str, str, int, int], ...]
    """(protocol, target name, cells, trials)."""
