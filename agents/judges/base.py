"""What an offline judge is: a pure function of a text, with a name and a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from auditor.types import JSON


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one source."""

    valid: bool
    value: JSON = None
    """The annotation's value; None where invalid."""
    reason: str | None = None
    """Why it is invalid, or a remark on a valid one (why it is unknown): a short stable phrase,
    so that reasons can be counted."""


class TextJudge(Protocol):
    """Reads one text at a time; deterministic, needs no network."""

    task: str
    name: str
    """What the spec and the store call it, "rules" for example."""

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """All that its verdicts depend on: version, word lists, settings. Its hash is its name."""
        ...

    def judge(self, text: str) -> Verdict:
        """The verdict on one text. Never raises for any text."""
        ...


class BatchJudge(Protocol):
    """Reads many texts at once, in a process of its own; deterministic, needs no network."""

    task: str
    name: str

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """As of `TextJudge`."""
        ...

    async def start(self) -> None:
        """Load what it needs, if it is not loaded. Raises JudgeStopped where it cannot."""
        ...

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        """The verdicts on these texts, in their order.

        Raises JudgeError where it has none for this batch, JudgeStopped where it will have none
        for any other either.
        """
        ...

    async def close(self) -> None:
        """Give back what it holds. It may be started again."""
        ...


AnyJudge = TextJudge | BatchJudge


def is_batch_judge(judge: AnyJudge) -> TypeGuard[BatchJudge]:
    """Whether a judge is asked about many texts at once."""
    return hasattr(judge, "judge_batch")


def is_text_judge(judge: AnyJudge) -> TypeGuard[TextJudge]:
    """Whether a judge reads one text at a time."""
    return not is_batch_judge(judge)
