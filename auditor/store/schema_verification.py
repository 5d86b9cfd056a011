"""Checking what a store's tables, indexes and views are made of, which says what rows may be."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

from auditor.store import schema
from auditor.store.tables import EVENT_KINDS
from auditor.store.views import create_views

_REMARK = re.compile(r"--[^\n]*")
_EARLIER_VIEWS = {"failures": (" AND n.repeat = 0", "")}
"""What of a view to leave out (replace by the second) for the view that older stores may have."""
_OWN_OF_SQLITE = "sqlite_"
"""Indexes of constraints, which go with their table, and what SQLite keeps on how to search."""

_Objects = dict[tuple[str, str], tuple[str, str]]
"""(table it belongs to, SQL that made it) by (type, name)."""


def schema_problems(connection: sqlite3.Connection) -> list[str]:
    """What of the schema is not as this program makes it in the store's version."""
    version = int(connection.execute("PRAGMA main.user_version").fetchone()[0])
    with closing(sqlite3.connect(":memory:")) as made:
        schema.create(made, version)
        create_views(made)
        expected = _objects(made)
    found = _objects(connection)
    wrong = [f"{kind} {name} is missing" for kind, name in expected if (kind, name) not in found]
    for key, (table, sql) in found.items():
        kind, name = key
        if key not in expected:
            wrong.append(f"{kind} {name} is none of a store of version {version}")
        elif table != expected[key][0]:
            wrong.append(f"{kind} {name} belongs to {table}, not to {expected[key][0]}")
        elif sql not in _allowed(name, expected[key][1]):
            wrong.append(f"{kind} {name} is not made as in a store of version {version}")
    return wrong or _event_kinds(connection)


def _event_kinds(connection: sqlite3.Connection) -> list[str]:
    kinds = dict(connection.execute("SELECT id, kind FROM event_kinds"))
    expected = dict(enumerate(EVENT_KINDS, start=1))
    return [
        f"event_kinds, row {number}: it says {kinds.get(number)!r}, not {expected.get(number)!r}"
        for number in sorted(expected.keys() | kinds.keys())
        if kinds.get(number) != expected.get(number)
    ]


def _objects(connection: sqlite3.Connection) -> _Objects:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY rowid"
    )
    return {
        (kind, name): (table, _meaning(sql or ""))
        for kind, name, table, sql in rows
        if not name.startswith(_OWN_OF_SQLITE)
    }


def _meaning(sql: str) -> str:
    """SQL without remarks and line breaks: these may differ, and say nothing to SQLite."""
    return " ".join(_REMARK.sub("", sql).split())


def _allowed(name: str, sql: str) -> tuple[str, ...]:
    earlier = _EARLIER_VIEWS.get(name)
    return (sql,) if earlier is None else (sql, sql.replace(*earlier))
