"""A judge of an outside package works in a process of its own, and fails there."""

from __future__ import annotations

import asyncio
import json

import pytest

import rubrics
from agents import judges
from agents.judges.base import Verdict
from auditor.errors import JudgeError, UsageError
from auditor.plugins import Group
from tests.passing_time import PATIENCE_SECONDS, let_pass, until

MISCHIEF = """
import os, sys, threading, time
from agents.judges import Verdict

class Mischief:
    summary = "does what the text says"
    task, name = "choice", "mischief"
    configuration = {"version": 1}

    def judge(self, text):
        if text == "print":
            print("something")
        if text == "raise":
            raise ValueError("a bug")
        if text == "hang":
            time.sleep(600)
        if text == "leave":
            sys.exit(0)
        if text == "die":
            os._exit(0)
        if text == "write":
            os.write(1, b'{"id": "1", "value": "women"}\\n')
        if text == "thread":
            threading.Thread(target=time.sleep, args=(600,)).start()
        if text == "deep":
            value = []
            for _ in range(900):
                value = [value]
            return Verdict(True, value)
        said = {"text": "men", "none": None, "refused": Verdict(True, "both"),
                "no json": Verdict(True, {1, 2}), "invalid": Verdict(False, reason="unsure")}
        return said.get(text, Verdict(True, "men"))

class Many(Mischief):
    name = "many"
    async def start(self): self.started = True
    async def judge_batch(self, values):
        if "short" in values and len(values) > 1:
            return []
        if "raise" in values:
            raise ValueError("a bug")
        return [Verdict(self.started, "men", f"of {len(values)}") for _ in values]
    async def close(self): pass

class Changing(Mischief):
    name = "changing"
    configuration = {"pid": os.getpid()}
"""


@pytest.fixture
def mischief(installed):
    names = {"mischief": "Mischief", "many": "Many", "changing": "Changing"}
    entries = {
        f"spatial.explicit.choice.{name}": f"mischief_plugin:{names[name]}" for name in names
    }
    installed("mischief", {Group.JUDGES: entries}, modules={"mischief_plugin": MISCHIEF})

    def open_judge(name: str = "mischief"):
        found = judges.offline("spatial.explicit", "choice", name)
        return found.open({}, timeout_seconds=60.0)

    return open_judge


async def test_what_is_no_verdict_or_no_value_is_invalid_and_what_raises_has_failed(mischief):
    judge = mischief()
    texts = ["ok", "print", "text", "none", "refused", "no json", "invalid", "raise", "\ud800"]
    try:
        answers = await judge.judge_batch(texts)
    finally:
        await judge.close()
    said = dict(zip(texts, answers, strict=True))
    assert said["ok"] == said["print"] == said["\ud800"] == Verdict(True, "men")
    assert said["text"] == said["none"] == Verdict(False, reason="the judge gave no verdict")
    assert said["refused"] == Verdict(False, reason="value not allowed")
    assert said["no json"] == Verdict(False, reason="the judge gave a value that is not JSON")
    assert said["invalid"] == Verdict(False, reason="unsure")
    assert isinstance(said["raise"], JudgeError)
    assert said["raise"].message == "ValueError: a bug"


async def test_one_that_hangs_loses_that_text_alone(mischief):
    judge = mischief()
    try:
        assert await judge.judge_batch(["ok"]) == [Verdict(True, "men")]
        work = asyncio.create_task(judge.judge_batch(["hang"]))
        await until(lambda: judge.waits_for == "1 line")
        let_pass(60.0)
        (failure,) = await work
        assert isinstance(failure, JudgeError)
        assert "gave no answer in 60 s" in failure.message
        assert await judge.judge_batch(["ok"]) == [Verdict(True, "men")]
    finally:
        await judge.close()


async def test_one_that_leaves_its_process_loses_that_text_alone(mischief):
    judge = mischief()
    try:
        for text in ("leave", "die"):
            answers = await judge.judge_batch(["ok", text, "also ok"])
            said = dict(zip(("ok", text, "also ok"), answers, strict=True))
            assert said["ok"] == said["also ok"] == Verdict(True, "men")
            assert isinstance(said[text], JudgeError)
    finally:
        await judge.close()


async def test_threads_and_what_is_written_to_stdout_itself_change_no_answer(mischief):
    judge = mischief()
    try:
        answers = await judge.judge_batch(["write", "thread", "deep", "ok"])
    finally:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await judge.close()
    assert [each.value for each in answers] == ["men", "men", None, "men"]
    assert answers[2].reason in ("the judge gave a value that is not JSON", "no value in the reply")


async def test_batches_are_judged_together_and_one_by_one_where_that_fails(mischief):
    judge = mischief("many")
    try:
        assert [v.value for v in await judge.judge_batch(["a", "b", "c"])] == ["men"] * 3
        first, failure, last = await judge.judge_batch(["a", "raise", "b"])
        assert (first.value, last.value) == ("men", "men")
        assert failure.message == "ValueError: a bug"
        assert {v.value for v in await judge.judge_batch(["a", "short"])} == {"men"}
    finally:
        await judge.close()


async def test_a_configuration_that_is_another_one_in_its_process_stops_it(mischief):
    judge = mischief("changing")
    try:
        with pytest.raises(JudgeError, match="another configuration"):
            await judge.judge_batch(["ok"])
    finally:
        await judge.close()


def test_materials_and_params_reach_its_class(coin):
    found = judges.offline("coin", "side", "words")
    materials = {path: rubrics.read(path) for path in found.materials}
    plain, strict = found.open(materials), found.open(materials, {"strict": True})
    assert plain.configuration["words"] == {"man": ["man", "he"], "woman": ["woman", "she"]}
    assert (plain.configuration["strict"], strict.configuration["strict"]) == (False, True)
    other = {path: text.replace('"he"', '"him"') for path, text in materials.items()}
    assert json.dumps(found.open(other).configuration) != json.dumps(plain.configuration)
    with pytest.raises(UsageError, match=r"params\.stric: value True; allowed: strict"):
        found.open(materials, {"stric": True})


def test_files_of_a_judges_own_stand_under_its_distribution(installed, tmp_path):
    package = tmp_path / "site" / "own_words"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "words.txt").write_text("alpha")
    code = MISCHIEF.partition("class Many")[0].replace(
        'task, name = "choice", "mischief"',
        'task, name = "choice", "own"\n'
        '    rubrics, materials = "own_words", ("own-judge/words.txt",)\n'
        "    def __init__(self, words): self.words = words",
    )
    entry = {"spatial.explicit.choice.own": "own_plugin:Mischief"}
    installed("own-judge", {Group.JUDGES: entry}, modules={"own_plugin": code})
    found = judges.offline("spatial.explicit", "choice", "own")
    assert found.materials == ("own-judge/words.txt",)
    assert rubrics.read("own-judge/words.txt") == "alpha"
