"""The offline judges on any text, factors and log-probabilities."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from hypothesis import strategies as st

import agents.judges
import rubrics
from agents.judges.base import Answer, Verdict, is_answer_judge, is_truth
from agents.judges.gender import GenderJudge
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.protocols.additions import is_value_checker
from auditor.protocols.base import Materials
from tests.fuzzing.inputs import JSON_TEXT, TEXT, mostly, mutated_json
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.fuzzing.storable import is_finite

_PROMPTS = 40
_SCORES = ({"reward": 1.5}, {"log_probability": -3.25, "tokens": 2})
_PARAMS: dict[str, dict[str, Any]] = {"name": {"spacy_model": "none"}}
"""Of judges that would load a language model."""


@lru_cache(maxsize=1)
def _materials() -> Materials:
    return {path: rubrics.read(path) for path in rubrics.names()}


def judged(protocol: str, task: str, name: str) -> Callable[[str, Any], Verdict]:
    """A judge as a function of a text and log-probabilities; it asks the protocol's prompts."""
    offline = agents.judges.offline(protocol, task, name)
    judge = offline.open(_materials(), _PARAMS.get(task) if offline.takes_params else None)
    if not is_answer_judge(judge):
        assert is_truth(judge)
        return lambda text, _: judge.judge(text)
    spoken = protocols.get(protocol)
    materials = {path: _materials()[path] for path in spoken.materials}
    prompts = list(islice(spoken.prompts(spoken.params_type(), materials), _PROMPTS))

    def judge_one(text: str, logprobs: Any) -> Verdict:
        prompt = prompts[len(text) % len(prompts)]
        return judge.judge_answer(Answer(text, prompt.factors, prompt.messages, logprobs))

    return judge_one


def check_verdict(protocol: str, task: str, verdict: Verdict) -> str:
    """A valid verdict holds a value that the task may take; an invalid one says why."""
    if not verdict.valid:
        assert verdict.value is None
        assert verdict.reason
        assert len(verdict.reason) <= 200
        return REFUSED
    assert is_finite(verdict.value)
    canonical_json(verdict.value)
    spoken = protocols.get(protocol)
    allowed = (
        spoken.check_value_by(task, verdict.value, _materials())
        if is_value_checker(spoken)
        else spoken.check_value(task, verdict.value)
    )
    assert allowed is None, f"{verdict.value!r}; allowed: {allowed}"
    return TAKEN


def _named(protocol: str, task: str, name: str) -> None:
    opened = lru_cache(maxsize=1)(lambda: judged(protocol, task, name))
    texts = mostly(mutated_json(*_SCORES), TEXT) if task == "score" else TEXT

    @fuzzed(f"judge {protocol} {task}/{name}", texts)
    def outcome(text: str) -> str:
        verdict = opened()(text, None)
        assert opened()(text, None) == verdict
        return check_verdict(protocol, task, verdict)


IN_PROCESS = [
    (row.protocol, row.task, row.name)
    for row in agents.judges.table()
    if row.task not in ("adjectives", "agency", "token_mass", "gender")
]
"""Judges that read a text here and at once."""
for _row in IN_PROCESS:
    _named(*_row)

_CHAT = {
    "content": [
        {"token": " ", "logprob": -0.1, "top_logprobs": []},
        {
            "token": "Men",
            "logprob": -0.5,
            "top_logprobs": [
                {"token": "Men", "logprob": -0.5},
                {"token": " women", "logprob": -0.9},
            ],
        },
    ]
}
_TABLE = {"Men": -0.5, "women": -1.5, " men": -9999, "x": -0.1}


@fuzzed("judge spatial.probability token_mass/tokens", mutated_json(_CHAT, _TABLE) | JSON_TEXT)
def token_mass(text: str) -> str:
    """Log-probabilities as a store gives them back: whatever Python reads."""
    try:
        logprobs = json.loads(text)
    except (ValueError, RecursionError):
        return REFUSED
    read = _token_mass()
    verdict = read("", logprobs)
    assert read("", logprobs) == verdict
    if verdict.valid:
        assert all(v is None or (math.isfinite(v) and v <= 1) for v in verdict.value.values())
    return check_verdict("spatial.probability", "token_mass", verdict)


@lru_cache(maxsize=1)
def _token_mass() -> Callable[[str, Any], Verdict]:
    return judged("spatial.probability", "token_mass", "tokens")


@fuzzed("judge stories gender/nomquamgender", (TEXT | st.none()).map(json.dumps) | JSON_TEXT)
def gender(text: str) -> str:
    """Names as they stand in annotations: JSON."""
    try:
        text = canonical_json(json.loads(text))
    except (ValueError, RecursionError):
        return REFUSED
    verdict = asyncio.run(_gender().judge_batch([text]))[0]
    assert asyncio.run(_gender().judge_batch([text]))[0] == verdict
    return check_verdict("stories", "gender", verdict)


class _AnyTable:
    """In the place of the process that holds the table of names: it has every name."""

    async def answer(self, names: Sequence[str]) -> list[list[float]]:
        return [[len(name) % 11 / 10, len(name)] for name in names]


@lru_cache(maxsize=1)
def _gender() -> GenderJudge:
    return GenderJudge(_materials()["stories/gender_rules.toml"], worker=_AnyTable())
