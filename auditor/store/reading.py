"""Opening a store to look at it, whoever writes it at the time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from auditor.errors import AuditorError, StoreMismatch
from auditor.store import schema
from auditor.store.connection import connect


def open_run(path: Path) -> sqlite3.Connection:
    """As `open_reader`. Raises StoreMismatch too where the store holds no run yet."""
    connection = open_reader(path)
    if connection.execute("SELECT 1 FROM runs").fetchone() is None:
        connection.close()
        raise StoreMismatch(
            f"{path} holds no run yet", where=str(path), hint="start it with `auditor run SPEC`"
        )
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection for reading a store. Raises StoreMismatch where there is none at `path`."""
    if not path.exists():
        raise StoreMismatch(f"{path}: no such file", where=str(path), hint="name a store (.db)")
    if path.is_dir():
        raise StoreMismatch(f"{path} is a folder", where=str(path), hint="name a store (.db)")
    connection = connect(path, read_only=True)
    try:
        schema.stand_in(connection, schema.check(connection, path))
    except AuditorError:
        connection.close()
        raise
    return connection
