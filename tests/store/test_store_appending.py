import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from auditor.errors import StoreError
from auditor.store import sources
from auditor.store.batch import Batch
from auditor.store.calls import left_in_flight
from auditor.store.connection import connect
from auditor.store.progress import snapshot
from auditor.store.records import AnnotationRow, Annotations
from auditor.store.store import Store
from auditor.store.texts import read_text
from auditor.store.verification import verify
from auditor.types import Outcome
from tests import builders


async def opened(path: Path, planned=None) -> Store:
    builders.write(path, builders.cells() if planned is None else planned)
    return Store(path, builders.take_lock(path))


async def test_what_was_acknowledged_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = await opened(path)
    trials = builders.trials_of(builders.cells())
    await builders.dispatch(store, trials)
    await asyncio.gather(*(store.append(builders.answer(store, trial)) for trial in trials))
    # A second connection sees it before the store is closed.
    other = connect(path, read_only=True)
    rows = other.execute(
        "SELECT target, json_extract(factors, '$.space'), repetition, outcome, text, model"
        " FROM responses ORDER BY seq"
    ).fetchall()
    assert rows == [
        ("fair", space, repetition, "answered", "Men", "fair-1")
        for space in builders.SPACES
        for repetition in (0, 1)
    ]
    assert other.execute("SELECT count(*) FROM in_flight").fetchone() == (0,)
    other.close()
    await store.close("complete")


async def test_a_second_response_to_a_trial_is_refused_and_stops_the_writer(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.db")
    trial = builders.trials_of(builders.cells())[0]
    await builders.dispatch(store, [trial])
    await store.append(builders.answer(store, trial))
    trial.attempt = 2
    with pytest.raises(StoreError, match="UNIQUE"):
        await store.append(builders.answer(store, trial, "Women"))
    assert store.has_failed
    with pytest.raises(StoreError):
        store.append(builders.answer(store, trial))
    with pytest.raises(StoreError):
        await store.close("incomplete")


@pytest.mark.parametrize(
    "text",
    [
        "a\0b",
        "lone \ud800 surrogate",
        "\u202egnirts",
        "x" * 1_000_000,
        "",
        "\x1b[2J",
        "é\r\n\t",
    ],
    ids=["nul", "surrogate", "right-to-left", "1 MB", "empty", "escape", "line ends"],
)
async def test_a_text_is_stored_as_it_came(tmp_path: Path, text: str) -> None:
    store = await opened(tmp_path / "a.db")
    trial = builders.trials_of(builders.cells())[0]
    await builders.dispatch(store, [trial])
    await store.append(builders.answer(store, trial, text))
    (stored,) = store.reader.execute(
        "SELECT x.text FROM _responses r JOIN texts x ON x.id = r.text_id"
    ).fetchone()
    assert read_text(stored) == text
    assert [found for _, found in verify(store.reader) if found] == []
    await store.close("complete")


async def test_equal_texts_are_stored_once(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.db")
    trials = builders.trials_of(builders.cells())
    await builders.dispatch(store, trials)
    long = "the same long answer " * 200
    for trial in trials:
        await store.append(builders.answer(store, trial, long))
    query = "SELECT count(*) FROM texts WHERE text = ?"
    assert store.reader.execute(query, (long,)).fetchone() == (1,)
    await store.close("complete")


async def test_a_follower_is_woken_by_a_commit_and_finds_what_it_lacks(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.db")
    trials = builders.trials_of(builders.cells())
    await builders.dispatch(store, trials)
    woken = store.follow()
    woken.clear()
    outcomes = [Outcome.ANSWERED, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.FILTERED]
    for trial, outcome in zip(trials, outcomes, strict=False):
        await store.append(builders.answer(store, trial, "Men", outcome))
    await asyncio.wait_for(woken.wait(), 60)
    (judge,) = store.reader.execute("SELECT id FROM judges").fetchone()

    def waiting(after: int = 0):
        return sources.sources_to_judge(store.reader, judge, after=after, limit=10, reads=None)

    found = waiting()
    assert [source.trial_id for source in found] == [trials[0].trial_id, trials[2].trial_id]
    row = AnnotationRow(
        judge_id=judge,
        source=found[0].seq,
        trial_id=found[0].trial_id,
        cell_id=found[0].cell_id,
        valid=True,
        value=json.dumps("men"),
    )
    agent = store.agent_id("scheduler")
    await store.append(
        Annotations(agent_id=agent, judge_id=judge, rows=[row], checkpoint=found[0].seq)
    )
    assert [source.seq for source in waiting()] == [found[1].seq]
    assert sources.checkpoint(store.reader, judge) == found[0].seq
    progress = snapshot(store.reader)
    assert (progress.judges[0].done, progress.judges[0].lag) == (1, 1)
    await store.close("complete")


async def test_one_annotation_a_source_judge_and_repeat(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.db")
    trial = builders.trials_of(builders.cells())[0]
    await builders.dispatch(store, [trial])
    await store.append(builders.answer(store, trial))
    (judge,) = store.reader.execute("SELECT id FROM judges").fetchone()
    (source,) = store.reader.execute("SELECT seq FROM _responses").fetchone()

    def note(repeat: int) -> Annotations:
        row = AnnotationRow(
            judge_id=judge,
            source=source,
            trial_id=trial.trial_id,
            cell_id=trial.cell_id,
            valid=True,
            value='"men"',
            repeat=repeat,
        )
        return Annotations(agent_id=store.agent_id("scheduler"), judge_id=judge, rows=[row])

    await store.append(note(0))
    await store.append(note(1))
    with pytest.raises(StoreError, match="UNIQUE"):
        await store.append(note(0))
    with pytest.raises(StoreError):
        await store.close("complete")


async def test_digest_chain_shows_an_altered_row_and_a_removed_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = await opened(path)
    trials = builders.trials_of(builders.cells())
    await builders.dispatch(store, trials)
    for trial in trials:
        await store.append(builders.answer(store, trial))
    await store.close("complete")
    connection = sqlite3.connect(path, isolation_level=None)
    assert all(not found for _, found in verify(connection))
    for statement, check in (
        ("UPDATE _responses SET outcome = 'refused' WHERE trial_id = 2", "digest chain"),
        ("DELETE FROM _responses WHERE trial_id = 2", "digest chain"),
        ("UPDATE texts SET text = 'Women' WHERE text = 'Men'", "texts"),
        ("UPDATE tallies SET count = count + 1", "tallies"),
        ("UPDATE spending SET calls = calls + 1", "sums of calls"),
        ("UPDATE _responses SET call_seq = 9999", "references"),
    ):
        connection.execute("BEGIN")
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute(statement)
        assert dict(verify(connection))[check], statement
        connection.execute("ROLLBACK")
    connection.close()


async def test_a_full_disk_ends_the_writer_with_one_sentence_and_keeps_what_was_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    planned = builders.cells(repetitions=40)
    store = await opened(path, planned)
    trials = builders.trials_of(planned)
    await builders.dispatch(store, trials)
    await store.append(builders.answer(store, trials[0], "kept"))
    writer = store._writer._connection
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="disk is full"):
        for trial in trials[1:]:
            await store.append(builders.answer(store, trial, f"{trial.key.hex()} " * 500))
    with pytest.raises(StoreError):
        await store.close("incomplete")
    connection = connect(path, read_only=True)
    assert connection.execute("SELECT text FROM responses LIMIT 1").fetchone() == ("kept",)
    assert all(not found for _, found in verify(connection))
    connection.close()


@pytest.mark.parametrize("end", [RuntimeError("a bug"), MemoryError(), SystemExit(3)])
async def test_whatever_ends_the_writers_thread_nobody_waits_for_ever(
    end: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was acknowledged stays, and the store's next holder goes on."""
    path = tmp_path / "a.db"
    store = await opened(path)
    trials = builders.trials_of(builders.cells())
    await builders.dispatch(store, trials)
    await store.append(builders.answer(store, trials[0], "kept"))

    def ends(_: Batch) -> None:
        raise end

    with monkeypatch.context() as patched:
        patched.setattr(Batch, "write", ends)
        with pytest.raises(StoreError, match="writer failed"):
            await asyncio.wait_for(store.append(builders.answer(store, trials[1])), 60)
    with pytest.raises(StoreError, match="writer failed"):
        await store.append(builders.answer(store, trials[2]))
    with pytest.raises(StoreError, match="writer failed"):
        await store.close("incomplete")
    builders.give_lock(path, store.epoch, "incomplete")
    store = Store(path, builders.take_lock(path))
    await asyncio.gather(*(store.append(builders.answer(store, trial)) for trial in trials[1:]))
    await store.close("complete")
    connection = connect(path, read_only=True)
    assert connection.execute("SELECT count(*) FROM responses").fetchone() == (len(trials),)
    assert all(not found for _, found in verify(connection))
    connection.close()


async def test_views_and_runs_read_as_something_a_person_understands(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.db")
    trial = builders.trials_of(builders.cells())[0]
    await builders.dispatch(store, [trial])
    await store.append(builders.answer(store, trial))
    reader = store.reader
    for view in ("responses", "annotations", "statistics", "calls", "failures", "journal"):
        reader.execute(f"SELECT * FROM {view}").fetchall()
    assert reader.execute("SELECT name, seed, spec FROM runs").fetchone() == (
        "test",
        1,
        "name = 'test'",
    )
    kinds = [row[0] for row in reader.execute("SELECT kind FROM journal ORDER BY seq")]
    assert kinds == ["planned", "dispatched", "call", "response"]
    await store.close("complete")


async def test_what_is_in_flight_is_listed_until_it_is_settled(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = await opened(path)
    trials = builders.trials_of(builders.cells())[:3]
    for trial in trials:
        trial.reserved_usd, trial.reserved_tokens = 0.5, 100
    await builders.dispatch(store, trials)
    await store.append(builders.answer(store, trials[1]))
    assert snapshot(store.reader).reserved_usd == pytest.approx(1.0)
    await store.close("incomplete")
    epoch = builders.take_lock(path)
    connection = connect(path, read_only=True)
    left = left_in_flight(connection, epoch)
    assert [item.trial_id for item in left] == [trials[0].trial_id, trials[2].trial_id]
    connection.close()
