"""A store opened for writing by one process: appends, wake-ups, and a connection to read with."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

from auditor.store.connection import connect
from auditor.store.records import Record
from auditor.store.writer import Writer


class Store:
    """What agents hold: they append records and read rows; nothing else passes between them."""

    def __init__(self, path: Path, epoch: int) -> None:
        self.path = path
        self.epoch = epoch
        self.reader: sqlite3.Connection = connect(path, read_only=True)
        """For short reads from the event loop."""
        self._followers: list[asyncio.Event] = []
        self._writer = Writer(path, epoch, asyncio.get_running_loop(), self._wake_followers)

    @property
    def seq(self) -> int:
        """The last sequence number given out."""
        return self._writer.seq

    @property
    def has_failed(self) -> bool:
        """Whether the writer has stopped with an error: nothing more can be stored."""
        return self._writer.failed is not None

    def append(self, record: Record) -> asyncio.Future[int]:
        """Queue a record; await the result to know it committed."""
        return self._writer.append(record)

    def post(self, record: Record) -> None:
        """Queue a record whose commit nobody waits for (gauges, checkpoints)."""
        self._writer.post(record)

    def follow(self) -> asyncio.Event:
        """An event that every commit sets. The follower clears it before it looks."""
        event = asyncio.Event()
        event.set()
        self._followers.append(event)
        return event

    def agent_id(self, name: str) -> int:
        """The id of an agent that the plan has named."""
        row = self.reader.execute("SELECT id FROM agents WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LookupError(f"no agent {name!r} in the store")
        return int(row[0])

    def endpoint_id(self, name: str) -> int:
        """The id of an endpoint that the plan has named."""
        row = self.reader.execute("SELECT id FROM endpoints WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LookupError(f"no endpoint {name!r} in the store")
        return int(row[0])

    async def close(self, ending: str) -> None:
        """Commit what has queued and give the lock back, saying how the work ended."""
        try:
            await self._writer.close(ending)
        finally:
            self.reader.close()

    def _wake_followers(self, _seq: int) -> None:
        for event in self._followers:
            event.set()
