"""A command that does not come back: it is told, given up in bounded time, and never orphaned."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest

from agents.judges.base import Verdict
from agents.judges.command import open_command
from agents.judges.command_judge import MOST_TIMEOUTS, Bench, LineJudge
from agents.judges.command_process import LineProcess, kill_all
from auditor.errors import JudgeError, JudgeHurried, JudgeStopped
from auditor.waiting import speak_by
from tests.passing_time import let_pass, until

SCRIPT = Path(__file__).with_name("command_script.py")
PYTHON = (sys.executable, "-S", "-E")
BENCH = Bench(protocol="p", task="letter", reads=None, check=lambda _: None)
LOADED = ("hello", "1")
"""It says that it has loaded, so that the time-out of later answers is the one that counts."""


def command(*words: str, **options: object) -> LineJudge:
    line = [*PYTHON, SCRIPT.name, *(words or LOADED)]
    return open_command(line, folder=SCRIPT.parent, bench=BENCH, name="mine", **options)


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def hanging(judge: LineJudge, texts: list[str], left: int) -> asyncio.Task[list[object]]:
    """Its work on these texts, once so many of them are waited for."""
    work = asyncio.create_task(judge.judge_batch(texts))
    words = "1 line" if left == 1 else f"{left} lines"
    await until(lambda: judge.waits_for == words)
    return work


async def test_hurried_it_keeps_what_was_answered_and_leaves_the_rest_open():
    judge = command()
    work = await hanging(judge, ["A", "B", "HANG", "C"], 2)
    pid = judge.pid
    assert pid is not None
    judge.hurry(0.0)
    answers = await work
    assert answers[:2] == [Verdict(True, "a"), Verdict(True, "b")]
    assert [type(answer) for answer in answers[2:]] == [JudgeHurried, JudgeHurried]
    assert judge.waits_for is None
    assert not lives(pid)
    assert [type(answer) for answer in await judge.judge_batch(["D"])] == [JudgeHurried]


async def test_in_its_grace_it_still_answers():
    judge = command("backwards")
    work = await hanging(judge, ["A", "B", "C", "D"], 1)
    judge.hurry(0.05)
    answers = await work
    assert answers[:3] == [Verdict(True, "a"), Verdict(True, "b"), Verdict(True, "c")]
    assert isinstance(answers[3], JudgeHurried)


async def test_cancelled_it_kills_the_program_and_its_children_at_once(monkeypatch):
    # Were it given time to end by itself, that would be days.
    for end in (LineProcess.end, LineJudge._end):
        monkeypatch.setattr(end, "__defaults__", (1e6,))
    judge = command()
    (said,) = await judge.judge_batch(["CHILD"])
    assert isinstance(said, JudgeError)
    child = int(said.message)
    assert lives(child)
    work = await hanging(judge, ["HANG"], 1)
    pid = judge.pid
    assert pid is not None
    work.cancel()
    await until(work.done)
    assert work.cancelled()
    await until(lambda: not lives(pid) and not lives(child))


async def test_a_process_that_leaves_at_once_takes_its_programs_along():
    judge = command()
    work = await hanging(judge, ["HANG"], 1)
    pid = judge.pid
    assert pid is not None
    kill_all()
    await until(lambda: not lives(pid))
    work.cancel()
    await asyncio.wait([work])


@pytest.mark.parametrize("text", ["HANG", "UNFLUSHED"])
async def test_one_that_answers_nothing_in_time_is_started_twice_and_not_again(text):
    judge = command(timeout_seconds=0.05)
    with pytest.raises(JudgeStopped) as caught:
        await judge.judge_batch([text] * 40)
    assert f"it has failed {MOST_TIMEOUTS} times and is not started again" in caught.value.message
    assert "gave no answer in 0.05 s" in caught.value.message


async def test_a_text_at_which_it_hangs_first_of_all_takes_no_other_along(hangs):
    judge = command(timeout_seconds=60.0)
    work = asyncio.create_task(judge.judge_batch(["HANG", "A", "B"]))
    # It is asked again, last and alone.
    for times in (1, 2):
        await until(lambda times=times: hangs() == times)
        let_pass(60.0)
    hung, *others = await work
    assert isinstance(hung, JudgeError)
    assert not isinstance(hung, JudgeStopped)
    assert others == [Verdict(True, "a"), Verdict(True, "b")]
    await judge.close()


async def test_a_long_wait_is_told_with_its_end():
    judge = command(timeout_seconds=30.0)
    told: list[str] = []
    judge.on_wait = told.append
    await judge.start()
    judge.words_after_seconds = 0.01
    work = await hanging(judge, ["A", "HANG", "B"], 2)
    await until(lambda: told and "2 lines" in told[-1])
    assert told[-1] == "waiting for 2 lines for 0.01 s; gives up after 30 s without one"
    work.cancel()
    await asyncio.wait([work])


def test_a_trial_that_takes_long_is_told_with_its_end(tmp_path):
    """The program does not end before it has been told of."""
    told: list[str] = []
    os.mkfifo(tmp_path / "end")

    def tell(words: str) -> None:
        told.append(words)
        (tmp_path / "end").write_text("")

    context = copy_context()
    context.run(speak_by, tell)
    line = [*PYTHON, "-c", "open('end').read()"]
    options = {"folder": tmp_path, "bench": BENCH, "name": "mine", "words_after_seconds": 0.01}
    context.run(open_command, line, **options)
    assert told == [
        f"command: {sys.executable} is tried without any request: waiting for it to end, 120 s at"
        " most"
    ]


PARENT = """
import asyncio, sys
from agents.judges.command_process import Launch, LineProcess

async def main():
    process = await LineProcess.start(Launch(argv=sys.argv[1:]))
    print(process.pid, flush=True)
    await process.receive()

asyncio.run(main())
"""


async def test_a_program_that_hangs_ends_with_a_process_that_was_killed():
    """It reads nothing, so that the end of its stdin goes unnoticed."""
    sleeper = ("/bin/sh", "-c", "sleep 600; true")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *sleeper],
        cwd=SCRIPT.parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert lives(pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    await until(lambda: not lives(pid))
