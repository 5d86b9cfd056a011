"""One judge's exchange about one source: what was asked, answered and not stored yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agents.judges.base import TextJudge, Verdict
from agents.judges.model.reading import AnyReading
from auditor.canonical import canonical_json
from auditor.endpoints import Estimate, Slot
from auditor.errors import EndpointError
from auditor.store.records import CallRecord
from auditor.store.sources import Source
from auditor.types import JSON, Message, Reply, SimulatedAnswer


@dataclass(slots=True, eq=False)
class Exchange:
    """A source on its way to an annotation; a failed attempt takes it up where it was."""

    source: Source
    name: str
    """Hexadecimal key that its requests are called by: of its judge, trial and text."""
    messages: tuple[Message, ...]
    """The first question."""
    estimate: Estimate
    """The most that the next call can use."""
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
    """How an exchange ended."""

    verdict: Verdict
    raw: str | None = None
    """What the judge said last, where that could not be read."""


class NoRoomError(Exception):
    """The next call does not fit the budget now."""


class TurnedAwayError(Exception):
    """The endpoint has stopped, or the run drains: the next call was not sent."""

    def __init__(self, error: EndpointError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class OfflineTruth:
    """What a simulated judge takes for right: an offline judge's reading of the same text."""

    reading: AnyReading
    judge: TextJudge
    text: str

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """The output that would be right, as JSON."""
        truth = self.reading.truth(self.judge.judge(self.text))
        return SimulatedAnswer(text=canonical_json(truth))
