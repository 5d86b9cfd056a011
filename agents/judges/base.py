"""What an offline judge is: a pure function of a text, with a name and a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from auditor.errors import JudgeError
from auditor.types import JSON, Message


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


class Truth(Protocol):
    """An offline judge whose reading of one text, made at once, a simulated judge takes for right.

    Every `TextJudge` is one; a `BatchJudge` may be.
    """

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """As of `TextJudge`."""
        ...

    def judge(self, text: str) -> Verdict:
        """The verdict on one text. Never raises for any text."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A text under judgement with what its judge sees of the trial."""

    text: str
    factors: Mapping[str, JSON]
    """The trial's factor levels; empty for a judge that does not see them."""
    prompt: tuple[Message, ...] | None = None
    """What was asked; None for a judge that does not see it, and for imported trials."""
    logprobs: JSON = None
    """The response's log-probabilities: OpenAI's chat form, or a table of tokens from an import.
    None where there are none, and for a judge that does not see them."""


class AnswerJudge(Protocol):
    """Reads one text at a time with what it answers; deterministic, needs no network."""

    task: str
    name: str
    sees: frozenset[str]
    """What it is given of the trial: "factors", "prompt", "logprobs". A judge that sees
    log-probabilities, and says `"reads": "logprobs"` in its configuration, is also given responses
    that have these and no text (imports); their text is empty."""

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """As of `TextJudge`."""
        ...

    def judge_answer(self, answer: Answer) -> Verdict:
        """The verdict on one answer. Never raises for any text."""
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

    async def judge_batch(self, values: Sequence[str]) -> Sequence[Verdict | JudgeError]:
        """The verdicts on these texts, in their order; a JudgeError where it has failed at one.

        Raises JudgeError where it has none for this batch, JudgeStopped where it will have none
        for any other either.
        """
        ...

    async def close(self) -> None:
        """Give back what it holds. It may be started again."""
        ...


AnyJudge = TextJudge | AnswerJudge | BatchJudge


class HurriedJudge(Protocol):
    """A batch judge over a program that may keep it waiting, and that it can do without."""

    on_wait: Callable[[str], None]
    """Is told what is waited for, where that takes long."""

    @property
    def waits_for(self) -> str | None:
        """What it is waiting for, "3 lines" for example; None where it waits for nothing."""
        ...

    def hurry(self, grace_seconds: float) -> None:
        """End soon: what is not answered by then is given up as JudgeHurried, and what comes."""
        ...


def can_hurry(judge: object) -> TypeGuard[HurriedJudge]:
    """Whether a judge may keep a user waiting who wants to stop."""
    return hasattr(judge, "hurry")


def needs_prompt(judge: object) -> bool:
    """Whether a judge can say nothing of an answer whose prompt is not known, as of imports."""
    return bool(getattr(judge, "needs_prompt", False))


def is_batch_judge(judge: AnyJudge) -> TypeGuard[BatchJudge]:
    """Whether a judge is asked about many texts at once."""
    return hasattr(judge, "judge_batch")


def is_truth(judge: object) -> TypeGuard[Truth]:
    """Whether a judge reads one text at a time, whatever else it does."""
    return hasattr(judge, "judge")


def is_text_judge(judge: AnyJudge) -> TypeGuard[TextJudge]:
    """Whether a judge reads one text at a time, and nothing else."""
    return not is_batch_judge(judge) and not is_answer_judge(judge)


def row_labels(judge: object) -> dict[str, JSON]:
    """What statistics of a judge's annotations say in their group: how it differs from its default.

    A judge that has a way of working worth telling apart names it in a property `labels`.
    """
    return dict(getattr(judge, "labels", {}))


def is_answer_judge(judge: AnyJudge) -> TypeGuard[AnswerJudge]:
    """Whether a judge also sees what of the trial it names."""
    return hasattr(judge, "judge_answer")
