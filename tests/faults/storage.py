"""Stores that run out of room, are locked, or whose file goes away while they are written."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.store.connection import BUSY_SECONDS, connect
from tests.faults.audits import (
    TRIALS,
    Held,
    check_resumes,
    check_said,
    check_verified,
    command,
    content,
    ended,
    started,
    state,
    write_spec,
)
from tests.faults.scenario import Found, Ground, Skipped, scenario
from tests.killing import mock_server

SLOW = ("--latency-ms", "10", "--jitter", "0.5")


@scenario("disk full: a limit on file size (RLIMIT_FSIZE), at three sizes")
def file_size_limit(ground: Ground) -> Found:
    """One error naming the disk; what was stored stays; resumed where there is room."""
    draw, found, said = ground.draw("limit"), Found(), ""
    with mock_server(*SLOW) as url:
        for number in range(3):
            spec = write_spec(ground.folder / f"{number}.toml", url, repetitions=4)
            store = spec.with_suffix(".db")
            room = draw.randrange(400_000, 1_500_000)
            limit = (
                "import os, resource, sys;"
                f" resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}));"
                " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
            )
            ran = command(
                *("run", spec, "--no-probe"),
                command=(sys.executable, "-c", limit, "-m", "auditor"),
            )
            said = check_said(found, ran, codes=[1])
            check_verified(found, store)
            check_resumes(found, store, Held.of(store), TRIALS * 4)
    found.happened, found.left = f"stops: {said}", "free space, resume"
    return found


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own with so much room."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise Skipped("mounting is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@scenario("disk full: a file system of 2 MB, made larger afterwards")
def small_file_system(ground: Ground) -> Found:
    """Also a resume on the disk that is still full, and readers on it."""
    found = Found()
    with mock_server(*SLOW) as url, small_disk(ground.folder / "disk", "2m") as disk:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=6)
        store = disk / "s.db"
        ran = command("run", spec, "--store", store, "--no-probe")
        said = check_said(found, ran, codes=[1])
        held = Held.of(store)
        check_verified(found, store)
        for arguments in (("status", store), ("stats", store, "--json")):
            read = command(*arguments)
            found.expect(read.code == 0, f"{arguments[0]} on a full disk: {read.err[-300:]}")
        again = command("resume", store, "--no-probe")
        check_said(found, again, codes=[1])
        found.lost += held.lost_in(store)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        check_resumes(found, store, held, TRIALS * 6)
    found.happened, found.left = f"stops: {said}; readers still work", "free space, resume"
    return found


@scenario("another program holds SQLite's write lock for 3 s (long form: 20 s)")
def locked_a_while(ground: Ground) -> Found:
    """The run waits, and goes on."""
    found = Found()
    seconds = 20 if ground.is_long else 3
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=3)
        store = spec.with_suffix(".db")
        process = started(spec, store, 200)
        with locking(store):
            time.sleep(seconds)
        ran = ended(process)
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    found.codes.append(ran.code)
    check_resumes(found, store, Held.of(store), TRIALS * 3)
    found.happened = f"waits {seconds} s, goes on, completes"
    return found


@scenario(f"another program holds the write lock for more than {BUSY_SECONDS:.0f} s")
def locked_for_good(ground: Ground) -> Found:
    """One error; after that the store can be resumed."""
    found = Found()
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=3)
        store = spec.with_suffix(".db")
        process = started(spec, store, 200)
        with locking(store):
            held = Held.of(store)
            ran = ended(process)
        said = check_said(found, ran, codes=[1])
        check_resumes(found, store, held, TRIALS * 3)
    found.happened, found.left = f"stops: {said}", "resume"
    return found


@contextmanager
def locking(store: Path) -> Iterator[None]:
    """Another program amid a transaction that writes."""
    connection = connect(store)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def _remove(store: Path) -> None:
    store.unlink()


def _remove_all(store: Path) -> None:
    for path in store.parent.glob(f"{store.name}*"):
        path.unlink()


def _move(store: Path) -> None:
    store.rename(store.with_name("moved.db"))


def _replace(store: Path) -> None:
    other = store.with_name("other")
    shutil.copy(store, other)
    other.replace(store)


def _remove_log(store: Path) -> None:
    store.with_name(f"{store.name}-wal").unlink()


def _gone(ground: Ground, name: str, take_away: Callable[[Path], None]) -> Found:
    """A run whose file is taken away: it stops soon, and what it had stored is saved."""
    draw, found = ground.draw(name), Found()
    with mock_server("--latency-ms", "40", "--jitter", "0.5") as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=6)
        (ground.folder / "here").mkdir()
        store = ground.folder / "here" / "s.db"
        process = started(spec, store, draw.randrange(300, 900))
        held = Held.of(store)
        take_away(store)
        begun = time.monotonic()
        ran = ended(process)
        took = time.monotonic() - begun
        said = check_said(found, ran, codes=[1])
        found.expect(took < 10, f"it went on for {took:.0f} s")
        saved = sorted(store.parent.glob("*rescued*.db"))
        found.expect(len(saved) == 1, f"saved: {saved}; it said: {said}")
        if saved:
            found.expect(saved[0].name in ran.err, "the rescued store is not named")
            check_verified(found, saved[0])
            check_resumes(found, saved[0], held, TRIALS * 6)
        else:
            found.lost = held.rows
    found.happened, found.left = f"stops: {said.replace(str(ground.folder), '')}", "resume the copy"
    return found


@scenario("the store is deleted under the run")
def deleted(ground: Ground) -> Found:
    return _gone(ground, "deleted", _remove)


@scenario("the store and its log are deleted under the run")
def deleted_with_log(ground: Ground) -> Found:
    return _gone(ground, "deleted with log", _remove_all)


@scenario("the store is renamed under the run")
def renamed(ground: Ground) -> Found:
    return _gone(ground, "renamed", _move)


@scenario("another file is put in the store's place under the run")
def replaced(ground: Ground) -> Found:
    return _gone(ground, "replaced", _replace)


@scenario("the store's log (-wal) is deleted under the run")
def log_deleted(ground: Ground) -> Found:
    return _gone(ground, "log deleted", _remove_log)


def _crashed(ground: Ground, url: str, draw: random.Random) -> tuple[Path, Path]:
    """A spec, and its store with the log that a crash left; no reader has tidied up yet."""
    spec = write_spec(ground.folder / "s.toml", url, repetitions=3)
    store = spec.with_suffix(".db")
    process = started(spec, store, draw.randrange(200, 900))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return spec, store


@scenario("a log (-wal) that a crash left")
def log_left(ground: Ground) -> Found:
    """Readers see all of it; so does a copy of both files elsewhere; so does the resume."""
    found = Found()
    with mock_server(*SLOW) as url:
        _, store = _crashed(ground, url, ground.draw("log left"))
        copy = ground.folder / "copy.db"
        for suffix in ("", "-wal"):
            shutil.copy(f"{store}{suffix}", f"{copy}{suffix}")
        held = Held.of(store)
        check_verified(found, store)
        found.expect(state(store) == "interrupted", f"state {state(store)}")
        found.lost += held.lost_in(store) + held.lost_in(copy)
        check_resumes(found, store, held, TRIALS * 3)
    found.codes.append(0)
    found.happened = "read along with the store, also by readers; resume goes on"
    return found


@scenario("a store deleted after a crash, its log left; the spec run anew")
def log_without_store(ground: Ground) -> Found:
    """What is left of another store must not get into a fresh one."""
    found = Found()
    with mock_server(*SLOW) as url:
        spec, store = _crashed(ground, url, ground.draw("log without store"))
        store.unlink()
        found.expect(store.with_name(f"{store.name}-wal").exists(), "there was no log")
        ran = command("run", spec, "--no-probe")
        found.codes.append(ran.code)
        found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
        if ran.code == 0:
            check_resumes(found, store, Held.of(store), TRIALS * 3)
            found.happened = "the old log is taken away; the run starts afresh"
    return found


@scenario("a store copied without its log while it was written")
def copied_without_log(ground: Ground) -> Found:
    """An older state of the store, sound in itself."""
    found = Found()
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=4)
        store = spec.with_suffix(".db")
        process = started(spec, store, 900)
        copy = ground.folder / "copy.db"
        shutil.copy(store, copy)
        process.kill()
        process.communicate()
        ran = command("verify", copy)
        found.codes.append(ran.code)
        found.expect("Traceback" not in ran.err, ran.err[-300:])
        found.happened = f"verify: {(ran.out + ran.err).splitlines()[0]}"
        if ran.code == 0:
            command("run", spec, "--store", copy, "--no-probe")
            found.lost = 0
            found.expect(content(copy)["responses"].total() == TRIALS * 4, "not complete")
    return found


def as_nobody() -> tuple[str, ...]:
    """A command as a user who owns nothing here."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        raise Skipped("needs root and setpriv, to become somebody who owns nothing")
    return (
        *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        *(sys.executable, "-B", "-m", "auditor"),
    )
