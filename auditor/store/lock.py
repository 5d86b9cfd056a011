"""One process writes a store at a time: a lock with a heartbeat and an epoch.

The lock is a row of `holders`; the last row is the present holder until it has an ending. A holder
raises its heartbeat counter every `HEARTBEAT_SECONDS`. A newcomer that finds the holder's process
gone takes over at once, and one that finds it at work on this host gives up at once. Where it
cannot tell (another host, a process that is stopped or has not beaten for long), it watches the
counter on its own clock, and takes over when that has stood still for `STILL_SECONDS`. Taking over
is a new row with a higher epoch; every commit checks its epoch, so a process that was frozen and
thawed writes nothing more.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from auditor.errors import LockLost, StoreLocked
from auditor.store.connection import transaction

HEARTBEAT_SECONDS = 5.0
STILL_SECONDS = 30.0
_LATE_SECONDS = 2 * HEARTBEAT_SECONDS
_STOPPED = ("T", "t")
"""States of a process, as Linux spells them, that was told to stop or is being traced."""
_DEAD = ("Z", "X")
"""States of a process that has ended."""


@dataclass(frozen=True, kw_only=True)
class Holder:
    """A process that writes, or wrote, a store."""

    epoch: int
    pid: int
    host: str
    boot_id: str | None
    process_start: str | None
    since: float
    heartbeat: int
    beat_at: float
    ended_at: float | None
    ending: str | None

    @property
    def described(self) -> str:
        """Who it is, for a person."""
        since = datetime.fromtimestamp(self.since).astimezone().isoformat(" ", "seconds")
        return f"process {self.pid} on {self.host}, since {since}"


def last_holder(connection: sqlite3.Connection) -> Holder | None:
    """The present or last holder, or None for a store that nobody has written yet."""
    row = connection.execute(
        "SELECT epoch, pid, host, boot_id, process_start, since, heartbeat, beat_at, ended_at,"
        " ending FROM holders ORDER BY epoch DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    names = ("epoch", "pid", "host", "boot_id", "process_start", "since", "heartbeat")
    return Holder(**dict(zip((*names, "beat_at", "ended_at", "ending"), row, strict=True)))


def is_gone(holder: Holder) -> bool | None:
    """Whether the holder's process no longer runs; None where it cannot be known from here."""
    if holder.ended_at is not None:
        return True
    if holder.host != platform.node():
        return None
    if holder.boot_id is not None and holder.boot_id != _boot_id():
        return True
    if not process_exists(holder.pid):
        return True
    start = _process_start(holder.pid)
    if start is None or holder.process_start is None:
        return False
    return start != holder.process_start


def acquire(
    connection: sqlite3.Connection,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    say: Callable[[str], None] = lambda _: None,
) -> int:
    """Take the lock and give the epoch. Raises StoreLocked while another process holds it.

    Blocks up to STILL_SECONDS where the holder is on another host, or seems to be frozen on this.
    """
    while True:
        seen = last_holder(connection)
        if seen is not None and not (gone := is_gone(seen)):
            if gone is False and not _seems_frozen(seen):
                raise _locked(seen)
            say(f"the store is held by {seen.described}; watching whether it is alive")
            _watch(connection, seen, clock, sleep)
        epoch = _take(connection, 0 if seen is None else seen.epoch)
        if epoch is not None:
            return epoch


def _seems_frozen(holder: Holder) -> bool:
    """Whether a process of this host is stopped, or has not beaten for long by the wall clock.

    Wrong at most after a jump of that clock, and then the watch that follows finds out.
    """
    is_late = not 0 <= time.time() - holder.beat_at < _LATE_SECONDS
    return is_late or (_stat_fields(holder.pid) or ("",))[0] in _STOPPED


def _watch(
    connection: sqlite3.Connection,
    seen: Holder,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> None:
    deadline = clock() + STILL_SECONDS
    while clock() < deadline:
        sleep(1.0)
        present = last_holder(connection)
        if present is None or present.epoch != seen.epoch or present.ended_at is not None:
            return
        if present.heartbeat != seen.heartbeat:
            raise _locked(present)


def _take(connection: sqlite3.Connection, after: int) -> int | None:
    """Write the next epoch's row, or None where somebody else was faster."""
    with transaction(connection):
        present = connection.execute("SELECT coalesce(max(epoch), 0) FROM holders").fetchone()[0]
        if present != after:
            return None
        wall = time.time()
        connection.execute(
            "INSERT INTO holders (epoch, pid, host, boot_id, process_start, command, since,"
            " beat_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                after + 1,
                os.getpid(),
                platform.node(),
                _boot_id(),
                _process_start(os.getpid()),
                Path(sys.argv[0]).name,
                wall,
                wall,
            ),
        )
    return after + 1


def check(connection: sqlite3.Connection, epoch: int) -> None:
    """Raise LockLost if another process has raised the epoch. Within a transaction."""
    present = connection.execute("SELECT max(epoch) FROM holders").fetchone()[0]
    if present != epoch:
        raise LockLost(
            "another process has taken this store over; nothing more is written from here",
            hint="see `auditor status`",
        )


def beat(connection: sqlite3.Connection, epoch: int) -> None:
    """Raise the heartbeat counter. Within a transaction."""
    connection.execute(
        "UPDATE holders SET heartbeat = heartbeat + 1, beat_at = ? WHERE epoch = ?",
        (time.time(), epoch),
    )


def release(connection: sqlite3.Connection, epoch: int, ending: str) -> None:
    """Give the lock back and say how it ended. Within a transaction."""
    connection.execute(
        "UPDATE holders SET ended_at = ?, ending = ? WHERE epoch = ? AND ended_at IS NULL",
        (time.time(), ending, epoch),
    )


def _locked(holder: Holder) -> StoreLocked:
    return StoreLocked(
        f"the store is being written by {holder.described}",
        hint="wait for it, or stop it; `auditor watch` shows what it does",
    )


def _boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def _process_start(pid: int) -> str | None:
    """When a process started, in the kernel's own ticks; None where that is not to be had."""
    fields = _stat_fields(pid)
    return None if fields is None else fields[19]


def _stat_fields(pid: int) -> list[str] | None:
    """What Linux says of a process from its state on; None where that is not to be had."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command may hold spaces and brackets; what follows the last bracket is fixed.
    return stat.rpartition(")")[2].split()


def process_exists(pid: int) -> bool:
    """Whether a process of this number runs on this host.

    One that has died runs no more, though its number stays until its parent has asked for it:
    for good where a container's first process takes no notice of its children.
    """
    if (_stat_fields(pid) or ("",))[0] in _DEAD:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
