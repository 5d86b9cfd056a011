"""Narrow reading for statistics, and the snapshot of results that they write."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.types import JSON, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJudge:
    """A judge of the plan as statistics need to know it."""

    judge_id: int
    task: str
    name: str
    hash: bytes
    origins: frozenset[str] = frozenset(("planned", "imported"))
    """Origins of the trials that it annotates."""
    simulated: bool = False
    setting: str | None = None
    """What of a trial it is shown, where its task knows more than one way."""
    labels: Mapping[str, JSON] = field(default_factory=dict)
    """What else its configuration has rows say in their group, by name."""


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One response with its annotations by task: (valid, value, reason)."""

    repetition: int
    outcome: Outcome
    readings: Mapping[str, tuple[bool, JSON, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One stored statistic."""

    protocol: str
    statistic: str
    target: str
    group: Mapping[str, JSON]
    value: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    n: int | None
    note: str | None
    simulated: bool

    def as_json(self) -> dict[str, JSON]:
        """The row as `stats --json` prints it; `note` only where there is one."""
        row: dict[str, JSON] = {
            "protocol": self.protocol,
            "statistic": self.statistic,
            "target": self.target,
            "group": dict(self.group),
            "value": self.value,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "p_value": self.p_value,
            "n": self.n,
            "simulated": self.simulated,
        }
        if self.note is not None:
            row["note"] = self.note
        return row


def audited(connection: sqlite3.Connection) -> list[tuple[str, str, bool, str]]:
    """(protocol, target, simulated, origin) of everything that the plan in force holds."""
    rows = connection.execute(
        "SELECT p.protocol, g.name, g.simulated, g.origin FROM plans p"
        " JOIN targets g ON g.id = p.target_id ORDER BY g.id, p.protocol"
    )
    return [(protocol, name, bool(simulated), origin) for protocol, name, simulated, origin in rows]


def judges(connection: sqlite3.Connection, protocol: str) -> list[StoredJudge]:
    """The judges of the plan in force for one protocol, in the order of the spec."""
    rows = connection.execute(
        "SELECT j.id, j.task, j.name, j.hash, group_concat(p.origin), j.simulated,"
        " json_extract(j.configuration, '$.setting'), json_extract(j.configuration, '$.group')"
        " FROM planned_judges p"
        " JOIN judges j ON j.id = p.judge_id WHERE p.protocol = ? GROUP BY j.id ORDER BY j.id",
        (protocol,),
    )
    return [
        StoredJudge(
            judge_id=number,
            task=task,
            name=name,
            hash=key,
            origins=frozenset(origins.split(",")),
            simulated=bool(simulated),
            setting=setting,
            labels=json.loads(labels or "{}"),
        )
        for number, task, name, key, origins, simulated, setting, labels in rows
    ]


def readings(
    connection: sqlite3.Connection,
    protocol: str,
    target: str,
    chosen: Sequence[tuple[StoredJudge, StoredJudge | None]],
) -> Iterator[tuple[dict[str, JSON], list[ReadingRow]]]:
    """The cells of one target in plan order, each with its responses by repetition, streamed.

    `chosen` holds one judge a task, with the judge whose annotation it reads (None: it reads the
    response); a judge that is read stands before the ones that read it.
    """
    columns, joins, parameters = [], [], []
    names: dict[int, str] = {}
    for index, (judge, upstream) in enumerate(chosen):
        alias = f"a{index}"
        source = "r.seq"
        if upstream is not None:
            # An import may bring a judgement without saying which annotation it read.
            read = f"{names[upstream.judge_id]}.seq"
            source = (
                f"CASE WHEN EXISTS (SELECT 1 FROM _annotations WHERE judge_id = ?"
                f" AND source = {read} AND repeat = 0) THEN {read} ELSE r.seq END"
            )
            parameters.append(judge.judge_id)
        joins.append(
            f"LEFT JOIN _annotations {alias} ON {alias}.judge_id = ?"
            f" AND {alias}.source = {source} AND {alias}.repeat = 0"
        )
        columns.append(f", {alias}.valid, {alias}.value, {alias}.reason")
        parameters.append(judge.judge_id)
        names[judge.judge_id] = alias
    rows = connection.execute(
        f"SELECT c.id, c.factors, t.repetition, r.outcome{''.join(columns)}"
        " FROM cells c JOIN targets g ON g.id = c.target_id"
        " JOIN trials t ON t.cell_id = c.id JOIN _responses r ON r.trial_id = t.id "
        + " ".join(joins)
        + " WHERE c.protocol = ? AND g.name = ? AND c.superseded = 0"
        " AND t.repetition < c.repetitions ORDER BY c.place, c.id, t.repetition",
        (*parameters, protocol, target),
    )
    tasks = [judge.task for judge, _ in chosen]
    current: int | None = None
    factors: dict[str, JSON] = {}
    trials: list[ReadingRow] = []
    for cell, text, repetition, outcome, *values in rows:
        if cell != current:
            if current is not None:
                yield factors, trials
            current, factors, trials = cell, json.loads(text), []
        trials.append(
            ReadingRow(
                repetition,
                Outcome(outcome),
                {
                    task: (bool(valid), None if value is None else json.loads(value), reason)
                    for task, valid, value, reason in zip(
                        tasks, values[::3], values[1::3], values[2::3], strict=True
                    )
                    if valid is not None
                },
            )
        )
    if current is not None:
        yield factors, trials


def replace_statistics(
    connection: sqlite3.Connection,
    rows: Sequence[ResultRow],
    *,
    seq: int,
    versions: Mapping[str, str],
) -> None:
    """Put a new snapshot of all statistics in the place of the last one. Within a transaction."""
    connection.execute("DELETE FROM _statistics")
    connection.executemany(
        "INSERT INTO _statistics (protocol, statistic, target, group_levels, value, ci_low,"
        " ci_high, p_value, n, note, simulated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                row.protocol,
                row.statistic,
                row.target,
                canonical_json(dict(row.group)),
                row.value,
                row.ci_low,
                row.ci_high,
                row.p_value,
                row.n,
                row.note,
                int(row.simulated),
            )
            for row in rows
        ],
    )
    connection.execute(
        "INSERT OR REPLACE INTO snapshots VALUES (1, ?, ?, ?)",
        (seq, time.time(), canonical_json(dict(versions))),
    )


def read_statistics(connection: sqlite3.Connection) -> list[ResultRow]:
    """The present snapshot, in the order in which it was computed."""
    rows = connection.execute(
        "SELECT protocol, statistic, target, group_levels, value, ci_low, ci_high, p_value, n,"
        " note, simulated FROM _statistics ORDER BY id"
    )
    return [
        ResultRow(
            protocol=protocol,
            statistic=statistic,
            target=target,
            group=json.loads(group),
            value=value,
            ci_low=low,
            ci_high=high,
            p_value=p,
            n=n,
            note=note,
            simulated=bool(simulated),
        )
        for protocol, statistic, target, group, value, low, high, p, n, note, simulated in rows
    ]


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether the snapshot was computed after the last annotation and the last change of plan."""
    row = connection.execute(
        "SELECT s.seq >= (SELECT coalesce(max(seq), 0) FROM events) FROM snapshots s"
    ).fetchone()
    return bool(row and row[0])
