"""Checking what a store keeps of its plan: rows that change, which no digest of commits covers.

What else says the same is held against them: hashes that they stand under, a second copy, their
form.
"""

from __future__ import annotations

import json
import sqlite3

from auditor.canonical import digest16

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


def plan_problems(connection: sqlite3.Connection) -> list[str]:
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
    return [*_specs(connection), *_targets(connection), *_judges(connection)]


def _specs(connection: sqlite3.Connection) -> list[str]:
    kept = connection.execute("SELECT spec FROM runs").fetchone()
    last = connection.execute("SELECT spec FROM specs ORDER BY id DESC LIMIT 1").fetchone()
    return [] if kept == last else ["the run's spec is not the last one that it was given"]


def _targets(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT name, request, settings FROM targets WHERE origin = 'planned'"
    )
    return [
        f"the settings of target {name!r} do not fit their hash"
        for name, key, settings in rows
        if digest16(["target", *map(json.loads(settings).get, _HASHED_SETTINGS)]) != key
    ]


def _judges(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT task, name, hash, configuration FROM judges")
    return [
        f"the configuration of judge {task}/{name} does not fit its hash"
        for task, name, key, text in rows
        if _is_planned(configuration := json.loads(text)) and digest16(configuration) != key
    ]


def _is_planned(configuration: object) -> bool:
    """Whether a judge is known by the hash of its configuration; an imported one is by its name."""
    return isinstance(configuration, dict) and "protocol" in configuration
