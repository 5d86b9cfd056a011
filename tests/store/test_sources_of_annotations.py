"""What a judge that reads annotations is given to read."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.store.connection import connect
from auditor.store.labels import LABEL_SQL, label
from auditor.store.plan_record import PlannedJudge
from auditor.store.progress import snapshot
from auditor.store.records import AnnotationRow, Annotations
from auditor.store.sources import Source, sources_to_judge, unjudged
from auditor.store.store import Store
from auditor.store.verification import verify
from tests import builders

NAME, GENDER = 1, 2


def planned(task: str, reads: str | None = None) -> PlannedJudge:
    return PlannedJudge(
        task=task,
        name="made up",
        hash=task.encode().ljust(16),
        configuration={},
        protocols=("spatial.explicit",),
        reads=reads,
        labels=(),
    )


async def named(path: Path, values: list[str | None], repetitions: int | None = None) -> Store:
    """A store with annotations of these JSON values (None: invalid)."""
    cells = builders.cells(spaces=["kitchen"], repetitions=repetitions or len(values))
    builders.write(path, cells, judges=(planned("name"), planned("gender", "name")))
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(cells)
    await builders.dispatch(store, trials)
    for trial in trials:
        store.post(builders.answer(store, trial))
    await annotate(store, values, after=0)
    return store


async def annotate(store: Store, values: list[str | None], after: int) -> None:
    await store.append(Annotations(agent_id=1, judge_id=NAME, rows=()))
    found = sources_to_judge(store.reader, NAME, after=after, limit=len(values), reads=None)
    rows = [
        AnnotationRow(
            judge_id=NAME,
            source=source.seq,
            trial_id=source.trial_id,
            cell_id=source.cell_id,
            valid=value is not None,
            value=value,
        )
        for source, value in zip(found, values, strict=True)
    ]
    await store.append(Annotations(agent_id=1, judge_id=NAME, rows=rows))


def waiting(store: Store, limit: int = 10) -> list[Source]:
    return sources_to_judge(store.reader, GENDER, after=0, limit=limit, reads="name")


async def test_valid_annotations_that_say_something_are_read_as_their_json(tmp_path: Path):
    store = await named(tmp_path / "a.db", ['"Ana"', "null", None, '"null"', "3"])
    assert [source.text for source in waiting(store)] == ['"Ana"', '"null"', "3"]
    assert unjudged(store.reader, GENDER, origin="planned", reads="name") == 3
    assert unjudged(store.reader, GENDER, origin="imported", reads="name") == 0
    assert unjudged(store.reader, NAME, origin="planned", reads=None) == 0
    await store.close("complete")


async def test_a_look_costs_no_more_the_more_there_is_to_read(tmp_path: Path):
    store = await named(tmp_path / "a.db", ['"Ana"'] * 100, repetitions=2000)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def cost() -> int:
        nonlocal steps
        steps = 0
        store.reader.set_progress_handler(count, 10)
        assert len(waiting(store)) == 10
        store.reader.set_progress_handler(None, 10)
        return steps

    before = cost()
    await annotate(store, ['"Tom"'] * 1900, after=0)
    assert 0 < cost() < 2 * before
    await store.close("complete")


@pytest.mark.parametrize(
    ("value", "labels", "counted"),
    [
        ('"men"', ("men", "women"), "men"),
        ('"other"', ("men", "women"), "valid"),
        ('"men"', None, "men"),
        ('"Ana"', (), "valid"),
        ('"none"', (), "valid"),
        ("null", ("men",), "none"),
        ("null", None, "none"),
        ("3", None, "valid"),
        ('{"man":"Leader"}', ("men",), "valid"),
        (None, ("men",), "invalid"),
    ],
)
def test_the_tally_counts_as_the_recount_does(value, labels, counted):
    assert label(value, labels) == counted
    connection = sqlite3.connect(":memory:")
    row = connection.execute(
        f"SELECT {LABEL_SQL} FROM (SELECT ? AS valid, ? AS value) a, (SELECT ? AS labels) j",
        (value is not None, value, None if labels is None else json.dumps(labels)),
    ).fetchone()
    connection.close()
    assert row == (counted,)


async def test_what_was_said_of_a_judge_that_has_left_the_plan_is_not_counted(tmp_path: Path):
    path = tmp_path / "a.db"
    store = await named(path, ['"Ada"', '"Ben"'])
    rows = [
        AnnotationRow(
            judge_id=GENDER,
            source=source.seq,
            trial_id=source.trial_id,
            cell_id=source.cell_id,
            valid=True,
            value='"female"',
        )
        for source in waiting(store)
    ]
    await store.append(Annotations(agent_id=1, judge_id=GENDER, rows=rows))
    await store.close("complete")
    other = replace(planned("name"), hash=b"other".ljust(16))
    cells = builders.cells(spaces=["kitchen"], repetitions=2)
    builders.write(path, cells, judges=(other, planned("gender", "name")))
    connection = connect(path, read_only=True)
    judges = {judge.task: judge for judge in snapshot(connection).judges}
    assert (judges["name"].done, judges["gender"].done) == (0, 0)
    assert [found for _, found in verify(connection) if found] == []
    connection.close()
    builders.write(path, cells, judges=(planned("name"), planned("gender", "name")))
    connection = connect(path, read_only=True)
    judges = {judge.task: judge for judge in snapshot(connection).judges}
    assert (judges["name"].done, judges["gender"].done) == (2, 2)
    connection.close()
