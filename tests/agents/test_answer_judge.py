"""Offline judges that see what of a trial they name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from agents.judge import JudgeAgent
from agents.judges.base import Answer, Verdict
from auditor.store.plan_record import PlannedJudge
from auditor.store.store import Store
from auditor.types import JSON
from tests import builders


class Witness:
    """Says what it was given."""

    task, name = "choice", "witness"
    configuration: Mapping[str, JSON] = {}

    def __init__(self, *sees: str) -> None:
        self.sees = frozenset(sees)

    def judge_answer(self, answer: Answer) -> Verdict:
        if answer.text == "!":
            raise ValueError("a bug")
        prompt = None if answer.prompt is None else [turn.content for turn in answer.prompt]
        return Verdict(True, [answer.text, dict(answer.factors), prompt])


async def told(path: Path, judge: Witness, text: str = "same") -> list[tuple]:
    """Value or reason of each annotation, and message of each failure, by space."""
    cells = builders.cells(spaces=["kitchen", "garage"], repetitions=1)
    planned = PlannedJudge(
        task="choice",
        name=judge.name,
        hash=b"witness".ljust(16),
        configuration={},
        protocols=("spatial.explicit",),
    )
    builders.write(path, cells, judges=(planned,))
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(cells)
    await builders.dispatch(store, trials)
    for trial in trials:
        await store.append(builders.answer(store, trial, text))
    done = asyncio.Event()
    done.set()
    (number,) = store.reader.execute("SELECT id FROM judges").fetchone()
    await JudgeAgent(
        judge, name=judge.name, judge_id=number, store=store, reads=None, upstream_done=done
    ).run()
    rows = store.reader.execute("SELECT value FROM _annotations ORDER BY source").fetchall()
    rows += store.reader.execute("SELECT message FROM _failures").fetchall()
    await store.close("complete")
    return [value for (value,) in rows]


async def test_a_judge_of_answers_gets_the_factors_of_each_trial(tmp_path):
    """Also where two texts are equal: only their trials tell them apart."""
    found = [json.loads(value) for value in await told(tmp_path / "a.db", Witness("factors"))]
    assert [text for text, _, _ in found] == ["same", "same"]
    assert [factors["space"] for _, factors, _ in found] == ["kitchen", "garage"]
    assert [prompt for _, _, prompt in found] == [None, None]


async def test_a_judge_of_answers_gets_the_prompt_where_it_asks_for_it(tmp_path):
    found = [json.loads(value) for value in await told(tmp_path / "a.db", Witness("prompt"))]
    expected = [
        [turn.content for turn in cell.messages]
        for cell in builders.cells(spaces=["kitchen", "garage"], repetitions=1)
    ]
    assert [prompt for _, _, prompt in found] == expected
    assert [factors for _, factors, _ in found] == [{}, {}]


async def test_a_judge_of_answers_that_fails_loses_its_own_annotation(tmp_path):
    assert await told(tmp_path / "a.db", Witness("factors"), "!") == ["ValueError: a bug"] * 2


@pytest.mark.parametrize("name", ["judge", "judge_batch"])
def test_a_judge_of_answers_is_no_other_kind(name):
    assert not hasattr(Witness(), name)
