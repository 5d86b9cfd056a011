"""What some protocols have beside what all have, and whether one does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeGuard

from auditor.protocols.base import Bench, Materials, Part, StatisticRow, Summary
from auditor.types import JSON, Prompt

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams


class DrawingProtocol(Protocol):
    """What a protocol adds whose prompts hold draws."""

    def drawn_prompts(self, params: Any, materials: Materials, seed: int) -> Iterator[Prompt]:
        """The same as `prompts`, with the draws of a run's seed."""
        ...


def draws_prompts(protocol: object) -> TypeGuard[DrawingProtocol]:
    """Whether the prompts of a protocol depend on the run's seed."""
    return hasattr(protocol, "drawn_prompts")


class FactorChecker(Protocol):
    """What a protocol adds whose factors do not all go with each other."""

    def check_factors(self, factors: Mapping[str, JSON]) -> tuple[str, str] | None:
        """The factor whose level does not go with the others, and what is allowed; else None."""
        ...


def is_factor_checker(protocol: object) -> TypeGuard[FactorChecker]:
    """Whether some levels that are allowed one by one are not together."""
    return hasattr(protocol, "check_factors")


class LogprobReader(Protocol):
    """What a protocol says that reads log-probabilities of its answers."""

    name: ClassVar[str]
    needs_logprobs: ClassVar[bool]
    """A target whose endpoint gives none is left out of it, with the reason."""


def is_logprob_reader(protocol: object) -> TypeGuard[LogprobReader]:
    """Whether answers without log-probabilities are of no use to a protocol."""
    return bool(getattr(protocol, "needs_logprobs", False))


class ScoreReader(Protocol):
    """What a protocol says whose prompts end in an answer, of which the model's score is wanted."""

    name: ClassVar[str]
    needs_scores: ClassVar[bool]
    """A target whose provider scores no answer is left out of it, with the reason. Reward models
    score answers and give none: they are left out of every other protocol."""


def is_score_reader(protocol: object) -> TypeGuard[ScoreReader]:
    """Whether a protocol asks for scores of given answers (`params.score`), not for answers."""
    return bool(getattr(protocol, "needs_scores", False))


class ValueChecker(Protocol):
    """What a protocol adds whose annotations depend on rubric files that a user may replace."""

    def check_value_by(self, task: str, value: JSON, materials: Materials) -> str | None:
        """As `check_value`, by the files of the run."""
        ...


def is_value_checker(protocol: object) -> TypeGuard[ValueChecker]:
    """Whether a protocol checks values by a run's own files."""
    return hasattr(protocol, "check_value_by")


class PartTeller(Protocol):
    """What a protocol adds that has tasks whose values are objects of parts."""

    def value_parts(self, task: str, params: Any | None, materials: Materials) -> tuple[Part, ...]:
        """The parts of the task's values, by the files of the run; none where they have none.

        `params` is None for imports.
        """
        ...


def is_part_teller(protocol: object) -> TypeGuard[PartTeller]:
    """Whether a protocol says what parts its values have."""
    return hasattr(protocol, "value_parts")


class TaskSorter(Protocol):
    """What a protocol of several tasks adds: which of them a figure is counted from."""

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks whose annotations a statistic is counted from, the one that it is about first.

        What these tasks read themselves goes without saying. Empty: it is counted from outcomes.
        """
        ...


def is_task_sorter(protocol: object) -> TypeGuard[TaskSorter]:
    """Whether a protocol says what its figures rest on; else each rests on all its tasks."""
    return hasattr(protocol, "rests_on")


class Summarised(Protocol):
    """What a protocol adds that says which of its statistics are headlines."""

    overview: ClassVar[tuple[Summary, ...]]
    """The most telling first: where a terminal has room for few lines, the last ones go."""


def is_summarised(protocol: object) -> TypeGuard[Summarised]:
    """Whether a protocol says what its overview holds; else every statistic of it is summed up."""
    return hasattr(protocol, "overview")


class JudgeComparer(Protocol):
    """What a protocol adds that sets judges of its first task, or their settings, side by side."""

    def between(
        self,
        target: str,
        benches: Sequence[Bench],
        params: ProtocolParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """Rows that rest on more than one bench; their groups say on which."""
        ...


def is_judge_comparer(protocol: object) -> TypeGuard[JudgeComparer]:
    """Whether a protocol has figures that compare judges or settings."""
    return hasattr(protocol, "between")
