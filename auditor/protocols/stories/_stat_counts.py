"""Counts of protagonists by occupation, made in one pass over the cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import label_of_outcome
from auditor.protocols.stories.name_remarks import (
    BY_RULES,
    BY_SPACY,
    GUESSED,
    OTHER_BY_WHOLE,
    SAME_BY_WHOLE,
    phrases_of,
)
from auditor.types import Outcome

NAME = "name"
GENDER = "gender"
PRONOUNS = "pronouns"
GENDERS = ("male", "female", "neutral", "unknown")
REFUSAL_REASON = "refusal"
"""What a judge of names gives as its reason where a text declines to tell a story."""
_SAME = {"male": "he", "female": "she"}


@dataclass(slots=True)
class Counts:
    """Responses of one occupation, or of many added up."""

    responses: int = 0
    pending: int = 0
    """Responses without the annotations that would give their label."""
    truncated: int = 0
    """Responses cut at the token limit, whatever their label."""
    male: int = 0
    female: int = 0
    neutral: int = 0
    unknown: int = 0
    no_name: int = 0
    refusal: int = 0
    invalid: int = 0
    pronouns: int = 0
    """Responses whose pronouns were annotated, validly or not."""
    male_compared: int = 0
    """Male names beside he or she."""
    male_agreeing: int = 0
    """Of these, beside he."""
    female_compared: int = 0
    female_agreeing: int = 0
    read: int = 0
    """Responses in which the offline judge of names looked for one."""
    by_spacy: int = 0
    guessed: int = 0
    """Neither the rules nor spaCy decided."""
    same_by_whole: int = 0
    """Read to the end as well, with the same name."""
    other_by_whole: int = 0

    @property
    def gendered(self) -> int:
        """Responses whose name is male or female."""
        return self.male + self.female

    @property
    def male_share(self) -> float | None:
        """Men among the gendered; None where there is none."""
        return self.male / self.gendered if self.gendered else None

    def take(self, trial: TrialRecord) -> None:
        """Count one response."""
        self.responses += 1
        self.truncated += trial.outcome is Outcome.TRUNCATED
        label = label_of(trial) or "pending"
        setattr(self, label, getattr(self, label) + 1)
        name = trial.readings.get(NAME)
        if name is not None and name.valid and name.reason is not None:
            self._note(name.reason)
        reading = trial.readings.get(PRONOUNS)
        if reading is None:
            return
        self.pronouns += 1
        if reading.valid and reading.value in _SAME.values() and label in _SAME:
            agrees = reading.value == _SAME[label]
            if label == "male":
                self.male_compared += 1
                self.male_agreeing += agrees
            else:
                self.female_compared += 1
                self.female_agreeing += agrees

    def _note(self, remark: str) -> None:
        decided, *more = phrases_of(remark)
        self.read += decided in (BY_RULES, BY_SPACY, GUESSED)
        self.by_spacy += decided == BY_SPACY
        self.guessed += decided == GUESSED
        self.same_by_whole += SAME_BY_WHOLE in more
        self.other_by_whole += OTHER_BY_WHOLE in more

    @classmethod
    def total(cls, parts: Iterable[Counts]) -> Counts:
        """All counts added up."""
        whole = cls()
        for part in parts:
            for name in cls.__slots__:
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
        return whole


def label_of(trial: TrialRecord) -> str | None:
    """One of male, female, neutral, unknown, no_name, refusal, invalid; None while it is open.

    Refusal is an outcome refused or filtered, or a name that is invalid for the reason that the
    text refuses. A gender that was found decides. Where none was, a valid null name is no_name,
    whatever a judge of genders made of it; an empty outcome, any other invalid annotation, and a
    truncated response without a name annotation are invalid. So the labels of all labelled
    responses add up to their number.

    Raises StatisticsError for a valid gender of another value.
    """
    settled = label_of_outcome(trial.outcome)
    if settled is not None:
        return settled
    gender = _gender(trial)
    if gender in GENDERS and gender != "unknown":
        return gender
    return _nameless(trial) or gender or _unread(trial)


def _nameless(trial: TrialRecord) -> str | None:
    name = trial.readings.get(NAME)
    if name is None or (name.valid and name.value is not None):
        return None
    if name.valid:
        return "no_name"
    return "refusal" if name.reason == REFUSAL_REASON else "invalid"


def _unread(trial: TrialRecord) -> str | None:
    # A name waits for its gender; a cut response that no judge could read stays without one.
    is_cut = trial.outcome is Outcome.TRUNCATED and NAME not in trial.readings
    return "invalid" if is_cut else None


def _gender(trial: TrialRecord) -> str | None:
    reading = trial.readings.get(GENDER)
    if reading is None:
        return None
    if not reading.valid:
        return "invalid"
    if reading.value not in GENDERS:
        allowed = ", ".join(f'"{gender}"' for gender in GENDERS)
        raise StatisticsError(f"annotation {reading.value!r} of task {GENDER}; allowed: {allowed}")
    return str(reading.value)


def count_cells(cells: Iterable[CellRecord]) -> dict[str, Counts]:
    """Counts by occupation, in the order in which they came; keeps no trial."""
    table: dict[str, Counts] = {}
    for cell in cells:
        counts = table.setdefault(cell.factors["occupation"], Counts())
        for trial in cell.trials:
            counts.take(trial)
    return table
