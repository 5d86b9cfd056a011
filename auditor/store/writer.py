"""The one thread that writes a store: commits whatever has queued as soon as it is free."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from auditor.errors import AuditorError, StoreError
from auditor.store import lock
from auditor.store.batch import Batch
from auditor.store.connection import connect, make_durable, store_error, transaction
from auditor.store.place import Place
from auditor.store.records import Record
from auditor.store.rows import IdCounters

MAX_BATCH = 500
"""Records in one transaction at most."""

_Queued = tuple[Record, "asyncio.Future[int] | None"]


class Writer:
    """Appends records to a store from an event loop, through a thread of its own.

    Never waits for a group to fill: while one transaction is being committed the next one
    collects, so groups are as large as the disk is slow. `failed` is set by the first error that
    ends the thread; every later append raises it.
    """

    def __init__(
        self,
        path: Path,
        epoch: int,
        loop: asyncio.AbstractEventLoop,
        on_commit: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.failed: AuditorError | None = None
        self._path = path
        self._epoch = epoch
        self._loop = loop
        self._on_commit = on_commit
        self._queue: deque[_Queued] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._ending = "incomplete"
        self._connection = connect(path)
        make_durable(self._connection)
        self._counters = IdCounters(self._connection)
        self._place = Place(path)
        # Not a daemon: an interpreter that exits must wait for the last commit.
        self._thread = threading.Thread(target=self._run, name="store-writer")
        self._thread.start()

    @property
    def seq(self) -> int:
        """The last sequence number given out."""
        return self._counters.seq

    def append(self, record: Record) -> asyncio.Future[int]:
        """Queue a record; the future gives the sequence number of the commit that holds it."""
        future: asyncio.Future[int] = self._loop.create_future()
        self._put(record, future)
        return future

    def post(self, record: Record) -> None:
        """Queue a record whose commit nobody waits for."""
        self._put(record, None)

    async def close(self, ending: str) -> None:
        """Commit what has queued, give the lock back, and end the thread."""
        self._ending = ending
        with self._wake:
            self._closing = True
            self._wake.notify()
        await self._loop.run_in_executor(None, self._thread.join)
        if self.failed is not None:
            raise self.failed

    def _put(self, record: Record, future: asyncio.Future[int] | None) -> None:
        if self.failed is not None:
            raise self.failed
        with self._wake:
            self._queue.append((record, future))
            self._wake.notify()

    # -- in the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        next_beat = time.monotonic() + lock.HEARTBEAT_SECONDS
        taken: list[_Queued] = []
        try:
            while True:
                taken = self._take(next_beat)
                is_due = time.monotonic() >= next_beat
                if taken or is_due:
                    seq = self._commit([record for record, _ in taken], beat=is_due)
                    self._check_place()
                    self._acknowledge(taken, seq)
                if is_due:
                    next_beat = time.monotonic() + lock.HEARTBEAT_SECONDS
                if not taken and self._closing:
                    self._release()
                    return
        except AuditorError as error:
            self._fail(error, taken)
        except sqlite3.Error as error:
            self._fail(self._explained(error), taken)
        except BaseException as error:  # a bug: recorded, so that nobody waits for ever
            self._fail(StoreError(f"the store's writer failed: {error!r}"), taken)
        finally:
            self._connection.close()

    def _take(self, next_beat: float) -> list[_Queued]:
        with self._wake:
            if not self._queue and not self._closing:
                self._wake.wait(max(0.0, next_beat - time.monotonic()))
            queue = self._queue
            return [queue.popleft() for _ in range(min(len(queue), MAX_BATCH))]

    def _commit(self, records: list[Record], *, beat: bool) -> int:
        connection = self._connection
        with transaction(connection):
            lock.check(connection, self._epoch)
            batch = Batch(connection, self._counters, self._epoch)
            for record in records:
                batch.add(record)
            batch.write()
            if beat:
                lock.beat(connection, self._epoch)
        return self._counters.seq

    def _check_place(self) -> None:
        """Raise StoreError where what was committed is no longer the file at the store's path."""
        gone = self._place.gone()
        if gone is not None:
            raise self._place.saved(self._connection, gone)

    def _explained(self, error: sqlite3.Error) -> AuditorError:
        gone = self._place.gone()
        if gone is None:
            return store_error(self._path, error)
        return self._place.saved(self._connection, gone)

    def _acknowledge(self, taken: list[_Queued], seq: int) -> None:
        futures = [future for _, future in taken if future is not None]
        self._call(lambda: self._settle(futures, seq))

    def _settle(self, futures: list[asyncio.Future[int]], seq: int) -> None:
        for future in futures:
            if not future.done():
                future.set_result(seq)
        self._on_commit(seq)

    def _release(self) -> None:
        with transaction(self._connection):
            lock.check(self._connection, self._epoch)
            lock.release(self._connection, self._epoch, self._ending)
        self._check_place()
        # Readers that look on keep the log alive; then this does nothing.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _fail(self, error: AuditorError, taken: list[_Queued]) -> None:
        self.failed = error
        with self._wake:
            waiting = [*taken, *self._queue]
            self._queue.clear()
        self._call(lambda: self._reject([f for _, f in waiting if f is not None], error))

    def _reject(self, futures: list[asyncio.Future[int]], error: AuditorError) -> None:
        for future in futures:
            if not future.done():
                future.set_exception(error)
        self._on_commit(self._counters.seq)

    def _call(self, function: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:  # the loop has closed: nobody waits any more
            return
