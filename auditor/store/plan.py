"""Writing a plan into a store: creating it, or holding a changed plan against what it has."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from auditor.canonical import canonical_json
from auditor.errors import StoreMismatch, UsageError
from auditor.store import schema
from auditor.store.batch import Batch
from auditor.store.connection import connect, make_durable, sqlite_errors, transaction
from auditor.store.plan_record import PlannedEndpoint, PlannedJudge, PlannedTarget, PlanRecord
from auditor.store.rows import IdCounters
from auditor.store.succession import succeed
from auditor.store.tallies import recount
from auditor.store.texts import read_text
from auditor.store.views import create_views
from auditor.types import Cell

SCHEDULER = "scheduler"
"""The agent that plans, and that records what earlier processes left in flight."""
STATISTICIAN = "statistics"
PROBER = "doctor"
"""The agent that asks endpoints what they can do."""


def exists(path: Path) -> bool:
    """Whether there is anything at this path; an empty file counts as nothing."""
    return path.exists() and path.stat().st_size > 0


def check_run(path: Path, name: str) -> None:
    """Raise StoreMismatch unless the store at this path belongs to the run of this name."""
    connection = connect(path, read_only=True)
    try:
        schema.check(connection, path)
        with sqlite_errors(path):
            found = connection.execute("SELECT name FROM runs").fetchone()
    finally:
        connection.close()
    if found is not None and found[0] != name:
        raise StoreMismatch(
            f"{path} holds the run {found[0]!r}, not {name!r}",
            where=str(path),
            hint="give another path with --store, or the spec's own name back",
        )


def lay_out(path: Path) -> None:
    """Create an empty store: all of it, or nothing."""
    connection = connect(path)
    try:
        with sqlite_errors(path):
            make_durable(connection)
            with transaction(connection):
                schema.create(connection)
                create_views(connection)
    finally:
        connection.close()


def write_plan(
    path: Path, epoch: int, plan: PlanRecord, cells: Iterable[Cell], *, supersede: bool = False
) -> bool:
    """Write a plan, and mark the cells that it holds if it is not the one that is there.

    Gives whether the plan is unchanged. Raises UsageError, with nothing written, where the same
    (protocol, target, factors) would be asked with another request and `supersede` is not set.
    """
    connection = connect(path)
    try:
        with sqlite_errors(path):
            make_durable(connection)
            with transaction(connection):
                return _write(connection, epoch, plan, cells, supersede)
    finally:
        connection.close()


def _write(
    connection: sqlite3.Connection,
    epoch: int,
    plan: PlanRecord,
    cells: Iterable[Cell],
    supersede: bool,
) -> bool:
    before = connection.execute("SELECT plan FROM runs").fetchone()
    batch = Batch(connection, IdCounters(connection), epoch)
    _write_run(connection, plan)
    generators = [f"generator:{target.name}" for target in plan.targets]
    judges = [f"judge:{judge.task}/{judge.label}" for judge in plan.judges]
    for name in (SCHEDULER, STATISTICIAN, PROBER, *generators, *judges):
        agent_id(connection, name)
    _write_materials(connection, batch, plan.materials)
    _write_targets(connection, plan.targets, supersede)
    write_endpoints(connection, plan.endpoints)
    _write_judges(connection, plan)
    _write_counts(connection, plan.counts)
    batch.event(agent_id(connection, SCHEDULER), "planned", None)
    batch.write()
    is_unchanged = before is not None and before[0] == plan.plan_hash
    if not is_unchanged:
        _mark_cells(connection, cells, supersede)
    return is_unchanged


def agent_id(connection: sqlite3.Connection, name: str) -> int:
    """The id of an agent, stored if it is new."""
    connection.execute("INSERT OR IGNORE INTO agents (name) VALUES (?)", (name,))
    found = connection.execute("SELECT id FROM agents WHERE name = ?", (name,)).fetchone()
    return int(found[0])


def write_endpoints(connection: sqlite3.Connection, endpoints: Iterable[PlannedEndpoint]) -> None:
    """Store endpoints, over what was known of those of the same name."""
    for endpoint in endpoints:
        connection.execute(
            "INSERT INTO endpoints (name, provider, base_url, client, price) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET provider = excluded.provider,"
            " base_url = excluded.base_url, client = excluded.client, price = excluded.price",
            (
                endpoint.name,
                endpoint.provider,
                endpoint.base_url,
                endpoint.client,
                canonical_json(endpoint.price),
            ),
        )


def _write_run(connection: sqlite3.Connection, plan: PlanRecord) -> None:
    now = time.time()
    versions = canonical_json(plan.versions)
    connection.execute(
        "INSERT INTO runs VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " seed = excluded.seed, simulated = max(excluded.simulated, EXISTS (SELECT 1 FROM"
        " targets WHERE origin = 'imported' AND simulated = 1)), spec = excluded.spec,"
        " spec_path = excluded.spec_path, plan = excluded.plan, budget = excluded.budget,"
        " max_failure_rate = excluded.max_failure_rate, versions = excluded.versions",
        (
            plan.name,
            plan.seed,
            int(plan.simulated),
            now,
            plan.spec,
            plan.spec_path,
            plan.plan_hash,
            canonical_json(plan.budget),
            plan.max_failure_rate,
            versions,
        ),
    )
    last = connection.execute("SELECT spec, versions FROM specs ORDER BY id DESC LIMIT 1")
    if last.fetchone() != (plan.spec, versions):
        connection.execute(
            "INSERT INTO specs (at, spec, path, versions) VALUES (?, ?, ?, ?)",
            (now, plan.spec, plan.spec_path, versions),
        )


def _write_materials(
    connection: sqlite3.Connection, batch: Batch, materials: dict[str, str]
) -> None:
    for path, text in materials.items():
        connection.execute(
            "INSERT OR REPLACE INTO materials VALUES (?, ?)", (path, batch.ids.text(text))
        )


def _write_targets(
    connection: sqlite3.Connection, targets: Sequence[PlannedTarget], supersede: bool
) -> None:
    # A rename may swap two names, so names are freed before they are given.
    wanted = {target.request.key: target for target in targets}
    known = connection.execute(
        "SELECT id, name, request, settings FROM targets WHERE origin = 'planned'"
    ).fetchall()
    for number, name, key, settings in known:
        target = wanted.get(key)
        if target is not None and target.name != name:
            connection.execute("UPDATE targets SET name = ? WHERE id = ?", (f"~{number}", number))
        elif target is None:
            replacement = next((t for t in targets if t.name == name), None)
            if replacement is not None:
                _retire(connection, number, name, settings, replacement, supersede)
    for target in targets:
        clash = connection.execute(
            "SELECT 1 FROM targets WHERE name = ? AND origin = 'imported'", (target.name,)
        ).fetchone()
        if clash:
            raise UsageError(
                f"the target {target.name!r} has imported answers in this store",
                hint="give the target of the spec another name",
            )
        connection.execute(
            "INSERT INTO targets (name, request, model, settings, origin, simulated)"
            " VALUES (?, ?, ?, ?, 'planned', ?)"
            " ON CONFLICT (request) DO UPDATE SET name = excluded.name",
            (
                target.name,
                target.request.key,
                f"{target.request.provider}:{target.request.model}",
                canonical_json(target.request.as_json()),
                int(target.simulated),
            ),
        )


def _retire(
    connection: sqlite3.Connection,
    number: int,
    name: str,
    settings: str,
    replacement: PlannedTarget,
    supersede: bool,
) -> None:
    """A target of the spec asks otherwise than the one of this name in the store."""
    has_trials = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM cells WHERE target_id = ?)", (number,)
    ).fetchone()[0]
    if has_trials and not supersede:
        old, new = json.loads(settings), replacement.request.as_json()
        differing = [
            f"{field}: {canonical_json(old.get(field))} in the store,"
            f" {canonical_json(new.get(field))} in the spec"
            for field in new
            if canonical_json(old.get(field)) != canonical_json(new.get(field))
        ]
        raise UsageError(
            f"target {name!r} already has answers to another request; {'; '.join(differing)}",
            hint="give the changed target a new name, or mark its old answers with --supersede",
        )
    connection.execute("UPDATE cells SET superseded = 1 WHERE target_id = ?", (number,))
    connection.execute(
        "UPDATE targets SET name = ? WHERE id = ?", (f"{name} (superseded {number})", number)
    )


def _write_judges(connection: sqlite3.Connection, plan: PlanRecord) -> None:
    planned = "SELECT protocol, judge_id FROM planned_judges WHERE origin = 'planned'"
    before = set(connection.execute(planned))
    connection.execute("DELETE FROM planned_judges WHERE origin = 'planned'")
    for judge in plan.judges:
        number = judge_id(connection, judge)
        if judge.reads_origin("imported"):
            succeed(connection, number, judge.protocols)
        if judge.needs_prompt and not plan.targets:
            continue  # a store of imports alone has nothing for it
        connection.executemany(
            "INSERT INTO planned_judges VALUES (?, ?, 'planned')",
            [(protocol, number) for protocol in judge.protocols],
        )
    after = set(connection.execute(planned))
    if before != after:
        # A judge that reads a further protocol has sources below its checkpoint.
        connection.execute("DELETE FROM checkpoints")
        recount(connection, "SELECT id FROM cells")


def judge_id(connection: sqlite3.Connection, judge: PlannedJudge) -> int:
    """The id of a judge configuration, stored if it is new; its spec name may change."""
    connection.execute(
        "INSERT INTO judges (hash, task, name, configuration, simulated, reads, labels)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (hash) DO UPDATE SET name = excluded.name",
        (
            judge.hash,
            judge.task,
            judge.name,
            canonical_json(judge.configuration),
            int(judge.simulated),
            judge.reads,
            None if judge.labels is None else canonical_json(judge.labels),
        ),
    )
    found = connection.execute("SELECT id FROM judges WHERE hash = ?", (judge.hash,)).fetchone()
    return int(found[0])


def _write_counts(
    connection: sqlite3.Connection, counts: Iterable[tuple[str, str, int, int]]
) -> None:
    connection.execute(
        "DELETE FROM plans WHERE target_id IN (SELECT id FROM targets WHERE origin = 'planned')"
    )
    connection.executemany(
        "INSERT INTO plans SELECT ?, id, ?, ? FROM targets WHERE name = ?",
        [(protocol, cells, trials, target) for protocol, target, cells, trials in counts],
    )


def _mark_cells(connection: sqlite3.Connection, cells: Iterable[Cell], supersede: bool) -> None:
    """Give every stored cell its place and repetitions in this plan, zero if it is not in it."""
    if not connection.execute("SELECT EXISTS (SELECT 1 FROM cells)").fetchone()[0]:
        return
    connection.execute(
        "CREATE TEMP TABLE former AS SELECT id, repetitions, superseded FROM cells"
        " WHERE origin = 'planned'"
    )
    connection.execute("UPDATE cells SET repetitions = 0 WHERE origin = 'planned'")
    targets = dict(connection.execute("SELECT name, id FROM targets").fetchall())
    are_all_stored = True
    for cell in cells:
        clash = connection.execute(
            "SELECT id, prompt_id, params FROM cells WHERE target_id = ? AND protocol = ?"
            " AND factors = ? AND superseded = 0 AND key <> ?",
            (targets[cell.target], cell.protocol, cell.factors_json, cell.key),
        ).fetchone()
        if clash is not None:
            if not supersede:
                raise _other_request(connection, cell, clash[1], clash[2])
            connection.execute("UPDATE cells SET superseded = 1 WHERE id = ?", (clash[0],))
        marked = connection.execute(
            "UPDATE cells SET place = ?, repetitions = ?, superseded = 0 WHERE key = ?",
            (cell.place, cell.repetitions, cell.key),
        )
        are_all_stored = are_all_stored and marked.rowcount > 0
    _count_changed(connection, are_all_stored=are_all_stored)
    connection.execute("DROP TABLE former")


def _count_changed(connection: sqlite3.Connection, *, are_all_stored: bool) -> None:
    """Bring up to the plan what was counted of cells, and what judges take for settled.

    Both are left alone where the plan holds just the cells that it held, which takes as long as
    there are cells; the rest would take as long as there are answers.
    """
    changed = (
        "SELECT c.id FROM cells c JOIN former f ON f.id = c.id WHERE c.repetitions <> f.repetitions"
    )
    has_changed, has_returned = connection.execute(
        f"SELECT EXISTS ({changed}), EXISTS ({changed} OR c.superseded <> f.superseded)"
    ).fetchone()
    if has_changed:
        recount(connection, changed)
    if has_returned or not are_all_stored:
        # An answer below a checkpoint may count again, or come to have the other one of its pair.
        connection.execute("DELETE FROM checkpoints")


def _other_request(
    connection: sqlite3.Connection, cell: Cell, prompt_id: int | None, params: str
) -> UsageError:
    stored = connection.execute("SELECT text FROM texts WHERE id = ?", (prompt_id,)).fetchone()
    old_prompt = read_text(stored[0]) if stored else None
    new_prompt = json.dumps([m.as_json() for m in cell.messages], ensure_ascii=False)
    if old_prompt != new_prompt:
        field, old, new = "messages", old_prompt, new_prompt
    else:
        field, old, new = "params", params, canonical_json(cell.params)
    return UsageError(
        f"{cell.protocol}, target {cell.target!r}, {cell.factors_json} already has answers to"
        f" another request; {field}: {old} in the store, {new} in the plan",
        hint="give the run another name, or mark the old answers with --supersede",
    )
