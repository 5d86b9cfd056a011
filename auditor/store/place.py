"""Whether a store that is being written is still the file at its path; if not, it is saved.

SQLite goes on writing a file that was removed or replaced, and all of it would be gone with the
process. As long as a connection is open the pages are there, so they can be copied.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from auditor.errors import StoreError

_Identity = tuple[int, int]


class Place:
    """The files of one open store, by what the file system knows them by."""

    def __init__(self, path: Path) -> None:
        """`path` is a store in write-ahead mode that has been read at least once."""
        self._path = path
        self._file = path.resolve()
        self._log = self._file.with_name(f"{self._file.name}-wal")
        self._file_was = _identity(self._file)
        self._log_was = _identity(self._log)

    def gone(self) -> str | None:
        """What has become of the store's files, as the end of a sentence; None: all is well."""
        present = _identity(self._file)
        if present != self._file_was:
            if present is None:
                return "it was removed or moved away while it was being written"
            return "another file was put in its place while it was being written"
        present = _identity(self._log)
        if self._log_was is None:
            self._log_was = present
        if present != self._log_was:
            return "its log (-wal) was removed while it was being written"
        return None

    def saved(self, connection: sqlite3.Connection, gone: str) -> StoreError:
        """Copy what an open connection still reads to a file of its own; the error that says so.

        The copy lies beside the store, or among the temporary files where that folder is gone too.
        """
        for folder in (self._path.parent, Path(tempfile.gettempdir())):
            copy = _free_name(folder, self._path.stem)
            try:
                with closing(sqlite3.connect(copy)) as target:
                    connection.backup(target)
            except (sqlite3.Error, OSError):
                with suppress(OSError):
                    copy.unlink()
                continue
            self._take_log_away()
            return StoreError(
                f"{self._path}: {gone}; all that was stored is saved in {copy}",
                where=str(self._path),
                hint="put that file in the store's place, or go on with it as the store",
            )
        return StoreError(
            f"{self._path}: {gone}, and a copy could not be written",
            where=str(self._path),
            hint="bring the file back before anything else opens a store at this path",
        )

    def _take_log_away(self) -> None:
        """SQLite would take our log for that of whatever store is at this path later."""
        if self._log_was is not None and _identity(self._log) == self._log_was:
            for suffix in ("-wal", "-shm"):
                with suppress(OSError):
                    self._file.with_name(self._file.name + suffix).unlink()


def _identity(path: Path) -> _Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _free_name(folder: Path, stem: str) -> Path:
    names = (f"{stem}.rescued{number or ''}.db" for number in range(1_000_000))
    return next(path for name in names if not (path := folder / name).exists())
