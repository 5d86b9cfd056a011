"""Making a store where something of another one has been left."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.scheduler.opening import hold_store, last_ending, ready_store
from auditor.store.connection import connect
from auditor.store.store import Store
from auditor.store.verification import verify
from tests import builders


async def _log_of_another(folder: Path) -> Path:
    """The log of a store whose process died amid its work."""
    other = folder / "other.db"
    planned = builders.cells()
    builders.write(other, planned)
    store = Store(other, builders.take_lock(other))
    await builders.dispatch(store, builders.trials_of(planned))
    log = folder / "left-wal"
    shutil.copy(other.with_name("other.db-wal"), log)
    await store.close("incomplete")
    return log


@pytest.mark.parametrize("has_empty_file", [False, True])
def test_the_log_of_a_removed_store_does_not_get_into_a_fresh_one(
    has_empty_file: bool, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    asyncio.run(_log_of_another(tmp_path)).rename(tmp_path / "s.db-wal")
    if has_empty_file:
        path.touch()
    hold_store(path, say=lambda _: None)
    connection = connect(path, read_only=True)
    assert connection.execute("SELECT count(*) FROM holders").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM trials").fetchone() == (0,)
    assert all(not found for _, found in verify(connection))
    connection.close()


@pytest.mark.parametrize("suffixes", [("",), ("-journal",), ("", "-journal"), ("-wal", "-shm")])
def test_whatever_a_killed_maker_has_left_is_taken_away(
    suffixes: tuple[str, ...], tmp_path: Path
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for suffix in suffixes:
        (tmp_path / f".s.db.{gone.pid}{suffix}").touch()
    alive = tmp_path / f".s.db.{os.getppid()}-journal"
    alive.touch()
    hold_store(tmp_path / "s.db", say=lambda _: None)
    assert {path.name for path in tmp_path.iterdir()} == {"s.db", alive.name}


@pytest.mark.parametrize("date", ["20241130", "20241130123456"])
def test_a_hidden_copy_that_is_called_by_its_date_stays(date: str, tmp_path: Path) -> None:
    kept = tmp_path / f".s.db.{date}"
    kept.touch()
    hold_store(tmp_path / "s.db", say=lambda _: None)
    assert kept.exists()


def test_a_fresh_store_that_cannot_be_made_ready_is_gone(tmp_path: Path) -> None:
    with pytest.raises(KeyError), ready_store(tmp_path / "s.db", say=lambda _: None):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_made_ready_stays_and_is_free(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    builders.write(path, builders.cells())
    with pytest.raises(KeyError), ready_store(path, say=lambda _: None):
        raise KeyError
    assert last_ending(path) == "incomplete"
    hold_store(path, say=lambda _: None)
