"""A judge that is a command: its faults stay its own, and its hash is all that it goes by."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.judges.base import Verdict
from agents.judges.command import open_command
from agents.judges.command_judge import MOST_IN_VAIN, Bench, LineJudge
from auditor.errors import JudgeError, JudgeStopped, UsageError
from auditor.types import JSON
from tests.passing_time import let_pass, until

SCRIPT = Path(__file__).with_name("command_script.py")
PYTHON = (sys.executable, "-S", "-E")
"""Starts in some 20 ms."""
ALLOWED = ("a", "b", "c", "d", "e")


def check(value: JSON) -> str | None:
    return None if value in ALLOWED else "a letter from a to e"


BENCH = Bench(protocol="p", task="letter", reads=None, check=check)


def command(
    *words: str, folder: Path = SCRIPT.parent, bench: Bench = BENCH, **options: object
) -> LineJudge:
    return open_command(
        [*PYTHON, SCRIPT.name, *words], folder=folder, bench=bench, name="mine", **options
    )


@asynccontextmanager
async def running(*words: str, **options: object):
    judge = command(*words, **options)
    try:
        yield judge
    finally:
        await judge.close()
        assert judge.pid is None


def valid(*letters: str) -> list[Verdict]:
    return [Verdict(True, letter) for letter in letters]


async def test_texts_are_answered_in_their_order():
    async with running() as judge:
        assert await judge.judge_batch(["A", "B", "C"]) == valid("a", "b", "c")
        pid = judge.pid
        assert await judge.judge_batch(["D"]) == valid("d")
        assert judge.pid == pid, "it was started again"


async def test_answers_may_come_in_any_order():
    async with running("backwards") as judge:
        assert await judge.judge_batch(["A", "B", "C"]) == valid("a", "b", "c")


async def test_a_value_that_the_protocol_refuses_is_invalid():
    async with running() as judge:
        assert await judge.judge_batch(["A", "ZZZ", "INVALID"]) == [
            Verdict(True, "a"),
            Verdict(False, reason="value not allowed"),
            Verdict(False, reason="not decided"),
        ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("DIE", "ended with exit code 3; its last words: a fatal error"),
        ("HANG", "gave no answer in 60 s (does it flush its output after each line?)"),
        ("GARBAGE", "printed a line that is not JSON: oops"),
        ("LONG", "printed a line of more than 1,048,576 bytes"),
        ("STRANGER", "answered a request that was not under way: 'no such id'"),
    ],
)
async def test_a_text_at_which_it_fails_takes_no_other_along(text, said, hangs):
    async with running("hello", "1", timeout_seconds=60.0) as judge:
        work = asyncio.create_task(judge.judge_batch(["A", "B", text, "C", "D"]))
        # It is asked again, last and alone.
        for seen in ((1, "3 lines"), (2, "1 line")) if text == "HANG" else ():
            await until(lambda seen=seen: (hangs(), judge.waits_for) == seen)
            let_pass(60.0)
        answers = await work
        assert answers[:2] + answers[3:] == valid("a", "b", "c", "d")
        assert isinstance(answers[2], JudgeError)
        assert not isinstance(answers[2], JudgeStopped)
        assert said in answers[2].message
        assert await judge.judge_batch(["E"]) == valid("e")


async def test_an_error_that_it_tells_of_needs_no_restart(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "very-secret-0123")
    async with running() as judge:
        await judge.start()
        pid = judge.pid
        failure, good = await judge.judge_batch(["ERROR", "A"])
        assert isinstance(failure, JudgeError)
        assert failure.message == "the table is gone [hidden]"
        assert good == Verdict(True, "a")
        assert judge.pid == pid


async def test_no_key_that_it_repeats_is_kept_with_a_verdict(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", 'very-"secret"-0123')
    bench = Bench(protocol="p", task="letter", reads=None, check=lambda _: None)
    async with running(bench=bench) as judge:
        assert await judge.judge_batch(["REMARK", "KEY", "A"]) == [
            Verdict(True, "a", "by [hidden]"),
            Verdict(False, reason="value holds a key"),
            Verdict(True, "a"),
        ]


async def test_one_that_never_answers_is_given_up_and_says_so_from_then_on():
    async with running() as judge:
        with pytest.raises(JudgeStopped) as caught:
            await judge.judge_batch(["DIE"] * 10)
        assert f"it has failed {MOST_IN_VAIN} times and is not started again" in str(caught.value)
        assert "resume" in str(caught.value.hint)
        with pytest.raises(JudgeStopped):
            await judge.judge_batch(["A"])


async def test_what_it_has_answered_before_it_is_given_up_is_kept():
    async with running() as judge:
        answers = await judge.judge_batch(["A", *["DIE"] * 10, "B"])
        assert answers[0] == Verdict(True, "a")
        assert all(isinstance(answer, JudgeError) for answer in answers[1:])
        with pytest.raises(JudgeStopped):
            await judge.judge_batch(["A"])


async def test_a_hello_that_changes_stops_the_judge():
    """Its verdicts would stand under the hash of another configuration."""
    async with running("changing") as judge:
        with pytest.raises(JudgeStopped, match="another configuration than when it was tried"):
            await judge.judge_batch(["A"])


async def test_a_hello_that_stays_is_part_of_the_configuration():
    async with running("hello", "1.2") as judge:
        assert judge.configuration["hello"] == {"version": "1.2"}
        assert await judge.judge_batch(["A"]) == valid("a")


def test_its_configuration_is_the_command_line_its_files_and_its_hello(tmp_path):
    script = tmp_path / SCRIPT.name
    script.write_bytes(SCRIPT.read_bytes())
    first = command("plain", folder=tmp_path).configuration
    assert first["command"] == [*PYTHON, SCRIPT.name, "plain"]
    assert set(first["files"]) == {sys.executable, SCRIPT.name}
    assert first["hello"] is None
    assert str(tmp_path) not in str(first), "the same judge in another folder is the same"
    assert command("plain", folder=tmp_path).configuration == first
    assert command("backwards", folder=tmp_path).configuration != first
    script.write_text(script.read_text() + "\n# another version\n")
    changed = command("plain", folder=tmp_path).configuration
    assert changed["files"][SCRIPT.name] != first["files"][SCRIPT.name]


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("fails", "ended with exit code 4 when it was tried without any request"),
        ("loud", "printed a line that is not JSON: loading the model ..."),
    ],
)
def test_one_that_does_not_start_is_refused_with_its_last_words(mode, said, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "very-secret-0123")
    with pytest.raises(UsageError) as caught:
        command(mode)
    assert caught.value.message.startswith("command: ")
    assert said in caught.value.message
    if mode == "fails":
        assert "last words: first | \\x1b[31mno model\\x07 file | [hidden]" in caught.value.message


def test_a_hello_that_holds_a_key_is_refused(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "very-secret-0123")
    with pytest.raises(UsageError) as caught:
        command("hello", "very-secret-0123")
    assert "holds a key" in caught.value.message
    assert "very-secret" not in caught.value.message


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("./not-there", "not-there is not there"),
        ("no-such-program-anywhere", "there is no program 'no-such-program-anywhere' in PATH"),
        ("./folder", "folder is a folder"),
        ("./plain.txt", "plain.txt may not be executed"),
        ("./broken", "cannot be started"),
    ],
)
def test_a_program_that_cannot_be_run_is_said(word, said, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain.txt").write_text("words")
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    bench = Bench(protocol="p", task="letter", reads=None, check=check)
    with pytest.raises(UsageError) as caught:
        open_command([word], folder=tmp_path, bench=bench, name="mine")
    assert said in caught.value.message
    assert "; allowed: a program that reads requests" in caught.value.message
