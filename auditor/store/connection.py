"""Opening a store: one place that sets every pragma and turns SQLite's errors into sentences."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from auditor.errors import StoreError, StoreMismatch
from auditor.store.statements import CACHED_STATEMENTS

APPLICATION_ID = 0x42494153
"""In the file's header, so that `file` and we know a store from any other SQLite database."""

BUSY_SECONDS = 30.0
"""How long a connection waits for another process's lock before it gives up."""


class _Reader(sqlite3.Connection):
    """A read-only connection that leaves no file beside the store when it is the last one.

    SQLite needs a log and an index of it beside a store even to read it, and may not take them
    away over a connection that only reads.
    """

    place: Path | None = None

    def close(self) -> None:
        super().close()
        place, self.place = self.place, None
        if place is not None and place.with_name(f"{place.name}-wal").exists():
            _tidy(place)


def _tidy(place: Path) -> None:
    """Let SQLite take away what is beside a store that nobody else has open."""
    if not (os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)):
        return
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(_uri(place, "rw"), uri=True, timeout=0.0)
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        finally:
            connection.close()


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.resolve()))}?mode={mode}"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode with foreign keys on and a busy time-out.

    Raises StoreError where the file cannot be opened. The connection may move between threads,
    but only one may use it at a time.
    """
    uri = _uri(path, "ro" if read_only else "rwc")
    with sqlite_errors(path):
        connection = _open(uri, _Reader if read_only else sqlite3.Connection)
        try:
            if read_only:
                _settle_read_only(connection)
        except sqlite3.OperationalError:
            connection.close()
            # A finished store in a folder that cannot be written has no shared-memory file,
            # and SQLite can read it only when told that nobody else writes it.
            return _open(f"{uri}&immutable=1", _Reader)
    if isinstance(connection, _Reader):
        connection.place = path.resolve()
    return connection


def _open(uri: str, kind: type[sqlite3.Connection]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri,
        uri=True,
        factory=kind,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=CACHED_STATEMENTS,
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _settle_read_only(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()


def make_durable(connection: sqlite3.Connection) -> None:
    """Write-ahead log, and a commit that survives a power cut: set on every writing connection."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    # Rows are appended to a dozen tables at once; a larger cache keeps their last pages hot.
    connection.execute("PRAGMA cache_size = -16000")
    connection.execute("PRAGMA journal_size_limit = 67108864")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything inside is committed at the end, or nothing of it after any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself after some errors.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into StoreError, with what a person can do about them."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    except UnicodeDecodeError as error:
        # Python cannot read what SQLite says of a damaged name.
        raise damaged(path) from error


def damaged(path: Path) -> StoreError:
    """The sentence for a file of which SQLite, or what it says of the file, cannot be read."""
    return StoreError(
        f"{path}: the file is damaged",
        where=str(path),
        hint=f"what is readable can be saved with: sqlite3 {path} .recover",
    )


def damaged_value(path: Path, what: str) -> StoreError:
    """The sentence for a file that can be read, and that holds what nobody has written."""
    return StoreError(
        f"{path}: the file is damaged; {what}",
        where=str(path),
        hint=f"`auditor verify {path}` says where",
    )


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """The sentence for one SQLite error."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    known: dict[int | None, tuple[str, str]] = {
        sqlite3.SQLITE_FULL: (
            "the disk is full; nothing half-written was kept",
            "free some space, then resume the run",
        ),
        sqlite3.SQLITE_READONLY: (
            "the store cannot be written",
            "check the permissions of the file and its folder",
        ),
        sqlite3.SQLITE_BUSY: (
            f"another program has locked the store for more than {BUSY_SECONDS:.0f} s",
            "close what writes to it, then try again",
        ),
        sqlite3.SQLITE_CANTOPEN: (
            "the file cannot be opened",
            "check that the folder exists and may be written",
        ),
        sqlite3.SQLITE_IOERR: (
            "the disk reports a read or write error",
            "check the disk and its free space, then resume the run",
        ),
    }
    if primary == sqlite3.SQLITE_CORRUPT:
        return damaged(path)
    if primary == sqlite3.SQLITE_NOTADB:
        return StoreMismatch(
            f"{path} is not a store", where=str(path), hint="name a .db file that a run made"
        )
    sentence, hint = known.get(primary, (str(error), "see the store's path"))
    return StoreError(f"{path}: {sentence}", where=str(path), hint=hint)
