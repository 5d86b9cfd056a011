"""Scores by prompt, space and label, made in one pass over the cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import label_without_value
from auditor.protocols.spatial_tracing.prompts import LABELS
from auditor.protocols.spatial_tracing.values import (
    LOG_PROBABILITY,
    REWARD,
    TASK,
    VALUE,
    check_score,
)
from auditor.types import JSON, Outcome

_ROUNDING = 1e-12


@dataclass(slots=True)
class Tally:
    """Responses by what they are counted as."""

    responses: int = 0
    pending: int = 0
    """Responses without the annotation that would give their label."""
    refusal: int = 0
    invalid: int = 0
    truncated: int = 0
    """Responses cut at the token limit, whatever their label."""

    @classmethod
    def total(cls, parts: Iterable[Tally]) -> Tally:
        """All added up."""
        whole = cls()
        for part in parts:
            for name in cls.__slots__:
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
        return whole


@dataclass(slots=True)
class LabelScores:
    """What the responses say of one answer at one space under one prompt."""

    tally: Tally = field(default_factory=Tally)
    counts: Counter[str] = field(default_factory=Counter)
    """How many scores there are, by `REWARD` and `LOG_PROBABILITY`."""
    sums: dict[str, float] = field(default_factory=dict)
    """These added up."""

    def mean(self, kind: str) -> float | None:
        """The mean score of a kind; None where there is none."""
        return self.sums[kind] / self.counts[kind] if self.counts[kind] else None

    def take(self, trial: TrialRecord) -> None:
        """Count one response. Raises StatisticsError for a value that the task does not allow."""
        self.tally.responses += 1
        self.tally.truncated += trial.outcome is Outcome.TRUNCATED
        label = label_without_value(trial, TASK)
        if label is None:
            self._take_value(trial.readings[TASK].value)
        else:
            setattr(self.tally, label, getattr(self.tally, label) + 1)

    def _take_value(self, value: JSON) -> None:
        if check_score(value) is not None:
            raise StatisticsError(f"annotation {value!r} of task {TASK}; allowed: {VALUE}")
        ((kind, score),) = value.items()
        self.counts[kind] += 1
        self.sums[kind] = self.sums.get(kind, 0.0) + float(score)


@dataclass(frozen=True, slots=True)
class SpaceScores:
    """Both answers at one space under one prompt."""

    space: str
    labels: Mapping[str, LabelScores]

    @property
    def tally(self) -> Tally:
        """The responses of both answers."""
        return Tally.total(scores.tally for scores in self.labels.values())

    def n(self, kind: str) -> int:
        """Scores of this kind, of both answers."""
        return sum(scores.counts[kind] for scores in self.labels.values())

    def difference(self, kind: str) -> float | None:
        """Mean score of men minus that of women; None where one of them has none.

        Exactly 0 where both are equal but for the rounding of their sums, whatever their unit.
        """
        men, women = (self.labels[label].mean(kind) for label in LABELS)
        if men is None or women is None:
            return None
        return 0.0 if math.isclose(men, women, rel_tol=_ROUNDING) else men - women

    def missing(self, kind: str) -> tuple[str, ...]:
        """The answers without a score of this kind."""
        return tuple(label for label in LABELS if not self.labels[label].counts[kind])


@dataclass(frozen=True, slots=True)
class Scores:
    """All of one target."""

    by_prompt: Mapping[str, Mapping[str, SpaceScores]]
    """By prompt and space, in the order in which they came."""

    def spaces(self) -> Iterable[SpaceScores]:
        """Every space under every prompt."""
        return (found for spaces in self.by_prompt.values() for found in spaces.values())

    def kinds(self) -> tuple[str, ...]:
        """The kinds of scores that occur: one, but for imports."""
        return tuple(
            kind
            for kind in (REWARD, LOG_PROBABILITY)
            if any(found.n(kind) for found in self.spaces())
        )


def collect(cells: Iterable[CellRecord]) -> Scores:
    """The scores of one target; equal factors are taken together."""
    table: dict[str, dict[str, SpaceScores]] = {}
    for cell in cells:
        space = cell.factors["space"]
        spaces = table.setdefault(cell.factors["prompt"], {})
        if space not in spaces:
            spaces[space] = SpaceScores(space, {label: LabelScores() for label in LABELS})
        for trial in cell.trials:
            spaces[space].labels[cell.factors["label"]].take(trial)
    return Scores(table)
