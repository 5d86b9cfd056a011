"""Who says something of a store's answers: judges, people, and people as one."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from auditor.canonical import canonical_json
from auditor.protocols.base import Task
from auditor.reports.label_trials import Label
from auditor.reports.labels import RECONCILED
from auditor.reports.scales import (
    NUMBER,
    Said,
    SaidPairs,
    Scale,
    class_of,
    number,
    part_of,
    part_pairs,
)

Ratings = Mapping[int, Said]
"""What one rater says, by trial."""

_UNNAMED = "annotator"
_HASH_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRater:
    """A judge of one task, reading one kind of source."""

    name: str
    """Its spec name, with what it is shown where its task has settings; and with a piece of its
    hash, or what it reads, where names would be the same."""
    judge_id: int
    source_judge_id: int | None
    """The judge whose annotations it reads; None: it reads responses."""
    simulated: bool


@dataclass(frozen=True, slots=True)
class SharedTrials:
    """What two judges say of all trials that both annotated."""

    pairs: SaidPairs
    simulated: bool
    """Whether one of the trials is of a simulated target."""


@dataclass(frozen=True, slots=True)
class People:
    """What people say together."""

    ratings: Ratings
    no_majority: int
    """Trials on which no label has more than half."""


@dataclass(frozen=True, kw_only=True)
class Raters:
    """All raters of one task with what they say, of whole values or of one part."""

    protocol: str
    annotators: Mapping[str, Ratings]
    """By name, without reconciled labels."""
    reconciled: Ratings
    judges: Mapping[JudgeRater, Ratings]
    """What judges say of the labelled trials."""
    judge_pairs: Mapping[tuple[JudgeRater, JudgeRater], SharedTrials]

    @classmethod
    def read(
        cls, connection: sqlite3.Connection, protocol: str, task: Task, labels: Sequence[Label]
    ) -> Raters:
        """The people of a label file and the judges of a store."""
        annotators: dict[str, dict[int, Said]] = defaultdict(dict)
        for label in sorted(labels, key=lambda label: (label.annotator or "", label.trial_id)):
            annotators[label.annotator or _UNNAMED][label.trial_id] = label.value
        judges = judge_raters(connection, protocol, task)
        trials = {label.trial_id for label in labels}
        return cls(
            protocol=protocol,
            reconciled=annotators.pop(RECONCILED, {}),
            annotators=dict(annotators),
            judges={judge: judge_ratings(connection, judge, trials) for judge in judges},
            judge_pairs={
                (a, b): judge_pairs(connection, protocol, a, b) for a, b in combinations(judges, 2)
            },
        )

    def said_by_people(self) -> Iterator[Said]:
        """Every value that people say, each at least once."""
        for ratings in (self.reconciled, *self.annotators.values()):
            yield from set(ratings.values())

    def said(self) -> Iterator[Said]:
        """Every value that anybody says, each at least once."""
        yield from self.said_by_people()
        for ratings in self.judges.values():
            yield from set(ratings.values())
        for shared in self.judge_pairs.values():
            for pair in shared.pairs:
                yield from pair

    def part(self, name: str) -> Raters:
        """The same raters on one part of the values; where a value has none, it is missing."""
        return Raters(
            protocol=self.protocol,
            annotators={who: _part(ratings, name) for who, ratings in self.annotators.items()},
            reconciled=_part(self.reconciled, name),
            judges={who: _part(ratings, name) for who, ratings in self.judges.items()},
            judge_pairs={
                who: SharedTrials(part_pairs(shared.pairs, name), shared.simulated)
                for who, shared in self.judge_pairs.items()
            },
        )


def judge_raters(connection: sqlite3.Connection, protocol: str, task: Task) -> list[JudgeRater]:
    """The judges that have annotated this task, in the order in which they came."""
    rows = connection.execute(
        "SELECT DISTINCT j.id, j.name, lower(hex(j.hash)), j.simulated, u.judge_id, b.name,"
        " json_extract(j.configuration, '$.setting')"
        " FROM judges j JOIN _annotations a ON a.judge_id = j.id AND a.repeat = 0"
        " JOIN trials t ON t.id = a.trial_id JOIN cells c ON c.id = t.cell_id AND c.protocol = ?"
        " LEFT JOIN _annotations u ON u.seq = a.source LEFT JOIN judges b ON b.id = u.judge_id"
        " WHERE j.task = ? ORDER BY j.id, u.judge_id",
        (protocol, task.name),
    ).fetchall()
    names = Counter({row[0]: (row[1], row[6]) for row in rows}.values())
    sources = Counter(row[0] for row in rows)
    found = []
    for judge, name, key, simulated, source, source_name, setting in rows:
        label = name if names[name, setting] == 1 else f"{name} {key[:_HASH_DIGITS]}"
        if setting is not None:
            label += f" ({setting})"
        if sources[judge] > 1:
            label += f" on {source_name or 'the answer'}"
        found.append(
            JudgeRater(
                name=label, judge_id=judge, source_judge_id=source, simulated=bool(simulated)
            )
        )
    return found


_SAID = """
    SELECT a.trial_id, a.value FROM _annotations a LEFT JOIN _annotations u ON u.seq = a.source
    WHERE a.judge_id = ? AND a.repeat = 0 AND u.judge_id IS ?"""
# Grouped, not joined: no index finds a judge's annotation by its trial. An empty text, which is no
# JSON, stands for invalid, because a null is what max passes over.
_PAIRS = f"""
    SELECT both.first, both.second, count(*), max(g.simulated) FROM (
        SELECT trial_id, max(CASE place WHEN 1 THEN said END) AS first,
               max(CASE place WHEN 2 THEN said END) AS second
        FROM (SELECT 1 AS place, trial_id, coalesce(value, '') AS said FROM ({_SAID})
              UNION ALL SELECT 2, trial_id, coalesce(value, '') FROM ({_SAID}))
        GROUP BY trial_id HAVING count(*) = 2) both
    JOIN trials t ON t.id = both.trial_id JOIN cells c ON c.id = t.cell_id
    JOIN targets g ON g.id = c.target_id
    WHERE c.protocol = ? AND c.superseded = 0 AND t.repetition < c.repetitions
    GROUP BY both.first, both.second"""


def judge_ratings(
    connection: sqlite3.Connection, judge: JudgeRater, trials: Iterable[int]
) -> dict[int, Said]:
    """What a judge says of these trials; the ones that it has not annotated are missing."""
    rows = connection.execute(
        f"{_SAID} AND a.trial_id IN (SELECT value FROM json_each(?))",
        (judge.judge_id, judge.source_judge_id, json.dumps(sorted(trials))),
    )
    return dict(rows.fetchall())


def judge_pairs(
    connection: sqlite3.Connection, protocol: str, first: JudgeRater, second: JudgeRater
) -> SharedTrials:
    """What two judges say of all trials of the plan that both annotated.

    Counted in the database: memory grows with the different pairs, not with the trials.
    """
    rows = connection.execute(
        _PAIRS,
        (
            *(first.judge_id, first.source_judge_id),
            *(second.judge_id, second.source_judge_id),
            protocol,
        ),
    ).fetchall()
    pairs = {(a or None, b or None): count for a, b, count, _ in rows}
    return SharedTrials(pairs, any(simulated for *_, simulated in rows))


def pairs_of(first: Ratings, second: Ratings) -> Counter[tuple[Said, Said]]:
    """What two raters say of the trials that both rated."""
    return Counter((first[trial], second[trial]) for trial in first if trial in second)


def consensus(annotators: Mapping[str, Ratings], reconciled: Ratings, scale: Scale) -> People:
    """What people say together of each trial.

    A reconciled label stands; else the one that more than half of the trial's annotators give
    (for numbers: the mean of theirs, where more than half give one). Of other trials there is no
    common word.
    """
    votes: dict[int, list[Said]] = defaultdict(list)
    for ratings in annotators.values():
        for trial, said in ratings.items():
            if trial not in reconciled:
                votes[trial].append(said)
    agreed = dict(reconciled)
    for trial, said_by_all in votes.items():
        common = _majority(said_by_all, scale)
        if common is not None:
            agreed[trial] = common[0]
    no_majority = len(votes) + len(reconciled) - len(agreed)
    return People(agreed, no_majority)


def _majority(votes: Sequence[Said], scale: Scale) -> tuple[Said] | None:
    """The common value in a tuple; None where there is none."""
    classes = [class_of(said, scale) for said in votes]
    (name, count), *_ = Counter(classes).most_common(1)
    if 2 * count <= len(votes):
        return None
    chosen = [said for said, own in zip(votes, classes, strict=True) if own == name]
    if name == NUMBER and scale is Scale.NUMBERS:
        mean = math.fsum(number(said) for said in chosen if said is not None) / len(chosen)
        return (canonical_json(mean),)
    return (chosen[0],)


def _part(ratings: Ratings, name: str) -> dict[int, Said]:
    found = ((trial, part_of(said, name)) for trial, said in ratings.items())
    return {trial: own[0] for trial, own in found if own is not None}
