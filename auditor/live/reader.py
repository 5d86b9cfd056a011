"""What a view reads of a store: progress and headline figures, through a connection of its own."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from auditor import protocols
from auditor.errors import UsageError
from auditor.protocols.base import Headline, headline_task
from auditor.store.connection import connect
from auditor.store.progress import label_counts, snapshot
from auditor.store.status import Snapshot

_LONGEST_UNREAD_SECONDS = 2.0


class ProgressReader:
    """Reads a store's progress when called; it opens the store the first time.

    Only one thread may use it at a time. `close` it when nobody reads any more: a connection
    that is left open keeps its process's locks on the file.

    `with_headlines` False: without the headline figures, which take a look at every cell.
    """

    def __init__(self, store: Path, *, with_headlines: bool = True) -> None:
        self._store = store
        self._with_headlines = with_headlines
        self._connection: sqlite3.Connection | None = None
        self._seen: tuple[int, float] | None = None
        self._last: tuple[Snapshot, Sequence[Headline]] | None = None

    def __call__(self) -> tuple[Snapshot, Sequence[Headline]]:
        """The progress and the headline figures of now."""
        if self._connection is None:
            self._connection = connect(self._store, read_only=True)
        # The version changes with every commit of another connection: without one there is
        # nothing to read, except that a process that died leaves no commit behind.
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        now = time.monotonic()
        if (
            self._last is not None
            and self._seen is not None
            and self._seen[0] == version
            and now - self._seen[1] < _LONGEST_UNREAD_SECONDS
        ):
            return self._last
        progress = snapshot(self._connection)
        figures = headlines(self._connection, progress) if self._with_headlines else ()
        self._last = progress, figures
        self._seen = (version, now)
        return self._last

    def close(self) -> None:
        """Close the connection; a later call would open it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def headlines(connection: sqlite3.Connection, progress: Snapshot) -> list[Headline]:
    """The headline figures of every target and protocol so far, from tallies.

    Raises StoreError where a cell is damaged and a protocol cannot read it.
    """
    found: list[Headline] = []
    for row in progress.targets:
        try:
            protocol = protocols.get(row.protocol)
        except UsageError:  # of an outside package that is gone: the counts are still worth seeing
            continue
        task = headline_task(protocol.tasks).name
        try:
            # A reading that is left open would keep the writer from ending its log.
            with closing(label_counts(connection, row.protocol, row.target, task)) as counts:
                found += protocol.headlines(row.target, counts)
        except Exception as error:
            from auditor.store.cell_verification import damage_of_cells

            # A protocol relies on its factors; where a store gives others, it is no bug.
            if (damage := damage_of_cells(connection)) is not None:
                raise damage from error
            raise
    return found
