"""Checking what a store keeps of its plan: rows that change, which no digest of commits covers.

What else says the same is held against them: the spec that is kept beside them, hashes that they
stand under, a second copy, their form.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from auditor.canonical import canonical_json, digest16
from auditor.store.cell_verification import cell_problems
from auditor.store.plan_record import PlannedEndpoint, PlannedTarget
from auditor.store.planned_judges import judge_label
from auditor.types import Cell, imported_judge_key

_JSON_COLUMNS = {
    "runs": ("budget", "versions"),
    "specs": ("versions",),
    "endpoints": ("price",),
    "targets": ("settings",),
    "judges": ("configuration", "labels"),
    "profiles": ("findings",),
    "snapshots": ("versions",),
}
_HASHED_SETTINGS = ("model", "api", "params", "extra_body", "system", "variant")
_SIMULATED = "sim:"


@dataclass(frozen=True, kw_only=True)
class KeptPlan:
    """What the spec means that a store keeps."""

    spec: str
    """The text that it was made of; where the store keeps another one, none of it is compared."""
    name: str
    seed: int
    budget: Mapping[str, float]
    max_failure_rate: float
    targets: Sequence[PlannedTarget]
    endpoints: Sequence[PlannedEndpoint]
    counts: Iterable[tuple[str, str, int, int]] = ()
    """(protocol, target name, cells, trials) of the plan in force; empty where it is not known."""
    cells: Iterable[Cell] | None = None
    """Of the plan in force; None where it is not known: another version made it, say."""


def plan_problems(connection: sqlite3.Connection, kept: KeptPlan | None = None) -> list[str]:
    """What of a plan is not as it was written."""
    wrong = [
        f"{column} of a row of {table} is no JSON"
        for table, columns in _JSON_COLUMNS.items()
        for column in columns
        for _ in connection.execute(
            f"SELECT 1 FROM {table} WHERE {column} IS NOT NULL AND NOT json_valid({column})"
        )
    ]
    if wrong:
        return wrong
    spec = connection.execute("SELECT spec FROM runs").fetchone()
    if kept is not None and spec != (kept.spec,):
        kept = None
    checks = (_specs(connection), _targets(connection), _judges(connection), _counts(connection))
    wrong = list(chain.from_iterable(checks))
    if kept is not None:
        wrong += _against(connection, kept)
    return wrong + cell_problems(connection, None if kept is None else kept.cells)


def _specs(connection: sqlite3.Connection) -> Iterator[str]:
    kept = connection.execute("SELECT spec, versions FROM runs").fetchone()
    last = connection.execute("SELECT spec, versions FROM specs ORDER BY id DESC LIMIT 1")
    given = last.fetchone()
    if (kept or [None])[0] != (given or [None])[0]:
        yield "the run's spec is not the last one that it was given"
    elif kept != given:
        yield "runs, row 1: versions are not those of the last spec"
    made = connection.execute("SELECT created_at FROM runs").fetchone()
    if made != connection.execute("SELECT at FROM specs ORDER BY id LIMIT 1").fetchone():
        yield "runs, row 1: created_at is not when it was given its first spec"
    unmarked = connection.execute(
        "SELECT g.name FROM runs r, plans p JOIN targets g ON g.id = p.target_id"
        " WHERE g.simulated AND NOT r.simulated"
    ).fetchone()
    if unmarked is not None:
        yield f"runs, row 1: simulated is 0, and its target {unmarked[0]!r} is simulated"


def _targets(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(
        "SELECT id, name, request, model, settings, origin, simulated FROM targets"
    )
    agents = {name for (name,) in connection.execute("SELECT name FROM agents")}
    for number, name, key, model, text, origin, simulated in rows.fetchall():
        row = f"targets, row {number}"
        if origin == "imported":
            if (key, model, text) != (None, None, "{}") or simulated not in (0, 1):
                yield f"{row}: an imported target has no request, model or settings"
            continue
        settings = json.loads(text)
        if not isinstance(settings, dict) or text != canonical_json(
            {field: settings.get(field) for field in _HASHED_SETTINGS}
        ):
            yield f"the settings of target {name!r} ({row}) are not in the form that is hashed"
            continue
        if digest16(["target", *map(settings.get, _HASHED_SETTINGS)]) != key:
            yield f"the settings of target {name!r} do not fit their hash"
        elif settings["model"] != model:
            yield f"{row}: model is {model!r}, in the settings {settings['model']!r}"
        elif simulated != settings["model"].startswith(_SIMULATED):
            yield f"{row}: simulated is {simulated} for the model {model}"
        former = name.removesuffix(f" (superseded {number})")
        if not agents & {f"generator:{name}", f"generator:{former}"}:
            yield f"{row}: no agent has ever asked a target with the name {name!r}"


def _judges(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute("SELECT id, task, name, hash, configuration FROM judges")
    agents = {name for (name,) in connection.execute("SELECT name FROM agents")}
    for number, task, name, key, text in rows.fetchall():
        configuration = json.loads(text)
        if not isinstance(configuration, dict):
            yield f"the configuration of judge {task}/{name} is no JSON object"
            continue
        setting = configuration.get("setting")
        if configuration.get("imported"):
            says = (configuration.get("task"), configuration.get("judge"))
            if says != (task, name) or imported_judge_key(task, name, setting) != key:
                yield f"the configuration of judge {task}/{name} does not fit its name"
        # Others that have no protocol are known by something else than their configuration.
        elif "protocol" in configuration and digest16(configuration) != key:
            yield f"the configuration of judge {task}/{name} does not fit its hash"
        labels = (name, judge_label(name, setting))
        if not agents & {f"judge:{task}/{label}" for label in labels}:
            yield f"judges, row {number}: no agent has ever had the task and name {task}/{name}"


_IMPORTED = """
    SELECT p.protocol, g.name, p.cells, p.trials,
           (SELECT count(*) FROM cells c
            WHERE c.target_id = p.target_id AND c.protocol = p.protocol AND c.superseded = 0),
           (SELECT count(*) FROM cells c JOIN trials t ON t.cell_id = c.id
            WHERE c.target_id = p.target_id AND c.protocol = p.protocol AND c.superseded = 0)
    FROM plans p JOIN targets g ON g.id = p.target_id WHERE g.origin = 'imported'"""


def _counts(connection: sqlite3.Connection) -> Iterator[str]:
    for protocol, target, *kept_and_counted in connection.execute(_IMPORTED).fetchall():
        kept, counted = kept_and_counted[:2], kept_and_counted[2:]
        if kept != counted:
            yield f"plans, {protocol} of {target!r}: (cells, trials) {kept}, counted {counted}"


def _against(connection: sqlite3.Connection, kept: KeptPlan) -> Iterator[str]:
    """Hold the plan's own rows against its spec."""
    row = connection.execute("SELECT name, seed, budget, max_failure_rate FROM runs").fetchone()
    budget = canonical_json(dict(kept.budget))
    run = (kept.name, kept.seed, budget, kept.max_failure_rate)
    fields = ("name", "seed", "budget", "max_failure_rate")
    for field, has, wants in zip(fields, row, run, strict=True):
        if has != wants:
            yield f"runs, row 1: {field} is {has!r}, and {wants!r} in the spec"
    names = dict(connection.execute("SELECT request, name FROM targets WHERE origin = 'planned'"))
    for target in kept.targets:
        has = names.get(target.request.key)
        if has is None:
            yield f"targets: the spec's target {target.name!r} is missing"
        elif has != target.name:
            yield f"targets: the name of {target.name!r} in the spec is {has!r} here"
    for endpoint in kept.endpoints:
        found = connection.execute(
            "SELECT provider, base_url, client FROM endpoints WHERE name = ?", (endpoint.name,)
        ).fetchone()
        meant = (endpoint.provider, endpoint.base_url, endpoint.client)
        if found not in (None, meant):
            yield (
                f"endpoints, {endpoint.name!r}: (provider, base_url, client) {found}, in the spec"
                f" {meant}"
            )
    yield from _against_counts(connection, kept)


def _against_counts(connection: sqlite3.Connection, kept: KeptPlan) -> Iterator[str]:
    for protocol, target, *meant in kept.counts:
        row = connection.execute(
            "SELECT p.cells, p.trials FROM plans p JOIN targets g ON g.id = p.target_id"
            " WHERE p.protocol = ? AND g.name = ?",
            (protocol, target),
        ).fetchone()
        # No cells: the target turned out to give nothing that the protocol reads.
        if row is None or (row[0] and list(row) != meant):
            yield f"plans, {protocol} of {target!r}: (cells, trials) {row}, by the spec {meant}"
