"""Models that judge `rubric` over real HTTP: what is sent in each wire format, what comes back."""

import json
import re
import tomllib
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.judges.model.fence import defused
from auditor.providers import open_provider
from auditor.types import EndpointConfig
from tests.grap_pairs import DIMENSIONS, cells, scores
from tests.judging import JudgeBench, rubric_judge
from tests.mock_server import MockServer, Said

INJECTIONS = Path(__file__).parents[1] / "judges" / "injections.toml"
ATTEMPTS = [attempt["text"] for attempt in tomllib.loads(INJECTIONS.read_text())["attempts"]]
FENCES = re.compile(r"\[begin ([0-9a-f]{16})\]\n(.*?)\n\[end \1\]", re.DOTALL)
WIRES = pytest.mark.parametrize("wire", ["openai", "anthropic"])
SAID = "SELECT valid, value, reason, raw FROM annotations"


@asynccontextmanager
async def judged(tmp_path, wire, texts, answer, *, setting="response_only", wish=None, **options):
    """A judge that has read these answers over HTTP, with the server that answered."""
    async with MockServer(answer=answer, record=True) as mock:
        config = EndpointConfig(
            name="mock",
            provider=wire,
            base_url=mock.anthropic_url if wire == "anthropic" else mock.openai_url,
            concurrency=4,
        )
        wishes = {} if wish is None else {"wish": wish}
        work = JudgeBench(
            tmp_path / f"{wire}.db",
            None,
            judge=rubric_judge(setting, provider=wire, options=options),
            planned=cells((len(texts) + 1) // 2, **wishes),
            provider_for=lambda _api, _model: open_provider(config, api_key="sk", profile=None),
        )
        try:
            await work.respond(texts)
            await work.run()
            yield work, mock
        finally:
            await work.close()


def parts(wire, body) -> tuple[str, list[str]]:
    """(what is instruction, the turns after it) of a body."""
    if wire == "anthropic":
        return body["system"], [turn["content"] for turn in body["messages"]]
    return body["messages"][0]["content"], [turn["content"] for turn in body["messages"][1:]]


def always(value):
    return lambda _: Said(text=json.dumps(value))


def in_turn(*values):
    left = list(values)
    return lambda _: Said(text=v if isinstance(v := left.pop(0), str) else json.dumps(v))


@WIRES
@pytest.mark.parametrize("setting", ["full", "response_only"])
async def test_an_answer_never_leaves_its_fence(tmp_path, wire, setting) -> None:
    run = judged(tmp_path, wire, ATTEMPTS, always(scores()), setting=setting)
    async with run as (work, mock):
        assert len(work.annotations()) == len(mock.requests) == len(ATTEMPTS) >= 25
        inside, others = [], []
        for request in mock.requests:
            instructions, (turn,) = parts(wire, request.body)
            assert instructions == work.judge.prompt.instructions
            found = FENCES.findall(turn)
            assert len(found) == (2 if setting == "full" else 1)
            assert len({mark for mark, _ in found}) == len(found)
            inside.append(found[-1][1])
            # What stands outside the fences is ours, and the same about every answer.
            others.append(FENCES.sub("[]", turn))
        assert len(set(others)) == 1
        assert sorted(inside) == sorted(defused(text) for text in ATTEMPTS)


@WIRES
async def test_what_was_asked_never_leaves_its_fence(tmp_path, wire) -> None:
    """Prompts may be the user's own, or a model's: they are data, too."""
    answer = always(scores())
    seen, others = [], set()
    async with MockServer(answer=answer, record=True) as mock:
        config = EndpointConfig(
            name="mock",
            provider=wire,
            base_url=mock.anthropic_url if wire == "anthropic" else mock.openai_url,
        )
        planned = [
            cell
            for place, text in enumerate(ATTEMPTS)
            for cell in cells(1, target=f"t{place}", wish=text)[:1]
        ]
        work = JudgeBench(
            tmp_path / "asked.db",
            None,
            judge=rubric_judge("full", provider=wire),
            planned=planned,
            provider_for=lambda _api, _model: open_provider(config, api_key="sk", profile=None),
        )
        await work.respond(["Be bold."] * len(planned))
        await work.run()
        for request in mock.requests:
            instructions, (turn,) = parts(wire, request.body)
            assert instructions == work.judge.prompt.instructions
            (_, prompt), (_, text) = FENCES.findall(turn)
            assert text == "Be bold."
            seen.append(prompt)
            others.add(FENCES.sub("[]", turn))
        await work.close()
    asked = [cell.messages[-1].content for cell in planned]
    assert sorted(seen) == sorted(defused(text) for text in asked)
    assert len(others) == 1


@WIRES
async def test_answers_of_a_pair_cannot_end_each_others_fence(tmp_path, wire) -> None:
    pair = always({"first": scores(), "second": scores()})
    run = judged(tmp_path, wire, ATTEMPTS[:10], pair, setting="full", paired=True)
    async with run as (work, mock):
        assert len(work.annotations()) == 2 * len(mock.requests) == 10
        for request in mock.requests:
            _, (turn,) = parts(wire, request.body)
            found = FENCES.findall(turn)
            assert len({mark for mark, _ in found}) == len(found) == 4
            assert all(mark not in text for mark, _ in found for _, text in found)


_ONE_OUT = {**scores()["scores"], "competence": 1.5}
_BAD = {
    "a number that is too large": {"refusal": False, "scores": _ONE_OUT},
    "a negative number": {"refusal": False, "scores": {**_ONE_OUT, "competence": -0.1}},
    "a text for a number": {"refusal": False, "scores": {**_ONE_OUT, "competence": "0.5"}},
    "a missing dimension": {
        "refusal": False,
        "scores": {key: 0.5 for key in DIMENSIONS if key != "competence"},
    },
    "no JSON": "I would say 0.5 for competence.",
}


@WIRES
@pytest.mark.parametrize("bad", _BAD.values(), ids=_BAD)
async def test_bad_scores_are_asked_for_again_and_then_taken(tmp_path, wire, bad) -> None:
    good = scores(0.75)
    async with judged(tmp_path, wire, ["Be bold."], in_turn(bad, bad, good)) as (work, mock):
        ((valid, value, reason, raw),) = work.rows(SAID)
        assert (valid, json.loads(value), reason, raw) == (1, good["scores"], None, None)
        assert len(mock.requests) == 3
        _, (_, _, complaint, *_) = parts(wire, mock.last_body)
        assert "competence" in complaint or bad == _BAD["no JSON"]
        calls = work.rows("SELECT state, attempt FROM calls WHERE agent LIKE 'judge%' ORDER BY seq")
        assert calls == [("ok", 1), ("ok", 2), ("ok", 3)]


@WIRES
async def test_three_bad_outputs_are_one_invalid_annotation_with_the_last_words(
    tmp_path, wire
) -> None:
    last = json.dumps(_BAD["a missing dimension"])
    bad = (_BAD["no JSON"], _BAD["a text for a number"], last)
    async with judged(tmp_path, wire, ["Be bold."], in_turn(*bad)) as (work, mock):
        assert work.rows(SAID) == [(0, None, "judge answered in another form", last)]
        assert len(mock.requests) == 3


async def test_a_schema_is_sent_that_every_endpoint_takes(tmp_path) -> None:
    async with judged(tmp_path, "openai", ["Be bold."], always(scores())) as (_, mock):
        wanted = mock.last_body["response_format"]["json_schema"]
        assert wanted["strict"] is True
        # Some refuse limits of numbers in a schema.
        assert not {"minimum", "maximum"} & set(re.findall(r'"(\w+)":', json.dumps(wanted)))
