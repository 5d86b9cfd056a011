"""`auditor stats` on a store that another process takes further meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from auditor.scheduler import refresh
from auditor.store.connection import connect
from auditor.store.plan import STATISTICIAN
from auditor.store.records import Alarm
from auditor.store.results import is_current
from auditor.store.store import Store
from tests.builders import take_lock
from tests.cli.driving import auditor, simulated


def take_further(path):
    async def append():
        store = Store(path, take_lock(path))
        await store.append(Alarm(agent_id=store.agent_id(STATISTICIAN), message="on it went"))
        await store.close("complete")

    asyncio.run(append())


def current(path):
    with closing(connect(path, read_only=True)) as connection:
        return is_current(connection)


@pytest.fixture
def store(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    assert auditor("run", spec).code == 0
    path = spec.with_suffix(".db")
    take_further(path)
    assert not current(path)
    return path


def test_statistics_of_a_moment_that_is_past_are_not_stored(store, monkeypatch):
    compute = refresh.compute_statistics

    def compute_while_it_goes_on(path, plan):
        rows = compute(path, plan)
        take_further(path)
        return rows

    monkeypatch.setattr(refresh, "compute_statistics", compute_while_it_goes_on)
    ran = auditor("stats", store, "--json")
    assert ran.code == 0
    assert ran.data
    assert "the store has changed meanwhile; these statistics were not stored" in ran.err
    assert not current(store)


def test_statistics_of_a_store_that_stands_still_are_stored(store):
    assert "not stored" not in auditor("stats", store, "--json").err
    assert current(store)
