"""What a protocol is: prompts out of a spec, the tasks its responses need, statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from auditor.types import JSON, Outcome, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams as ProtocolParams  # noqa: PLC0414

Materials = Mapping[str, str]
"""Texts of rubric files by their path under `rubrics/`, as the plan and the judges read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """What a spec has in place of a rubric file."""

    field: str
    """The parameter that says so."""
    file: str | None
    """Path of the user's file, from the folder of the spec; None: `text` stands in."""
    text: str = ""


def __getattr__(name: str) -> Any:
    """`ProtocolParams`, when it is first asked for: it loads pydantic, to check a spec by."""
    if name != "ProtocolParams":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from auditor.protocols.params import ProtocolParams

    return ProtocolParams


def params_in(place: str) -> Any:
    """`params_type` of a protocol: the class at "module:Class", loaded when it is asked for."""
    return _Params(place)


class _Params:
    def __init__(self, place: str) -> None:
        self._place = place

    def __get__(self, protocol: object, owner: type) -> type[ProtocolParams]:
        module, _, name = self._place.partition(":")
        found: type[ProtocolParams] = getattr(import_module(module), name)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Values at interval level: how far apart two of them are means something."""

    low: float | None = None
    high: float | None = None
    """Both ends may occur; None: there is none."""
    near: float | None = None
    """Two raters are near each other up to this distance; None: the task names no such."""


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
    numbers: Numbers | None = None
    """Its values (their parts, where they are objects) are numbers, and `labels` the words that may
    stand in their place. None: its values are classes, alike or not (nominal level)."""
    is_optional: bool = False
    """Nothing judges it unless the spec names a judge of it; an import may bring it."""
    has_headlines: bool = False
    """Its tallies give the headline figures; where no task says so, the first task's do."""
    settings: tuple[str, ...] = ()
    """What a judge may be shown of a trial, by name; each is a judge of its own, and where the
    spec names none a judge works in all of them. Empty: every judge sees the same."""


def headline_task(tasks: Sequence[Task]) -> Task:
    """The task from whose tallies a protocol's headline figures are made."""
    return next((task for task in tasks if task.has_headlines), tasks[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the values of a task that are objects: a dimension of a rubric."""

    name: str
    """Its key in the values."""
    title: str
    definition: str
    anchors: Mapping[str, str] = field(default_factory=dict)
    """What single values of it mean."""
    is_asked: bool = True
    """Whether people are asked for it where they name no parts of their own."""


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
class Summary:
    """A statistic that stands in a protocol's overview, and which of its rows do."""

    statistic: str
    by: tuple[str, ...] = ()
    """Factors that may stand in a row's group, each combination a line of its own; a row with any
    other one is left to the full table. Judges and their sources need no naming."""
    where: Mapping[str, JSON] = field(default_factory=dict)
    """Levels that a row must have."""
    over: tuple[str, ...] = ()
    """Factors over whose levels one line sums rows up, by the lowest, median and highest value."""
    ends: bool = False
    """Whether the rows at either end are shown as well, as far as there is room."""


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


UNSPECIFIED = "unspecified"
"""Setting of judgements that came without one."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What one judge of one setting says of one target, beside others of the same task."""

    judge: str
    """Spec name, with a piece of its hash where two configurations share it."""
    labels: Mapping[str, JSON]
    """What the judge's rows have in their group: setting, and judge where there are several."""
    cells: Iterable[CellRecord]
    """Read from the store as it is iterated, once."""


Bases = Mapping[str, str]
"""Instruction-tuned targets by name, each to the name of the base model that it was tuned from."""

NO_BASES: Bases = MappingProxyType({})

LabelCounts = Mapping[str, int]
"""Annotations of one cell by label ("invalid" among them)."""

P_contra = TypeVar("P_contra", bound="ProtocolParams", contravariant=True)


class AuditProtocol(Protocol, Generic[P_contra]):
    """One published way to audit. Stateless: everything comes from its arguments.

    Protocols see factors, texts and records; they never see the store. What some have beside
    this stands in `auditor.protocols.additions`.
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

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows that compare or pool targets, from the rows of all of them.

        `bases` may name targets that have no rows. A row that compares two targets has the
        second one's name as `other` in its group.
        """
        ...

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """A few figures so far, from the tallies of the protocol's `headline_task` by cell."""
        ...


AnyProtocol = AuditProtocol[Any]
