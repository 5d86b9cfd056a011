"""A process that answers batches: what it gives, and what becomes of it when something ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from agents.worker import MOST_RESTARTS, Worker
from auditor.errors import JudgeError, JudgeStopped

pytestmark = pytest.mark.asyncio(loop_scope="module")
TOLD = "tests.agents.worker_handlers:told"
MOST_SECONDS = 30.0


@asynccontextmanager
async def opened(
    place: str = TOLD, longest_seconds: float = 60, **settings
) -> AsyncIterator[Worker]:
    worker = Worker(place, settings, name="the judge", longest_seconds=longest_seconds)
    try:
        yield worker
    finally:
        await worker.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared() -> AsyncIterator[Worker]:
    async with opened(suffix="!") as worker:
        yield worker


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def comes_true(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + MOST_SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


async def test_answers_come_in_the_order_of_their_values_from_one_process(shared):
    assert await shared.answer(["a", "b", "a"]) == ["a!", "b!", "a!"]
    first = shared.pid
    assert await shared.answer([]) == []
    assert await shared.answer(["c", None, 1.5]) == ["c!", None, 1.5]
    assert shared.pid == first


async def test_batches_asked_for_at_once_each_get_their_own_answers(shared):
    answers = await asyncio.gather(*(shared.answer([str(n)] * n) for n in range(20)))
    assert answers == [[f"{n}!"] * n for n in range(20)]


async def test_any_text_comes_through_whatever_it_holds(shared):
    texts = ["\ud800 alone", "\x00", "名前", "line\nline\r\n", "x" * 3_000_000]
    assert await shared.answer(texts) == [f"{text}!" for text in texts]


async def test_what_a_library_prints_does_not_get_into_the_answers(shared):
    assert await shared.answer(["print", "a"]) == ["print!", "a!"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("raise", "the judge: ValueError: no such name"),
        ("skip", "the judge: ValueError: 1 answers to 2 values"),
        ("no json", "the judge: TypeError: Object of type set is not JSON serializable"),
    ],
)
async def test_an_error_loses_its_own_batch_and_not_the_process(value, said, shared):
    await shared.start()
    before = shared.pid
    with pytest.raises(JudgeError) as caught:
        await shared.answer([value, "a"])
    assert not isinstance(caught.value, JudgeStopped)
    assert caught.value.message == said
    assert await shared.answer(["a"]) == ["a!"]
    assert shared.pid == before


async def test_a_crash_loses_its_own_batch_and_the_next_has_a_fresh_process():
    async with opened() as worker:
        with pytest.raises(JudgeError) as caught:
            await worker.answer(["a", "die"])
        assert caught.value.message == (
            "the process of the judge was ended by signal 9 while it answered a batch"
        )
        assert worker.pid is None
        assert await worker.answer(["a"]) == ["a"]


async def test_after_two_restarts_a_crash_stops_it_for_good():
    async with opened() as worker:
        for _ in range(MOST_RESTARTS):
            with pytest.raises(JudgeError) as caught:
                await worker.answer(["leave"])
            assert not isinstance(caught.value, JudgeStopped)
        for value in ("leave", "a"):
            with pytest.raises(JudgeStopped) as stopped:
                await worker.answer([value])
            assert stopped.value.message == (
                "the process of the judge ended with exit code 3 while it answered a batch,"
                " after 2 restarts"
            )
        assert worker.pid is None


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("tests.agents.worker_handlers:broken", "FileNotFoundError: no table of names"),
        ("tests.agents.no_such_module:told", "ModuleNotFoundError: No module named"),
        ("tests.agents.worker_handlers:no_such_name", "AttributeError: module"),
    ],
)
async def test_what_cannot_be_loaded_is_not_tried_again(place, said):
    async with opened(place) as worker:
        for _ in range(2):
            with pytest.raises(JudgeStopped) as caught:
                await worker.start()
            assert caught.value.message.startswith(f"the judge: {said}")
        assert worker.pid is None


async def test_a_crash_while_loading_is_tried_again_and_then_stops_it(tmp_path: Path):
    note = tmp_path / "note"
    async with opened("tests.agents.worker_handlers:leaving", note=str(note)) as worker:
        with pytest.raises(JudgeStopped) as caught:
            await worker.answer(["a"])
    assert caught.value.message == (
        "the process of the judge ended with exit code 4 while it loaded, after 2 restarts"
    )
    assert note.read_text() == "xxx"


async def test_a_batch_that_takes_too_long_counts_as_a_crash():
    async with opened(longest_seconds=0.1) as worker:
        await worker.start()
        hanging = worker.pid
        assert hanging is not None
        with pytest.raises(JudgeError) as caught:
            await worker.answer(["hang"])
        assert caught.value.message == (
            "the process of the judge took too long while it answered a batch"
        )
        assert not is_alive(hanging)


async def test_a_batch_that_is_cut_off_leaves_no_answer_to_the_next():
    async with opened() as worker:
        await worker.start()
        batch = asyncio.create_task(worker.answer(["hang"]))
        for _ in range(10):
            await asyncio.sleep(0)
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
        assert await worker.answer(["a"]) == ["a"]


async def test_closing_ends_the_process_and_it_may_be_started_again():
    async with opened() as worker:
        await worker.close()
        await worker.start()
        first = worker.pid
        assert first is not None
        await worker.close()
        await worker.close()
        assert worker.pid is None
        assert not is_alive(first)
        assert await worker.answer(["a"]) == ["a"]


async def test_ctrl_c_in_the_terminal_does_not_reach_it(shared):
    [[pid, session]] = await shared.answer(["where"])
    assert session == pid != os.getsid(0)
    os.kill(pid, signal.SIGINT)
    assert (await shared.answer(["where"]))[0][0] == pid


async def test_modules_of_the_current_folder_do_not_take_the_place_of_installed_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("agents", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    async with opened() as worker:
        assert await worker.answer(["a"]) == ["a"]


_PARENT = """
import asyncio
from agents.worker import Worker

async def main():
    worker = Worker("tests.agents.worker_handlers:told", name="the judge")
    await worker.start()
    print(worker.pid, flush=True)
    await worker.answer([{value!r}])
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("value", ["a", "hang"], ids=["idle", "busy"])
async def test_no_process_is_left_behind_when_its_parent_is_killed(value):
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT.format(value=value)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry or "." for entry in sys.path)},
    )
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
    assert is_alive(pid)
    parent.kill()
    parent.wait()
    assert comes_true(lambda: not is_alive(pid))
