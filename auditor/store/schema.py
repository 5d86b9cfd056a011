"""Laying out a store, and what is done with an older one: `PRAGMA user_version` has the version."""

from __future__ import annotations

import sqlite3
from itertools import chain
from pathlib import Path

from auditor.errors import StoreMismatch
from auditor.store.connection import APPLICATION_ID, sqlite_errors, transaction
from auditor.store.tables import EVENT_KINDS, MIGRATIONS, SCHEMA_VERSION, TABLES
from auditor.store.views import create_views


def create(connection: sqlite3.Connection, version: int = SCHEMA_VERSION) -> None:
    """Lay out an empty database, as a version has it. The caller holds the transaction."""
    # executescript would commit the caller's transaction, so statements go one by one.
    scripts = (TABLES, *(MIGRATIONS[step] for step in range(1, version)))
    for statement in chain.from_iterable(map(_statements, scripts)):
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO event_kinds VALUES (?, ?)", list(enumerate(EVENT_KINDS, start=1))
    )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


def check(connection: sqlite3.Connection, path: Path) -> int:
    """The store's schema version. Raises StoreMismatch for what is no store of ours."""
    with sqlite_errors(path):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION_ID:
        raise StoreMismatch(
            f"{path} is a database, but not a store of this program",
            where=str(path),
            hint="name a .db file that a run made",
        )
    if version > SCHEMA_VERSION:
        raise StoreMismatch(
            f"{path} has schema version {version}; this program knows up to {SCHEMA_VERSION}",
            where=str(path),
            hint="open it with a newer version of auditor",
        )
    return version


def bring_up(connection: sqlite3.Connection, path: Path) -> None:
    """Bring an older store to this version in a transaction of its own. The caller holds its lock.

    Raises StoreMismatch for what is no store of ours.
    """
    if check(connection, path) == SCHEMA_VERSION:
        return
    with transaction(connection):
        for step in range(check(connection, path), SCHEMA_VERSION):
            for statement in _statements(MIGRATIONS[step]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {step + 1}")
        create_views(connection)


def stand_in(connection: sqlite3.Connection, version: int) -> None:
    """Give a reader of an older store the tables that came since, empty and its own.

    Whoever reads must not write: the store may be on a medium that cannot be written.
    """
    missing = [_statements(MIGRATIONS[step]) for step in range(version, SCHEMA_VERSION)]
    if not missing:
        return
    # The file itself is opened to be read only; what is temporary stands beside it.
    connection.execute("PRAGMA query_only = OFF")
    for statement in chain.from_iterable(missing):
        connection.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
    connection.execute("PRAGMA query_only = ON")


def _statements(script: str) -> list[str]:
    return [statement for statement in script.split(";\n") if statement.strip()]
