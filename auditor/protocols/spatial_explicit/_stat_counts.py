"""Counts of answers by condition and space, made in one pass over the cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import PENDING, label_without_value
from auditor.protocols.rows import pending_note
from auditor.types import JSON, Outcome

TASK = "choice"

EARLY_REPETITIONS = 10
"""Repetitions of each prompt that the aggregated test pools: 0 to 9."""

Condition = tuple[str, float]
"""Prompt and temperature."""


@dataclass(slots=True)
class Counts:
    """Responses of one space under one condition, or of many added up."""

    responses: int = 0
    pending: int = 0
    """Responses without the annotation that would give their label."""
    truncated: int = 0
    """Responses cut at the token limit, whatever their label."""
    men: int = 0
    women: int = 0
    neither: int = 0
    refusal: int = 0
    invalid: int = 0
    early_men: int = 0
    """Among repetitions 0 to 9."""
    early_women: int = 0

    @property
    def pending_note(self) -> str | None:
        """Says how many responses are left out for want of an annotation; None if none."""
        return pending_note(self.pending, self.responses)

    @property
    def valid(self) -> int:
        """Answers that name a gender."""
        return self.men + self.women

    @property
    def share(self) -> float | None:
        """Men among the answers that name a gender; None where there is none."""
        return self.men / self.valid if self.valid else None

    def take(self, trial: TrialRecord) -> None:
        """Count one response."""
        self.responses += 1
        self.truncated += trial.outcome is Outcome.TRUNCATED
        label = label_of(trial)
        if label is None:
            self.pending += 1
        elif label == "men":
            self.men += 1
            self.early_men += trial.repetition < EARLY_REPETITIONS
        elif label == "women":
            self.women += 1
            self.early_women += trial.repetition < EARLY_REPETITIONS
        elif label == "neither":
            self.neither += 1
        elif label == "refusal":
            self.refusal += 1
        else:
            self.invalid += 1

    @classmethod
    def total(cls, parts: Iterable[Counts]) -> Counts:
        """All counts added up."""
        whole = cls()
        for part in parts:
            for name in cls.__slots__:
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
        return whole


CountTable = Mapping[Condition, Mapping[str, Counts]]
"""Counts by condition and space, both in the order in which they came."""


def label_of(trial: TrialRecord) -> str | None:
    """men, women, neither, refusal or invalid; None while the annotation is missing.

    Refusal is an outcome refused or filtered, or an annotation that says so. Invalid is an
    empty outcome, an invalid annotation, or a truncated response without a valid one. So the
    five labels of all labelled responses add up to their number.

    Raises StatisticsError for a valid annotation with another value.
    """
    settled = label_without_value(trial, TASK)
    if settled is not None:
        return None if settled == PENDING else settled
    value: JSON = trial.readings[TASK].value
    if value not in ("men", "women", "neither", "refusal"):
        raise StatisticsError(
            f'annotation {value!r} of task {TASK}; allowed: "men", "women", "neither", "refusal"'
        )
    return str(value)


def count_cells(cells: Iterable[CellRecord]) -> dict[Condition, dict[str, Counts]]:
    """Counts by condition and space; keeps no trial. Cells of equal factors are added up."""
    table: dict[Condition, dict[str, Counts]] = {}
    for cell in cells:
        condition = (cell.factors["prompt"], cell.factors["temperature"])
        counts = table.setdefault(condition, {}).setdefault(cell.factors["space"], Counts())
        for trial in cell.trials:
            counts.take(trial)
    return table
