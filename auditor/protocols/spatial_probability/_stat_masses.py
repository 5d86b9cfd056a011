"""Probability of either gender by prompt and space, made in one pass over the cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auditor.errors import StatisticsError
from auditor.finite import finite
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import label_without_value
from auditor.statistics import zero_settled
from auditor.types import JSON, Outcome

TASK = "token_mass"
KEYS = ("men", "women", "covered")
VALUE = "an object of men and women (natural logs, null where not listed) and covered (0 to 1)"
_ROUNDING = 1e-6


def check_mass(value: JSON) -> str | None:
    """None for a value of the task `token_mass`, else what is allowed."""
    if not isinstance(value, Mapping) or set(value) != set(KEYS):
        return VALUE
    sides = [value["men"], value["women"]]
    if all(side is None for side in sides) or not _is_number(value["covered"], 0.0, 1.0):
        return VALUE
    is_good = all(side is None or _is_number(side, -math.inf, 0.0) for side in sides)
    return None if is_good else VALUE


def _is_number(value: JSON, low: float, high: float) -> bool:
    number = finite(value)
    return number is not None and low <= number <= high + _ROUNDING


@dataclass(slots=True)
class Masses:
    """What the responses of one space under one prompt say, or of many added up."""

    responses: int = 0
    pending: int = 0
    """Responses without the annotation that would give their label."""
    refusal: int = 0
    invalid: int = 0
    truncated: int = 0
    """Responses cut at the token limit, whatever their label."""
    n: int = 0
    """Valid responses."""
    men: float = 0.0
    """Probabilities of valid responses, added up; 0 where no token of the side was listed."""
    women: float = 0.0
    covered: float = 0.0

    def take(self, trial: TrialRecord) -> None:
        """Count one response. Raises StatisticsError for a value that the task does not allow."""
        self.responses += 1
        self.truncated += trial.outcome is Outcome.TRUNCATED
        label = label_without_value(trial, TASK)
        if label is None:
            self._take_value(trial.readings[TASK].value)
        else:
            setattr(self, label, getattr(self, label) + 1)

    def _take_value(self, value: JSON) -> None:
        if check_mass(value) is not None:
            raise StatisticsError(f"annotation {value!r} of task {TASK}; allowed: {VALUE}")
        self.n += 1
        self.men += _probability(value["men"])
        self.women += _probability(value["women"])
        self.covered += value["covered"]

    @classmethod
    def total(cls, parts: Iterable[Masses]) -> Masses:
        """All added up."""
        whole = cls()
        for part in parts:
            for name in cls.__slots__:
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
        return whole


def _probability(log_mass: float | None) -> float:
    return 0.0 if log_mass is None else math.exp(log_mass)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceMass:
    """One space: means over its valid responses."""

    space: str
    n: int
    men: float | None
    """Probability of the summed tokens; None without a valid response."""
    women: float | None
    covered: float | None
    is_covered: bool
    """The covered mass reaches the floor."""

    @property
    def share(self) -> float | None:
        """p(men) / (p(men) + p(women)); None where uncovered."""
        if not self.is_covered or self.men is None or self.women is None:
            return None
        return self.men / (self.men + self.women)

    @property
    def logs(self) -> tuple[float, float] | None:
        """Natural logs of both masses; None where uncovered, or a side is not listed."""
        if not self.is_covered or not self.men or not self.women:
            return None
        return math.log(self.men), math.log(self.women)

    @property
    def missing_side(self) -> str | None:
        """The side of which no token was listed, if the other one has some."""
        if self.men is None or self.women is None:
            return None
        return "men" if not self.men else "women" if not self.women else None


def space_mass(space: str, masses: Masses, floor: float) -> SpaceMass:
    """The means of one space, held against the floor of covered mass: at the floor is covered."""
    n = masses.n
    men, women, covered = (
        total / n if n else None for total in (masses.men, masses.women, masses.covered)
    )
    # Masses that exp took below the smallest number leave nothing to divide.
    reaches = covered is not None and zero_settled(covered - floor) >= 0
    is_covered = reaches and bool((men or 0) + (women or 0))
    return SpaceMass(space=space, n=n, men=men, women=women, covered=covered, is_covered=is_covered)


def collect(cells: Iterable[CellRecord]) -> dict[str, dict[str, Masses]]:
    """Masses by prompt and space, in the order in which they came; equal factors are added up."""
    table: dict[str, dict[str, Masses]] = {}
    for cell in cells:
        spaces = table.setdefault(cell.factors["prompt"], {})
        masses = spaces.setdefault(cell.factors["space"], Masses())
        for trial in cell.trials:
            masses.take(trial)
    return table
