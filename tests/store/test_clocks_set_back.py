"""A wall clock that was set back between two processes: what is stored lies in its future."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from auditor.scheduler import profiles
from auditor.scheduler.profiles import STALE_SECONDS, Subject
from auditor.store.calls import recent_calls
from auditor.store.connection import connect
from auditor.store.store import Store
from tests import builders

HOUR = 3600.0


async def test_calls_in_the_future_were_made_just_now(tmp_path: Path) -> None:
    """They count against limits a minute, for a minute: not until their time has come again."""
    path = tmp_path / "a.db"
    planned = builders.cells()
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(planned)[:2]
    await builders.dispatch(store, trials)
    for trial in trials:
        await store.append(builders.answer(store, trial))
    await store.close("interrupted")
    connection = connect(path, read_only=True)
    endpoint = connection.execute("SELECT endpoint_id FROM _calls").fetchone()[0]
    found = recent_calls(connection, endpoint, now=time.time() - HOUR)
    assert [ago for ago, _ in found] == [0.0, 0.0]
    assert recent_calls(connection, endpoint, now=time.time() + HOUR) == []
    connection.close()


@pytest.mark.parametrize(
    ("age", "is_known"),
    [(60.0, True), (-HOUR, True), (2.0 * STALE_SECONDS, False), (-2.0 * STALE_SECONDS, False)],
)
def test_what_a_model_takes_is_asked_again_when_its_date_is_out_of_reach(
    age: float, is_known: bool, tmp_path: Path
) -> None:
    """A clock that was years ahead when it was asked does not keep an answer for years."""
    builders.write(tmp_path / "a.db", builders.cells())
    connection = connect(tmp_path / "a.db")
    connection.execute(
        "INSERT INTO profiles (endpoint, model, at, findings) VALUES ('sim', 'm', ?, '{}')",
        (time.time() - age,),
    )
    subject = Subject(name="t", endpoint="sim", model="m")
    assert profiles._is_known(connection, subject) is is_known
    connection.close()
