"""What a view reads of a store: progress and headline figures, through a connection of its own."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from auditor import protocols
from auditor.live.reading import Read
from auditor.protocols.base import Headline, headline_task
from auditor.store.connection import connect
from auditor.store.progress import label_counts, snapshot
from auditor.store.status import Snapshot

_LONGEST_UNREAD_SECONDS = 2.0


def progress_reader(store: Path) -> Read:
    """A function that reads a store's progress; it opens the store when first called."""
    connection: sqlite3.Connection | None = None
    seen: tuple[int, float] | None = None
    last: tuple[Snapshot, Sequence[Headline]]

    def read() -> tuple[Snapshot, Sequence[Headline]]:
        nonlocal connection, seen, last
        if connection is None:
            connection = connect(store, read_only=True)
        # The version changes with every commit of another connection: without one there is
        # nothing to read, except that a process that died leaves no commit behind.
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        now = time.monotonic()
        if seen is not None and seen[0] == version and now - seen[1] < _LONGEST_UNREAD_SECONDS:
            return last
        seen = (version, now)
        progress = snapshot(connection)
        last = progress, headlines(connection, progress)
        return last

    return read


def headlines(connection: sqlite3.Connection, progress: Snapshot) -> list[Headline]:
    """The headline figures of every target and protocol so far, from tallies."""
    found: list[Headline] = []
    for row in progress.targets:
        protocol = protocols.get(row.protocol)
        task = headline_task(protocol.tasks).name
        counts = label_counts(connection, row.protocol, row.target, task)
        found += protocol.headlines(row.target, counts)
    return found
