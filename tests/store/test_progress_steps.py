"""What a look at a run costs: that goes by the cells of its plan, not by its trials."""

from __future__ import annotations

import asyncio
from pathlib import Path

from auditor.store.connection import connect
from auditor.store.progress import label_counts, snapshot
from auditor.store.store import Store
from tests import builders


async def answered(path: Path, repetitions: int) -> Path:
    planned = builders.cells(repetitions=repetitions)
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    trials = list(builders.trials_of(planned))
    await builders.dispatch(store, trials)
    await asyncio.gather(*(store.append(builders.answer(store, trial)) for trial in trials))
    await store.close("complete")
    return path


def steps(path: Path) -> int:
    """Instructions that SQLite carries out for one snapshot and the counts of its headlines."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1

    connection = connect(path, read_only=True)
    try:
        connection.set_progress_handler(step, 1)
        snapshot(connection)
        list(label_counts(connection, "spatial.explicit", "fair", "choice"))
        connection.set_progress_handler(None, 0)
    finally:
        connection.close()
    return taken


async def test_more_trials_take_no_more_steps(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("auditor.store.progress.NEWEST_EVENTS", 0)  # what there are at most
    few = steps(await answered(tmp_path / "few.db", 3))
    many = steps(await answered(tmp_path / "many.db", 60))
    assert many < 1.02 * few
