import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from auditor.errors import LockLost, StoreLocked
from auditor.store import lock
from auditor.store.connection import connect
from auditor.store.progress import snapshot
from auditor.store.records import Alarm
from auditor.store.store import Store
from tests import builders
from tests.passing_time import until


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builders.write(tmp_path / "a.db", builders.cells())
    return tmp_path / "a.db"


def test_a_second_writer_is_told_who_holds_the_store(path: Path) -> None:
    builders.take_lock(path)
    connection = connect(path)
    with pytest.raises(StoreLocked, match=r"process \d+ on .*, since \d{4}-"):
        lock.acquire(connection)
    connection.close()


def test_a_holder_whose_process_is_gone_is_taken_over_at_once(path: Path) -> None:
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from tests import builders;"
            "print(builders.take_lock(Path(sys.argv[1])))",
            str(path),
        ],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert builders.take_lock(path) == int(child.stdout) + 1


def test_a_process_number_given_to_another_process_is_not_the_holder(path: Path) -> None:
    epoch = builders.take_lock(path)
    connection = connect(path)
    connection.execute("UPDATE holders SET process_start = '1' WHERE epoch = ?", (epoch,))
    assert lock.acquire(connection) == epoch + 1
    connection.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="states come from /proc")
def test_a_killed_holder_whose_parent_never_asks_for_it_is_gone(path: Path) -> None:
    """As in a container whose first process takes no notice of its children."""
    epoch = builders.take_lock(path)
    child = subprocess.Popen(["sleep", "60"])
    connection = connect(path)
    connection.execute(
        "UPDATE holders SET pid = ?, process_start = ? WHERE epoch = ?",
        (child.pid, lock._process_start(child.pid), epoch),
    )
    try:
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert snapshot(connection).state == "interrupted"
        assert lock.acquire(connection) == epoch + 1
    finally:
        child.wait()
        connection.close()


class Seconds:
    """A clock that moves only when somebody sleeps."""

    def __init__(self, meanwhile=lambda now: None) -> None:
        self.now = 0.0
        self._meanwhile = meanwhile

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self._meanwhile(self.now)


def elsewhere(path: Path):
    builders.take_lock(path)
    connection = connect(path)
    connection.execute("UPDATE holders SET host = 'elsewhere' WHERE ended_at IS NULL")
    return connection


def test_a_holder_elsewhere_that_stands_still_for_30_s_is_taken_over(path: Path) -> None:
    connection = elsewhere(path)
    epoch = lock.last_holder(connection).epoch
    clock = Seconds()
    said: list[str] = []
    assert lock.acquire(connection, clock=clock, sleep=clock.sleep, say=said.append) == epoch + 1
    assert clock.now >= 30
    assert "watching" in said[0]
    connection.close()


def frozen(path: Path, *, is_stopped: bool):
    """A store whose holder is a process of this host that does nothing."""
    builders.take_lock(path)
    child = subprocess.Popen(["sleep", "60"])
    if is_stopped:
        child.send_signal(signal.SIGSTOP)
        while lock._stat_fields(child.pid)[0] not in lock._STOPPED:
            time.sleep(0.001)
    beat_at = time.time() - (0 if is_stopped else 60)
    connection = connect(path)
    connection.execute(
        "UPDATE holders SET pid = ?, process_start = ?, beat_at = ? WHERE ended_at IS NULL",
        (child.pid, lock._process_start(child.pid), beat_at),
    )
    return connection, child


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="states come from /proc")
@pytest.mark.parametrize("is_stopped", [True, False], ids=["stopped", "without a heartbeat"])
def test_a_frozen_holder_on_this_host_is_taken_over_after_30_s(path: Path, is_stopped) -> None:
    connection, child = frozen(path, is_stopped=is_stopped)
    try:
        epoch = lock.last_holder(connection).epoch
        clock = Seconds()
        assert lock.acquire(connection, clock=clock, sleep=clock.sleep) == epoch + 1
        assert clock.now >= 30
    finally:
        child.kill()
        child.wait()
        connection.close()


def test_a_late_holder_whose_heart_beats_again_keeps_the_store(path: Path) -> None:
    epoch = builders.take_lock(path)
    connection = connect(path)
    connection.execute("UPDATE holders SET beat_at = beat_at - 60 WHERE epoch = ?", (epoch,))
    clock = Seconds(lambda now: lock.beat(connection, epoch) if now >= 20 else None)
    with pytest.raises(StoreLocked):
        lock.acquire(connection, clock=clock, sleep=clock.sleep)
    assert 20 <= clock.now < 30
    connection.close()


def test_a_holder_elsewhere_whose_heart_beats_keeps_the_store(path: Path) -> None:
    connection = elsewhere(path)
    epoch = lock.last_holder(connection).epoch

    def meanwhile(now: float) -> None:
        if now >= 20:
            lock.beat(connection, epoch)

    clock = Seconds(meanwhile)
    with pytest.raises(StoreLocked):
        lock.acquire(connection, clock=clock, sleep=clock.sleep)
    assert clock.now < 30
    connection.close()


async def test_a_thawed_process_writes_nothing_more(path: Path) -> None:
    store = Store(path, builders.take_lock(path))
    agent = store.agent_id("scheduler")
    await store.append(Alarm(agent_id=agent, message="before"))
    other = connect(path)
    lock._take(other, store.epoch)
    with pytest.raises(LockLost):
        await store.append(Alarm(agent_id=agent, message="after"))
    with pytest.raises(LockLost):
        await store.close("complete")
    assert other.execute("SELECT message FROM alarms").fetchall() == [("before",)]
    other.close()


async def test_the_heart_beats_while_nothing_is_written(path: Path, monkeypatch) -> None:
    monkeypatch.setattr(lock, "HEARTBEAT_SECONDS", 0.02)
    store = Store(path, builders.take_lock(path))
    await until(lambda: lock.last_holder(store.reader).heartbeat >= 3)
    await store.close("complete")


async def test_state_follows_the_holder(path: Path) -> None:
    store = Store(path, builders.take_lock(path))
    assert snapshot(store.reader).state == "running"
    await store.close("interrupted")
    connection = connect(path)
    assert snapshot(connection).state == "interrupted"
    connection.execute("UPDATE holders SET ended_at = NULL, ending = NULL, process_start = '1'")
    assert snapshot(connection).state == "interrupted"
    connection.execute("UPDATE holders SET ended_at = 1.0, ending = 'budget'")
    assert snapshot(connection).state == "incomplete"
    connection.close()
