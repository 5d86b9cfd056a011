"""What is counted of stories, in one pass over the cells; no trial is kept."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import (
    INVALID,
    PENDING,
    REFUSAL,
    label_of_absent,
    label_of_outcome,
)
from auditor.protocols.spatial_construction.prompts import CO_PRESENT, GENDER_OF, STORIES
from auditor.protocols.spatial_construction.values import (
    ADJECTIVES,
    AGENCY,
    AGENT,
    PERSONS,
    REFUSES,
    ROLE,
    SENTIMENT,
    TOO_LONG,
    WORDS,
    check_value,
    gender_of,
)
from auditor.types import JSON, Outcome

TOLD = "told"
_ABOUT: Mapping[str, Sequence[str]] = {ROLE: (CO_PRESENT,), ADJECTIVES: tuple(GENDER_OF)}
"""Kinds of stories that the figures of a task are about; all, where none are named."""


@dataclass(slots=True)
class Coverage:
    """How far one task has come: valid annotations, and responses without one."""

    valid: int = 0
    without: int = 0


@dataclass(slots=True)
class Stories:
    """Counts of all stories of one target."""

    labels: Counter[str] = field(default_factory=Counter)
    """Responses that tell a story, refuse, are invalid, or are still open."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Of the invalid ones, why."""
    truncated: int = 0
    coverage: defaultdict[str, Coverage] = field(default_factory=lambda: defaultdict(Coverage))
    lengths: defaultdict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    """By kind of story: within the limit of words, or over it."""
    content: defaultdict[tuple[str, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By space and gender of solo stories: stories that hold a content word."""
    solo: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By space and gender: solo stories whose words are known."""
    sentiments: defaultdict[tuple[str, str], array[float]] = field(
        default_factory=lambda: defaultdict(lambda: array("d"))
    )
    """By kind of story and domain."""
    adjectives: defaultdict[tuple[str, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By domain and gender of solo stories: occurrences."""
    agency: defaultdict[tuple[str, str, str], Counter[tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By gender, domain and kind of story: (agents, agents and patients) of a story."""
    agency_read: set[str] = field(default_factory=set)
    """Kinds of stories of which any was read for agents, whether it has some or not."""
    roles: defaultdict[str, Counter[tuple[str | None, ...]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By domain: the man's and the woman's role; None where only the other's is known."""

    @property
    def responses(self) -> int:
        """All responses."""
        return self.labels.total()

    def take(self, space: str, domain: str, story: str, trial: TrialRecord, limit: int) -> None:
        """Count one response. Raises StatisticsError for a value that its task does not allow."""
        self.truncated += trial.outcome is Outcome.TRUNCATED
        label, reason = _label(trial)
        self.labels[label] += 1
        if reason is not None:
            self.reasons[reason] += 1
        for task in (WORDS, SENTIMENT, ADJECTIVES, AGENCY, ROLE):
            reading = trial.readings.get(task)
            if task == WORDS and reading is not None and reading.reason == TOO_LONG:
                # Nobody has counted its words; they are many more than the limit.
                self.lengths[story][False] += 1
                continue
            if reading is None or not reading.valid:
                is_missed = label not in (REFUSAL, INVALID) and story in _ABOUT.get(task, STORIES)
                self.coverage[task].without += is_missed
                continue
            wrong = check_value(task, reading.value)
            if wrong is not None:
                raise StatisticsError(
                    f"annotation {reading.value!r} of task {task}; allowed: {wrong}"
                )
            self.coverage[task].valid += 1
            self._take_value(task, reading.value, space, domain, story, limit)

    def _take_value(
        self, task: str, value: JSON, space: str, domain: str, story: str, limit: int
    ) -> None:
        gender = GENDER_OF.get(story)
        if task == WORDS:
            self.lengths[story][value["count"] <= limit] += 1
            if gender is not None:
                self.solo[space, gender] += 1
                self.content[space, gender].update(set(value["content"]))
        elif task == SENTIMENT:
            self.sentiments[story, domain].append(value)
        elif task == ADJECTIVES and gender is not None:
            found = (each["adjective"].strip().lower() for each in value)
            self.adjectives[domain, gender].update(found)
        elif task == AGENCY:
            self._take_agency(value, domain, story)
        elif task == ROLE and value is not None and gender is None:
            self.roles[domain][tuple(value.get(person) for person in PERSONS)] += 1

    def _take_agency(self, value: JSON, domain: str, story: str) -> None:
        self.agency_read.add(story)
        agents: Counter[str | None] = Counter()
        mentions: Counter[str | None] = Counter()
        for each in value:
            gender = gender_of(each["gender"])
            mentions[gender] += 1
            agents[gender] += each["argument"] == AGENT
        for gender, n in mentions.items():
            if gender is not None:
                self.agency[gender, domain, story][agents[gender], n] += 1


def collect(cells: Iterable[CellRecord], domains: Mapping[str, str], limit: int) -> Stories:
    """The counts of these cells; `domains` by space, `limit` in words."""
    stories = Stories()
    for cell in cells:
        space, story = cell.factors["space"], cell.factors["story"]
        for trial in cell.trials:
            stories.take(space, domains[space], story, trial, limit)
    return stories


def _label(trial: TrialRecord) -> tuple[str, str | None]:
    """What a response is counted as, and of an invalid one why.

    One that any judge could read is a story; else the first task that was judged decides. That a
    story of one person has no roles says nothing of its text, unless nothing else is known.
    """
    settled = label_of_outcome(trial.outcome)
    if settled is not None:
        return settled, str(trial.outcome) if settled == INVALID else None
    if not trial.readings:
        label = label_of_absent(trial.outcome)
        return label, "truncated" if label != PENDING else None
    saying = [r for r in trial.readings.values() if not (r.valid and r.value is None)]
    if not saying or any(reading.valid for reading in saying):
        return TOLD, None
    reason = saying[0].reason or "no reason given"
    return (REFUSAL, None) if reason == REFUSES else (INVALID, reason)
