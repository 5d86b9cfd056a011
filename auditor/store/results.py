"""Narrow reading for statistics, and the snapshot of results that they write."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from auditor.canonical import canonical_json
from auditor.types import JSON, Outcome

_REMEMBERED = 4096
"""Annotations that are made once for all responses of which the same is said."""


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
    reads: str | None = None
    """The task whose annotations it reads; None: responses, or it is not known."""
    is_imported: bool = False
    """Whether its annotations were made elsewhere: it will add none."""
    reads_logprobs: bool = False
    """Whether it needs no text where there are log-probabilities."""


_Reading = TypeVar("_Reading")


@dataclass(frozen=True, slots=True)
class ReadingRow(Generic[_Reading]):
    """One response with its annotations by task; responses of which the same is said share them."""

    repetition: int
    outcome: Outcome
    readings: Mapping[str, _Reading]


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
        " json_extract(j.configuration, '$.setting'), json_extract(j.configuration, '$.group'),"
        " j.reads, coalesce(json_extract(j.configuration, '$.imported'), 0),"
        " json_extract(j.configuration, '$.configuration.reads') = 'logprobs'"
        " FROM planned_judges p"
        " JOIN judges j ON j.id = p.judge_id WHERE p.protocol = ? GROUP BY j.id ORDER BY j.id",
        (protocol,),
    )
    return [_judge(*row) for row in rows]


def _judge(
    number: int,
    task: str,
    name: str,
    key: bytes,
    origins: str,
    simulated: int,
    setting: str | None,
    labels: str | None,
    reads: str | None,
    is_imported: int,
    reads_logprobs: int | None,
) -> StoredJudge:
    return StoredJudge(
        judge_id=number,
        task=task,
        name=name,
        hash=key,
        origins=frozenset(origins.split(",")),
        simulated=bool(simulated),
        setting=setting,
        labels=json.loads(labels or "{}"),
        reads=reads,
        is_imported=bool(is_imported),
        reads_logprobs=bool(reads_logprobs),
    )


def judges_with_a_say(
    connection: sqlite3.Connection,
    protocol: str,
    target: str,
    origin: str,
    stored: Sequence[StoredJudge],
) -> frozenset[int]:
    """Ids of the judges that have said something of a target's answers, or have them to read.

    Of a planned target that is every judge of the plan: its answers come one day. An import may
    have brought judgements alone, of which no other judge can say anything.
    """
    own = [judge for judge in stored if origin in judge.origins]
    if origin == "planned":
        return frozenset(judge.judge_id for judge in own)
    cells = "FROM cells c JOIN targets g ON g.id = c.target_id"
    of_target = "c.protocol = ? AND g.name = ? AND c.superseded = 0"
    said = connection.execute(
        f"SELECT DISTINCT y.judge_id {cells} JOIN tallies y ON y.cell_id = c.id WHERE {of_target}",
        (protocol, target),
    )
    having_said = {number for (number,) in said}
    tasks = {judge.task for judge in own if judge.judge_id in having_said}
    has_text, has_logprobs = (
        connection.execute(
            f"SELECT EXISTS (SELECT 1 {cells} JOIN trials t ON t.cell_id = c.id JOIN _responses r"
            f" ON r.trial_id = t.id WHERE {of_target} AND r.{column} IS NOT NULL)",
            (protocol, target),
        ).fetchone()[0]
        for column in ("text_id", "logprobs_id")
    )
    return frozenset(
        judge.judge_id
        for judge in own
        if judge.judge_id in having_said
        or (
            not judge.is_imported
            and (has_text or judge.reads in tasks or (has_logprobs and judge.reads_logprobs))
        )
    )


def readings(
    connection: sqlite3.Connection,
    protocol: str,
    target: str,
    chosen: Sequence[tuple[StoredJudge, StoredJudge | None]],
    make: Callable[[bool, JSON, str | None], _Reading],
) -> Iterator[tuple[dict[str, JSON], list[ReadingRow[_Reading]]]]:
    """The cells of one target in plan order, each with its responses by repetition, streamed.

    `chosen` holds one judge a task, with the judge whose annotation it reads (None: it reads the
    response); a judge that is read stands before the ones that read it. `make` is given whether an
    annotation is valid, its value and its reason.
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
    # Cell by cell, for to have all rows of a target in order SQLite would sort them: a million.
    of_cell = (
        f"SELECT t.repetition, r.outcome{''.join(columns)} FROM trials t"
        " JOIN _responses r ON r.trial_id = t.id "
        + " ".join(joins)
        + " WHERE t.cell_id = ? AND t.repetition < ? ORDER BY t.repetition"
    )
    tasks = [judge.task for judge, _ in chosen]
    # A cell may have a hundred thousand responses, and what is said of them is a few labels.
    known: dict[tuple[Any, ...], dict[str, _Reading]] = {}
    cells = connection.execute(
        "SELECT c.id, c.factors, c.repetitions FROM cells c JOIN targets g ON g.id = c.target_id"
        " WHERE c.protocol = ? AND g.name = ? AND c.superseded = 0 ORDER BY c.place, c.id",
        (protocol, target),
    )
    for cell, factors, repetitions in cells:
        trials = []
        for repetition, outcome, *said in connection.execute(
            of_cell, (*parameters, cell, repetitions)
        ):
            values = tuple(said)
            annotations = known.get(values)
            if annotations is None:
                if len(known) >= _REMEMBERED:
                    known.clear()
                annotations = known[values] = {
                    task: make(bool(valid), None if value is None else json.loads(value), reason)
                    for task, valid, value, reason in zip(
                        tasks, values[::3], values[1::3], values[2::3], strict=True
                    )
                    if valid is not None
                }
            trials.append(ReadingRow(repetition, Outcome(outcome), annotations))
        if trials:
            yield json.loads(factors), trials


_STATISTICS = (
    "protocol, statistic, target, group_levels, value, ci_low, ci_high, p_value, n, note, simulated"
)


def replace_statistics(connection: sqlite3.Connection, rows: Sequence[ResultRow]) -> int:
    """Put all statistics in the place of the last ones, and give their checksum.

    Within a transaction, in which `keep_snapshot` says what they were computed from.
    """
    connection.execute("DELETE FROM _statistics")
    connection.executemany(
        f"INSERT INTO _statistics ({_STATISTICS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    return checksum(connection)


def keep_snapshot(connection: sqlite3.Connection, *, seq: int, versions: Mapping[str, str]) -> None:
    """Note the event up to which statistics were computed, and by which versions."""
    connection.execute(
        "INSERT OR REPLACE INTO snapshots VALUES (1, ?, ?, ?)",
        (seq, time.time(), canonical_json(dict(versions))),
    )


def checksum(connection: sqlite3.Connection) -> int:
    """63 bits of a hash of the statistics as they are stored: subject of the event that made them.

    So it stands under the digest chain, as all that is only appended does.
    """
    found = hashlib.blake2b(digest_size=8)
    for row in connection.execute(f"SELECT {_STATISTICS} FROM _statistics ORDER BY id"):
        found.update(json.dumps(row).encode("ascii"))
    return int.from_bytes(found.digest()) >> 1


def has_damage(connection: sqlite3.Connection) -> bool:
    """Whether the statistics are not the ones that were stored; False where nobody can know."""
    row = connection.execute(
        "SELECT e.subject FROM snapshots s JOIN events e ON e.seq = s.seq"
    ).fetchone()
    return row is not None and row[0] is not None and row[0] != checksum(connection)


def read_statistics(connection: sqlite3.Connection) -> list[ResultRow]:
    """The present snapshot, in the order in which it was computed."""
    rows = connection.execute(f"SELECT {_STATISTICS} FROM _statistics ORDER BY id")
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


def last_seq(connection: sqlite3.Connection) -> int:
    """The sequence number of the last event; 0 without any."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether the snapshot was computed after the last annotation and the last change of plan.

    A damaged one is not: what it was computed from stands under the digest chain.
    """
    row = connection.execute(
        "SELECT s.seq >= (SELECT coalesce(max(seq), 0) FROM events) FROM snapshots s"
    ).fetchone()
    return bool(row and row[0]) and not has_damage(connection)
