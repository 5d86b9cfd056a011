"""Choices by order and majority, and reasons, made in one pass over the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import PENDING, label_without_value
from auditor.protocols.spatial_planning.labels import CHOICES, RATIONALES
from auditor.statistics.odds_ratios import Table
from auditor.types import Outcome


@dataclass(slots=True)
class PlanningCounts:
    """All that the figures of one target rest on."""

    responses: int = 0
    truncated: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    """Choices A and B, refusal and invalid."""
    chosen: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    """By order, majority, and whether the male-dominated facility was chosen."""
    rationales: Counter[str] = field(default_factory=Counter)
    """Valid annotations by kind."""
    unexplained: int = 0
    """Responses with text and no valid annotation of their reasons."""

    @property
    def pending(self) -> int:
        """Responses without the annotation that would give their label."""
        return self.responses - self.labels.total()

    def table(self, order: str) -> Table:
        """Majority of men, then of women; the male-dominated facility, then the other."""
        return Table(
            a=self.chosen[order, "men", True],
            b=self.chosen[order, "men", False],
            c=self.chosen[order, "women", True],
            d=self.chosen[order, "women", False],
        )


def count_cells(cells: Iterable[CellRecord], male: Iterable[str]) -> PlanningCounts:
    """Counts of one target; `male` are the male-dominated facilities.

    Raises StatisticsError for an annotation value that its task does not allow.
    """
    counts, dominated = PlanningCounts(), frozenset(male)
    for cell in cells:
        male_is_first = cell.factors["space_a"] in dominated
        order = "ab" if male_is_first else "ba"
        majority = cell.factors["majority"]
        for trial in cell.trials:
            counts.responses += 1
            counts.truncated += trial.outcome is Outcome.TRUNCATED
            label = _label(trial)
            if label is not None:
                counts.labels[label] += 1
            if label in ("A", "B"):
                counts.chosen[order, majority, (label == "A") is male_is_first] += 1
            _take_rationale(trial, counts)
    return counts


def _label(trial: TrialRecord) -> str | None:
    """Refusal: refused, filtered, or annotated so. Invalid: empty, invalid, or cut and unread."""
    settled = label_without_value(trial, "choice")
    if settled is not None:
        return None if settled == PENDING else settled
    value = trial.readings["choice"].value
    if value not in CHOICES:
        raise StatisticsError(f'annotation {value!r} of task choice; allowed: "A", "B", "refusal"')
    return str(value)


def _take_rationale(trial: TrialRecord, counts: PlanningCounts) -> None:
    if not trial.outcome.is_judged:
        return
    reading = trial.readings.get("rationale")
    if reading is None or not reading.valid:
        counts.unexplained += 1
        return
    if reading.value not in RATIONALES:
        allowed = ", ".join(f'"{kind}"' for kind in RATIONALES)
        raise StatisticsError(f"annotation {reading.value!r} of task rationale; allowed: {allowed}")
    counts.rationales[str(reading.value)] += 1
