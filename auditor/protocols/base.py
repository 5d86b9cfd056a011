"""What a protocol is: prompts out of a spec, the tasks its responses need, statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from auditor.types import JSON, Outcome, Prompt, Simulation

Materials = Mapping[str, str]
"""Texts of rubric files by their path under `rubrics/`, as the plan and the judges read them."""


class ProtocolParams(BaseModel):
    """The `[protocols."NAME"]` table of a spec: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, kw_only=True)
class Task:
    """An annotation task that a protocol's responses need."""

    name: str
    default_judge: str
    """Name of the offline judge that runs when the spec names none."""
    reads: str | None = None
    """The task whose annotations it reads; None: it reads responses."""
    labels: tuple[str, ...] = ()
    """The values it may take, where they are categories; else empty."""
    is_optional: bool = False
    """Nothing judges it unless the spec names a judge of it; an import may bring it."""
    has_headlines: bool = False
    """Its tallies give the headline figures; where no task says so, the first task's do."""


def headline_task(tasks: Sequence[Task]) -> Task:
    """The task from whose tallies a protocol's headline figures are made."""
    return next((task for task in tasks if task.has_headlines), tasks[0])


@dataclass(frozen=True, kw_only=True)
class Factor:
    """One factor of a protocol's trials and what it may be."""

    name: str
    levels: tuple[JSON, ...] | None = None
    """Allowed levels; None: any number (see `kind`)."""
    kind: str = "text"
    """"text" or "number"."""
    default: JSON = None
    """Level of an imported trial that does not name one; None: it must be named."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings that an import may use, to the level they mean."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One annotation as statistics see it."""

    valid: bool
    value: JSON
    reason: str | None = None
    """What the judge remarked, of an invalid one why; None where nothing is said."""


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One response as statistics see it: no text."""

    repetition: int
    outcome: Outcome
    readings: Mapping[str, Reading]
    """By task; a task that was not (or not yet) annotated is absent."""


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One combination of factor levels with its responses, ordered by repetition."""

    factors: Mapping[str, JSON]
    trials: Sequence[TrialRecord]


@dataclass(frozen=True, kw_only=True)
class StatisticRow:
    """One row of the tidy result table. (protocol, statistic, target, group) is unique."""

    protocol: str
    statistic: str
    target: str
    """Display name; "*" for figures over all targets."""
    group: Mapping[str, JSON] = field(default_factory=dict)
    value: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p_value: float | None = None
    n: int | None = None
    note: str | None = None
    """Why a figure is null, or what a reader must know; else None."""


@dataclass(frozen=True, kw_only=True)
class Headline:
    """One figure of the live view, from tallies only: shown, not stored."""

    target: str
    name: str
    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    n: int | None = None
    total: int | None = None
    """Where the figure is a count out of so many."""


LabelCounts = Mapping[str, int]
"""Annotations of one cell by label ("invalid" among them)."""

P_contra = TypeVar("P_contra", bound=ProtocolParams, contravariant=True)


class AuditProtocol(Protocol, Generic[P_contra]):
    """One published way to audit. Stateless: everything comes from its arguments.

    Protocols see factors, texts and records; they never see the store.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for `auditor list protocols`."""
    paper: ClassVar[str]
    materials: ClassVar[tuple[str, ...]]
    """Rubric files that plan and statistics read; stored by hash when a run starts."""
    params_type: ClassVar[type[ProtocolParams]]
    tasks: ClassVar[tuple[Task, ...]]
    default_max_tokens: ClassVar[int]
    """Output cap that is sent when a budget needs one and the spec gives none."""

    def prompts(self, params: P_contra, materials: Materials) -> Iterator[Prompt]:
        """All combinations of factor levels, in the spec's order."""
        ...

    def count(self, params: P_contra, materials: Materials) -> int:
        """How many prompts there are, without making them."""
        ...

    def repetitions(self, params: P_contra) -> int:
        """Trials of each prompt."""
        ...

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The factors of a trial, for imports and exports."""
        ...

    def check_value(self, task: str, value: JSON) -> str | None:
        """None if `value` is a valid annotation of `task`, else what is allowed."""
        ...

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """How `sim:` answers this prompt."""
        ...

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target's extra_body is a plant it understands, else what is wrong."""
        ...

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: P_contra | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target, for one judge of each task. `params` is None for imports."""
        ...

    def across(self, rows: Sequence[StatisticRow], materials: Materials) -> Iterator[StatisticRow]:
        """Rows that compare or pool targets, from the rows of all of them."""
        ...

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """A few figures so far, from the tallies of the protocol's `headline_task` by cell."""
        ...


AnyProtocol = AuditProtocol[Any]
