"""Giving a store a judge that its run did not have."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.store.batch import Batch
from auditor.store.connection import connect, make_durable, sqlite_errors, transaction
from auditor.store.plan import SCHEDULER, agent_id, judge_id, write_endpoints
from auditor.store.plan_record import PlannedEndpoint, PlannedJudge
from auditor.store.rows import IdCounters
from auditor.store.tallies import recount


@dataclass(frozen=True, kw_only=True)
class AppointedJudge:
    """A judge with all that its work needs to find in the store."""

    judges: Sequence[PlannedJudge]
    """One, or one a setting where its task has several."""
    readers: Sequence[PlannedJudge]
    """Judges that read its annotations, and are to work wherever no other judge of their task
    does."""
    endpoints: Sequence[PlannedEndpoint]
    materials: Mapping[str, str]
    """Rubric files that they read; those that the store has stay as they are."""
    spec: str
    """The run's spec from now on."""
    plan_hashes: tuple[bytes, bytes]
    """Hash of the plan without and with these files: both mean the same cells."""


def appoint(path: Path, epoch: int, appointed: AppointedJudge) -> None:
    """Make a judge one of the store's plan, on answers of every origin. The caller holds the lock.

    Cells, trials and everybody's annotations stay as they are; it may be there already.
    """
    connection = connect(path)
    try:
        with sqlite_errors(path):
            make_durable(connection)
            with transaction(connection):
                _write(connection, epoch, appointed)
    finally:
        connection.close()


def _write(connection: sqlite3.Connection, epoch: int, appointed: AppointedJudge) -> None:
    batch = Batch(connection, IdCounters(connection), epoch)
    for path, text in appointed.materials.items():
        connection.execute(
            "INSERT OR IGNORE INTO materials VALUES (?, ?)", (path, batch.ids.text(text))
        )
    write_endpoints(connection, appointed.endpoints)
    before = _planned(connection)
    numbers = [_plan_judge(connection, judge, beside_others=True) for judge in appointed.judges]
    connection.executemany(
        "INSERT OR IGNORE INTO appointed_judges VALUES (?)", [(number,) for number in numbers]
    )
    for reader in appointed.readers:
        _plan_judge(connection, reader, beside_others=False)
    _write_spec(connection, appointed)
    batch.event(agent_id(connection, SCHEDULER), "planned", None)
    batch.write()
    has_judged = any(_has_judged(connection, number) for number in numbers)
    if has_judged and _planned(connection) != before:
        # What it said under an earlier plan counts again, and what was said of that.
        recount(connection, "SELECT id FROM cells")


def _plan_judge(connection: sqlite3.Connection, judge: PlannedJudge, *, beside_others: bool) -> int:
    agent_id(connection, f"judge:{judge.task}/{judge.label}")
    number = judge_id(connection, judge)
    for protocol in judge.protocols:
        origins = connection.execute(
            "SELECT DISTINCT g.origin FROM plans p JOIN targets g ON g.id = p.target_id"
            " WHERE p.protocol = ?",
            (protocol,),
        ).fetchall()
        for (origin,) in origins:
            if not judge.reads_origin(origin):
                continue
            if not beside_others and _has_judge(connection, protocol, judge.task, origin):
                continue
            connection.execute(
                "INSERT OR IGNORE INTO planned_judges VALUES (?, ?, ?)", (protocol, number, origin)
            )
    # It may have sources below its checkpoint: of another origin, or what an import judged.
    connection.execute("DELETE FROM checkpoints WHERE judge_id = ?", (number,))
    return number


def _has_judge(connection: sqlite3.Connection, protocol: str, task: str, origin: str) -> bool:
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM planned_judges p JOIN judges j ON j.id = p.judge_id"
        " WHERE p.protocol = ? AND j.task = ? AND p.origin = ?)",
        (protocol, task, origin),
    ).fetchone()
    return bool(found[0])


def _planned(connection: sqlite3.Connection) -> set[tuple[str, int, str]]:
    return set(connection.execute("SELECT protocol, judge_id, origin FROM planned_judges"))


def _has_judged(connection: sqlite3.Connection, number: int) -> bool:
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM _annotations WHERE judge_id = ?)", (number,)
    ).fetchone()
    return bool(found[0])


def _write_spec(connection: sqlite3.Connection, appointed: AppointedJudge) -> None:
    without, with_files = appointed.plan_hashes
    connection.execute(
        "UPDATE runs SET simulated = max(simulated, ?),"
        " plan = CASE plan WHEN ? THEN ? ELSE plan END",
        (int(any(judge.simulated for judge in appointed.judges)), without, with_files),
    )
    (spec,) = connection.execute("SELECT spec FROM runs").fetchone()
    if spec == appointed.spec:
        return
    connection.execute("UPDATE runs SET spec = ?", (appointed.spec,))
    connection.execute(
        "INSERT INTO specs (at, spec, path, versions)"
        " SELECT ?, spec, spec_path, versions FROM runs",
        (time.time(),),
    )
