"""The scores of one target by one judge, as an array that every statistic of `grap` reads."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import StatisticsError
from auditor.finite import is_between
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.labels import label_of_absent, label_of_outcome
from auditor.statistics.rounding import settled
from auditor.types import Outcome

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

RUBRIC = "rubric"
"""The annotation task."""
REFUSAL_REASON = "refusal"
"""What a judge gives as its reason where a response declines."""
SHOWN = {"first": 1, "second": -1}
"""What the reading of a paired judge says as its reason: the place that the response had."""


@dataclass(slots=True)
class Labels:
    """Responses of one level: scored, refusal and invalid add up to all but the pending."""

    responses: int = 0
    pending: int = 0
    """Responses whose annotation is still to come."""
    truncated: int = 0
    """Cut at the token limit, whatever their label."""
    scored: int = 0
    refusal: int = 0
    invalid: int = 0

    def take(self, trial: TrialRecord) -> None:
        """Count one response."""
        label = _label_of(trial)
        self.responses += 1
        self.truncated += trial.outcome is Outcome.TRUNCATED
        setattr(self, label, getattr(self, label) + 1)

    @classmethod
    def total(cls, parts: Iterable[Labels]) -> Labels:
        """All counts added up."""
        whole = cls()
        for part in parts:
            for name in cls.__slots__:
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """Scores by pair, side and dimension. Side 0 is the contrast's first level: y = 1."""

    pairs: tuple[int, ...]
    """Numbers of the pairs, ascending."""
    levels: tuple[str, str]
    dimensions: tuple[str, ...]
    """Those of the rubric in its order, scored or not, then any others that were scored."""
    scores: Floats
    """(pairs, 2, dimensions); NaN is missing. Repetitions of a side are averaged."""
    shown: Places
    """(pairs,): 1 where a paired judge saw side 0 first, -1 where last, 0 where not known."""
    labels: Mapping[str, Labels]
    """By level."""
    is_averaged: bool
    """Whether any side was scored in more than one repetition."""

    @property
    def has_both(self) -> NDArray[np.bool_]:
        """(pairs,): whether both sides have a score at all."""
        return _has_any(self.scores[:, 0]) & _has_any(self.scores[:, 1])

    def side_by_side(self, dimension: int) -> tuple[Floats, Floats]:
        """Scores of both sides in the pairs that have both in this dimension."""
        both = self.scores[:, :, dimension]
        known = both[~np.isnan(both).any(axis=1)]
        return known[:, 0], known[:, 1]


def score_table(
    cells: Iterable[CellRecord], levels: tuple[str, str], dimensions: Sequence[str]
) -> ScoreTable:
    """The table of one target's responses as one judge scored them; `cells` is passed over once.

    A pair has a row as soon as one of its sides has a response. Raises StatisticsError for a
    level that is none of the two, and for a valid annotation that holds no table of numbers.
    """
    sides = {level: side for side, level in enumerate(levels)}
    labels = {level: Labels() for level in levels}
    columns = {dimension: place for place, dimension in enumerate(dimensions)}
    rows: dict[int, int] = {}
    entries = array("q"), array("q"), array("q"), array("d")
    placed = array("q"), array("q")
    for cell in cells:
        level = cell.factors["gender"]
        if level not in sides:
            raise StatisticsError(f"gender {level!r}; allowed: {', '.join(levels)}")
        row = rows.setdefault(int(cell.factors["pair"]), len(rows))
        for trial in cell.trials:
            labels[level].take(trial)
            for dimension, score in _scores_of(trial).items():
                column = columns.setdefault(dimension, len(columns))
                for values, value in zip(entries[:3], (row, sides[level], column), strict=True):
                    values.append(value)
                entries[3].append(score)
            place = _shown(trial)
            if place:
                placed[0].append(row)
                placed[1].append(place if sides[level] == 0 else -place)
    # By Python's own numbers: a store may hold pairs beyond 64 bits.
    order = np.array([rows[number] for number in sorted(rows)], dtype=np.int64)
    scores, numbers = _averaged(entries, (len(rows), 2, len(columns)))
    shown = np.zeros(len(rows))
    np.add.at(shown, np.asarray(placed[0]), np.asarray(placed[1]))
    return ScoreTable(
        pairs=tuple(sorted(rows)),
        levels=levels,
        dimensions=tuple(columns),
        scores=scores[order],
        # Both sides say the same; repetitions may not, and then no place is known.
        shown=np.sign(shown).astype(np.int64)[order],
        labels=labels,
        is_averaged=bool((numbers > 1).any()),
    )


def _averaged(
    entries: tuple[array[int], array[int], array[int], array[float]], shape: tuple[int, int, int]
) -> tuple[Floats, Places]:
    places = tuple(np.asarray(values, dtype=np.int64) for values in entries[:3])
    sums, numbers = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    np.add.at(sums, places, np.asarray(entries[3], dtype=np.float64))
    np.add.at(numbers, places, 1)
    scores = np.full(shape, np.nan)
    np.divide(sums, numbers, out=scores, where=numbers > 0)
    # An average hangs on the order of its repetitions in the last digit; equal ones must be equal.
    return settled(scores), numbers


def _has_any(scores: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.asarray((~np.isnan(scores)).any(axis=1), dtype=np.bool_)
    return found


def _scores_of(trial: TrialRecord) -> Mapping[str, float]:
    reading = trial.readings.get(RUBRIC)
    if reading is None or not reading.valid or label_of_outcome(trial.outcome) is not None:
        return {}
    scores = reading.value
    if not isinstance(scores, dict) or not all(is_between(x, 0, 1) for x in scores.values()):
        raise StatisticsError(
            f"annotation {scores!r:.80} of task {RUBRIC}; allowed: dimensions with scores in [0, 1]"
        )
    return scores


def _shown(trial: TrialRecord) -> int:
    reading = trial.readings.get(RUBRIC)
    return 0 if reading is None or not reading.valid else SHOWN.get(reading.reason or "", 0)


def _label_of(trial: TrialRecord) -> str:
    """One of scored, refusal, invalid, pending. An empty table of scores is invalid."""
    label = label_of_outcome(trial.outcome)
    if label is not None:
        return label
    reading = trial.readings.get(RUBRIC)
    if reading is None:
        return label_of_absent(trial.outcome)
    if reading.valid:
        return "scored" if reading.value else "invalid"
    return "refusal" if reading.reason == REFUSAL_REASON else "invalid"
