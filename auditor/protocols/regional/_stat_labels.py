"""What a response is counted as, and the rates of refusals and of what cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from auditor.errors import StatisticsError
from auditor.finite import is_between
from auditor.protocols.base import StatisticRow, TrialRecord
from auditor.protocols.labels import INVALID, PENDING, REFUSAL, label_without_value
from auditor.protocols.rows import Rows, pending_note
from auditor.types import JSON, Outcome

LOWEST, HIGHEST = 1, 5

Margin = tuple[tuple[str, str], ...]
"""Factors and levels that counts are kept for; () is everything."""


def choice_of(trial: TrialRecord) -> str | None:
    """One of "A", "B", "refusal", "invalid"; None while the annotation is missing.

    Raises StatisticsError for a valid annotation with another value.
    """
    answer = _answer(trial, "choice")
    if answer is None or answer in ("A", "B", REFUSAL, INVALID):
        return None if answer is None else str(answer)
    raise StatisticsError(f'annotation {answer!r} of task choice; allowed: "A", "B", "{REFUSAL}"')


def rating_of(trial: TrialRecord) -> float | str | None:
    """A number from 1 to 5, "refusal" or "invalid"; None while the annotation is missing.

    Raises StatisticsError for a valid annotation with another value.
    """
    answer = _answer(trial, "rating")
    if answer is None or answer in (REFUSAL, INVALID):
        return None if answer is None else str(answer)
    if is_between(answer, LOWEST, HIGHEST):
        return float(answer)
    raise StatisticsError(
        f"annotation {answer!r} of task rating;"
        f' allowed: a number from {LOWEST} to {HIGHEST}, or "{REFUSAL}"'
    )


def _answer(trial: TrialRecord, task: str) -> JSON:
    """The annotated value, or the label that stands where there is none; None while pending."""
    settled = label_without_value(trial, task)
    if settled is not None:
        return None if settled == PENDING else settled
    return trial.readings[task].value


@dataclass(slots=True)
class Counts:
    """Responses of one margin."""

    responses: int = 0
    pending: int = 0
    """Responses without the annotation that would give their label."""
    refusal: int = 0
    invalid: int = 0
    truncated: int = 0
    """Responses cut at the token limit, whatever their label."""

    def add(self, other: Counts) -> None:
        """Add the counts of a cell."""
        self.responses += other.responses
        self.pending += other.pending
        self.refusal += other.refusal
        self.invalid += other.invalid
        self.truncated += other.truncated

    @property
    def pending_note(self) -> str | None:
        """Says how many responses are left out for want of an annotation; None if none."""
        return pending_note(self.pending, self.responses)


@dataclass(slots=True)
class Tally:
    """Counts by margin, in the order in which the margins came."""

    counts: dict[Margin, Counts] = field(default_factory=lambda: {(): Counts()})

    def take(
        self, margins: Iterable[Margin], trials: Sequence[TrialRecord], answers: Sequence[JSON]
    ) -> None:
        """Count the responses of one cell in each of its margins."""
        cell = Counts(
            responses=len(trials),
            pending=answers.count(None),
            refusal=answers.count(REFUSAL),
            invalid=answers.count(INVALID),
            truncated=sum(trial.outcome is Outcome.TRUNCATED for trial in trials),
        )
        for margin in margins:
            self.counts.setdefault(margin, Counts()).add(cell)

    def pending_note(self, *levels: tuple[str, str]) -> str | None:
        """What is left out of a margin for want of annotations; None if nothing."""
        counts = self.counts.get(levels)
        return None if counts is None else counts.pending_note


def rate_rows(rows: Rows, tally: Tally) -> Iterator[StatisticRow]:
    """Rates of each margin: over labelled responses, but the truncated one over all.

    An outcome needs no annotation. Wilson intervals take responses as independent, cells fixed.
    """
    for margin, counts in sorted(tally.counts.items(), key=_by_factors):
        yield from rows.label_rates(
            dict(margin),
            {REFUSAL: counts.refusal, INVALID: counts.invalid},
            responses=counts.responses,
            pending=counts.pending,
            truncated=counts.truncated,
        )


def _by_factors(item: tuple[Margin, Counts]) -> tuple[int, tuple[str, ...]]:
    return len(item[0]), tuple(factor for factor, _ in item[0])
