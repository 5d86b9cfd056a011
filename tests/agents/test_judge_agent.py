"""The agent that runs offline judges: what it reads, what it stores, and when it stops."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from agents.judge import JudgeAgent
from agents.judges.base import Verdict
from auditor.errors import JudgeError, JudgeHurried, JudgeStopped
from auditor.store.connection import connect
from auditor.store.plan_record import PlannedJudge
from auditor.store.progress import snapshot
from auditor.store.status import JudgeProgress
from auditor.store.store import Store
from auditor.store.verification import verify
from auditor.types import JSON
from tests import builders

GENDERS = ("male", "female", "neutral", "unknown")


class Names:
    """Takes an answer's text for the name; "-" says that there is none, "?" cannot be read."""

    task, name = "name", "whole text"
    configuration: Mapping[str, JSON] = {}

    def judge(self, text: str) -> Verdict:
        if text == "?":
            return Verdict(False, reason="unreadable")
        if text == "!":
            raise ValueError("a bug")
        return Verdict(True, None if text == "-" else text)


class Genders:
    """A judge of batches that does what it is told, and notes what it is asked."""

    task, name = "gender", "made up"
    configuration: Mapping[str, JSON] = {}

    def __init__(self, fail: Callable[[Sequence[str]], Exception | None] = lambda _: None) -> None:
        self.batches: list[list[str]] = []
        self.closed = 0
        self._fail = fail

    async def start(self) -> None:
        raise AssertionError("the first batch starts it")

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        self.batches.append(list(values))
        error = self._fail(values)
        if error is not None:
            raise error
        return [Verdict(True, "female", reason=f"for {json.loads(value)}") for value in values]

    async def close(self) -> None:
        self.closed += 1


def judges(*names: str) -> tuple[PlannedJudge, ...]:
    """Judges of names, called so, and one that reads what they say."""
    protocols = ("spatial.explicit",)
    planned = [
        PlannedJudge(
            task="name",
            name=name,
            hash=name.encode().ljust(16),
            configuration={},
            protocols=protocols,
            labels=(),
        )
        for name in names
    ]
    gender = PlannedJudge(
        task="gender",
        name="made up",
        hash=b"gender".ljust(16),
        configuration={},
        protocols=protocols,
        reads="name",
        labels=GENDERS,
    )
    return (*planned, gender)


async def answered(path: Path, texts: Sequence[str], *names: str) -> Store:
    """An open store whose plan these texts fill."""
    cells = builders.cells(spaces=["kitchen"], repetitions=len(texts))
    builders.write(path, cells, judges=judges(*(names or ("whole text",))))
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(cells)
    await builders.dispatch(store, trials)
    answers = [builders.answer(store, *pair) for pair in zip(trials, texts, strict=True)]
    await asyncio.gather(*map(store.append, answers))
    return store


def agent(
    store: Store,
    judge: Names | Genders,
    name: str | None = None,
    upstream_done: asyncio.Event | None = None,
) -> JudgeAgent:
    """An agent to which no more sources will come than there are, unless an event says when."""
    if upstream_done is None:
        upstream_done = asyncio.Event()
        upstream_done.set()
    name = name or judge.name
    (number,) = store.reader.execute(
        "SELECT id FROM judges WHERE task = ? AND name = ?", (judge.task, name)
    ).fetchone()
    reads = "name" if judge.task == "gender" else None
    return JudgeAgent(
        judge, name=name, judge_id=number, store=store, reads=reads, upstream_done=upstream_done
    )


async def run(store: Store, judge: Names | Genders, name: str | None = None) -> JudgeAgent:
    working = agent(store, judge, name)
    await working.run()
    return working


def progress(store: Store, task: str) -> JudgeProgress:
    return next(judge for judge in snapshot(store.reader).judges if judge.task == task)


def rows(store: Store, query: str) -> list[tuple]:
    return store.reader.execute(query).fetchall()


GENDERED = (
    "SELECT s.value, a.value, a.reason FROM _annotations a JOIN _annotations s ON s.seq = a.source"
    " ORDER BY a.source"
)


async def test_a_judge_of_batches_is_asked_about_each_text_once_and_closed(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "Tom", "Ana"])
    await run(store, Names())
    genders = Genders()
    await run(store, genders)
    assert genders.batches == [['"Ana"', '"Tom"']]
    assert genders.closed == 1
    assert rows(store, GENDERED) == [
        ('"Ana"', '"female"', "for Ana"),
        ('"Tom"', '"female"', "for Tom"),
        ('"Ana"', '"female"', "for Ana"),
    ]
    await store.close("complete")


async def test_a_judge_without_sources_is_never_started(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["-", "?"])
    await run(store, Names())
    genders = Genders()
    await run(store, genders)
    assert genders.batches == []
    await store.close("complete")


async def test_names_that_are_none_or_invalid_are_not_read_and_the_run_is_complete(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "-", "?", "Tom", "-"])
    before = progress(store, "gender")
    assert (before.planned, before.done, before.lag) == (5, 0, 0)
    await run(store, Names())
    between = progress(store, "gender")
    assert (between.planned, between.done, between.lag) == (2, 0, 2)
    assert snapshot(store.reader).state == "running"
    await run(store, Genders())
    after = progress(store, "gender")
    assert (after.planned, after.done, after.lag, after.invalid) == (2, 2, 0, 0)
    assert (progress(store, "name").done, progress(store, "name").invalid) == (5, 1)
    await store.close("incomplete")
    connection = connect(tmp_path / "a.db", read_only=True)
    assert snapshot(connection).state == "complete"
    connection.close()


async def test_names_are_counted_by_whether_there_is_one_and_categories_by_value(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "none", "-", "?", "invalid"])
    await run(store, Names())
    await run(store, Genders())
    counted = "SELECT j.task, y.label, y.count FROM tallies y JOIN judges j ON j.id = y.judge_id"
    assert sorted(rows(store, counted)) == [
        ("gender", "female", 3),
        ("name", "invalid", 1),
        ("name", "none", 1),
        ("name", "valid", 3),
    ]
    assert not any(wrong for _, wrong in verify(store.reader))
    await store.close("complete")


async def test_every_judge_of_names_has_its_names_read(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "-"], "first", "second")
    await run(store, Names(), "first")
    genders = progress(store, "gender")
    assert (genders.planned, genders.lag) == (3, 1)
    await run(store, Names(), "second")
    await run(store, Genders())
    genders = progress(store, "gender")
    assert (genders.planned, genders.done, genders.lag) == (2, 2, 0)
    await store.close("complete")


async def test_names_of_a_judge_that_is_no_longer_planned_are_not_read(tmp_path: Path):
    path = tmp_path / "a.db"
    store = await answered(path, ["Ana", "Tom"], "first")
    await run(store, Names(), "first")
    await store.close("incomplete")
    cells = builders.cells(spaces=["kitchen"], repetitions=2)
    builders.write(path, cells, judges=judges("second"))
    store = Store(path, builders.take_lock(path))
    genders = Genders()
    await run(store, genders)
    assert genders.batches == []
    assert (progress(store, "gender").planned, progress(store, "gender").lag) == (2, 0)
    await store.close("incomplete")


async def test_a_failed_batch_is_a_failure_of_its_sources_and_tried_again_next_time(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "Tom"])
    await run(store, Names())
    working = await run(store, Genders(lambda _: JudgeError("the process ended")))
    assert working.stopped_by is None
    assert rows(store, "SELECT kind, message FROM _failures") == [
        ("judge", "the process ended"),
        ("judge", "the process ended"),
    ]
    failed = progress(store, "gender")
    assert (failed.planned, failed.done, failed.failed, failed.lag) == (2, 0, 2, 0)
    genders = Genders()
    await run(store, genders)
    assert genders.batches == [['"Ana"', '"Tom"']]
    again = progress(store, "gender")
    assert (again.planned, again.done, again.failed, again.lag) == (2, 2, 0, 0)
    await store.close("complete")


async def test_a_bug_of_a_judge_of_one_text_is_a_failure_of_that_source_alone(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "!", "Tom"])
    await run(store, Names())
    assert rows(store, "SELECT message FROM _failures") == [("ValueError: a bug",)]
    assert (progress(store, "name").done, progress(store, "name").failed) == (2, 1)
    assert progress(store, "gender").planned == 2
    await store.close("complete")


async def test_too_few_verdicts_are_a_failure_and_no_annotation(tmp_path: Path):
    class Short(Genders):
        async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
            return (await super().judge_batch(values))[1:]

    store = await answered(tmp_path / "a.db", ["Ana", "Tom"])
    await run(store, Names())
    await run(store, Short())
    assert (progress(store, "gender").done, progress(store, "gender").failed) == (0, 2)
    await store.close("complete")


async def test_a_judge_that_has_to_stop_says_so_once_and_leaves_the_rest_open(tmp_path: Path):
    store = await answered(tmp_path / "a.db", [f"Name {n}" for n in range(250)])
    await run(store, Names())

    def fail(values: Sequence[str]) -> Exception | None:
        return JudgeStopped("the process ended") if '"Name 249"' in values else None

    genders = Genders(fail)
    working = await run(store, genders)
    assert working.stopped_by is not None
    assert genders.closed == 1
    assert snapshot(store.reader).alarms == ("judge gender/made up: stopped: the process ended",)
    stopped = progress(store, "gender")
    assert (stopped.planned, stopped.done, stopped.failed, stopped.lag) == (250, 200, 0, 50)
    genders = Genders()
    await run(store, genders)
    assert [len(batch) for batch in genders.batches] == [50]
    assert progress(store, "gender").done == 250
    await store.close("complete")


async def test_a_judge_is_closed_when_its_agent_is_cut_off(tmp_path: Path):
    class Slow(Genders):
        async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
            self.batches.append(list(values))
            await asyncio.Event().wait()
            return []

    store = await answered(tmp_path / "a.db", ["Ana"])
    await run(store, Names())
    slow = Slow()
    task = asyncio.create_task(agent(store, slow).run())
    while not slow.batches:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.closed == 1
    await store.close("incomplete")


class Hurried(Genders):
    """Waits until it is hurried, having read the first of its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.on_wait: Callable[[str], None] = lambda _: None
        self.waits_for: str | None = None
        self._enough = asyncio.Event()

    def hurry(self, grace_seconds: float) -> None:
        self._enough.set()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict | JudgeError]:
        said = await super().judge_batch(values)
        self.waits_for = "a while"
        for _ in range(2):
            self.on_wait("waiting for a while")
        await self._enough.wait()
        return [said[0], *(JudgeHurried("stopped") for _ in values[1:])]


async def test_what_a_hurried_judge_leaves_stays_open_without_a_failure(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "Tom", "Kim"])
    await run(store, Names())
    hurried = Hurried()
    working = agent(store, hurried, upstream_done=asyncio.Event())
    task = asyncio.create_task(working.run())
    while working.waits_for is None and not task.done():
        await asyncio.sleep(0)
    working.hurry(1.0)
    await task
    assert (working.stopped_by, hurried.closed) == (None, 1)
    left = progress(store, "gender")
    assert (left.planned, left.done, left.failed, left.lag) == (3, 1, 0, 2)
    assert snapshot(store.reader).alarms == ("judge gender/made up: waiting for a while",)
    genders = Genders()
    await run(store, genders)
    assert genders.batches == [['"Tom"', '"Kim"']]
    assert progress(store, "gender").done == 3
    await store.close("complete")


async def test_names_that_come_later_are_read_until_their_judges_have_ended(tmp_path: Path):
    store = await answered(tmp_path / "a.db", ["Ana", "Tom"])
    genders = Genders()
    named = asyncio.Event()
    following = asyncio.create_task(agent(store, genders, upstream_done=named).run())
    await run(store, Names())
    named.set()
    await following
    assert progress(store, "gender").done == 2
    await store.close("complete")
