"""One judge's exchange about one source: what was asked, answered and not stored yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agents.judges.base import Verdict
from agents.judges.model.subject import Question, Subject
from auditor.endpoints import Estimate, Slot
from auditor.errors import EndpointError
from auditor.store.records import CallRecord
from auditor.store.sources import Source
from auditor.types import Message, Reply


@dataclass(slots=True, eq=False)
class Exchange:
    """A source on its way to an annotation, or a pair; a failed attempt takes it up where it was.

    Its questions are asked one after the other.
    """

    subject: Subject
    questions: tuple[Question, ...]
    name: str
    """Hexadecimal key that its requests are called by: of its judge, trial, text and question."""
    estimate: Estimate
    """The most that the next call can use."""
    answered: list[tuple[Verdict, ...]] = field(default_factory=list)
    """For each question that has its answer: what that said of each source that is shown."""
    is_reserved: bool = False
    """Whether the budget holds the estimate back."""
    attempt: int = 1
    """1-based number of the next call."""
    replies: list[Reply] = field(default_factory=list)
    """Paid for: an attempt after a failure goes on behind them and asks nothing twice."""
    errors: Counter[str] = field(default_factory=Counter)
    """Failures of the next call so far, by kind."""
    call: CallRecord | None = None
    """The last call, until what came of it is known and stored with it."""
    slot: Slot | None = None
    """Its place at the endpoint, held until then."""

    @property
    def source(self) -> Source:
        """The source by which it is journaled."""
        return self.subject.source

    @property
    def place(self) -> int:
        """The number of its question from 0."""
        return len(self.answered)

    @property
    def question(self) -> Question:
        """What it asks."""
        return self.questions[self.place]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The question as it is first asked."""
        return self.question.messages

    @property
    def is_at_last(self) -> bool:
        """Whether nothing is left to ask behind its question."""
        return self.place == len(self.questions) - 1

    @property
    def tokens(self) -> int:
        """What the next call is counted for."""
        return self.estimate.tokens or self.estimate.input_tokens

    async def leave(self) -> None:
        """Give its place at the endpoint back."""
        slot, self.slot = self.slot, None
        if slot is not None:
            await slot.__aexit__(None, None, None)


@dataclass(frozen=True, slots=True)
class Judged:
    """How a question ended."""

    verdicts: tuple[Verdict, ...]
    """Of each source that is shown."""
    raw: str | None = None
    """What the judge said last, where that could not be read."""


class NoRoomError(Exception):
    """The next call does not fit the budget now."""


class TurnedAwayError(Exception):
    """The endpoint has stopped, or the run drains: the next call was not sent."""

    def __init__(self, error: EndpointError) -> None:
        super().__init__(error.message)
        self.error = error
