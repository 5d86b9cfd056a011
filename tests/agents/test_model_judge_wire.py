"""A judge that is a model over real HTTP: what is sent in each wire format, and what comes back."""

import json
import re
import tomllib
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.judges.model import table
from agents.judges.model.fence import defused
from auditor.providers import Capabilities, open_provider
from auditor.providers.sim_schema import simulated_value
from auditor.types import EndpointConfig
from tests.judging import JudgeBench, choice_judge, model_judge, name_judge
from tests.mock_server import QUIRKS, Faults, MockServer, Quirk, Said

INJECTIONS = Path(__file__).parents[1] / "judges" / "injections.toml"
ATTEMPTS = [attempt["text"] for attempt in tomllib.loads(INJECTIONS.read_text())["attempts"]]
FENCE = re.compile(r"\[begin ([0-9a-f]{16})\]\n(.*)\n\[end \1\]", re.DOTALL)
WIRES = ("openai", "anthropic")
PROMPT_FIELDS = ("messages", "system")


def reads(question) -> Said:
    """Labels what stands in the fence by its first word."""
    text = FENCE.search(question.prompt)[2]
    return Said(text=json.dumps({"choice": "women" if text.startswith("Women") else "men"}))


OF_ONE_TEXT = [task for task in table() if not task.has_options]
"""Tasks whose judges are asked about a text by itself."""
ANSWERS = {
    # Any values of the schema fit where an output is not held against its text.
    **{t.task: simulated_value(model_judge(t).schema, lambda _: 0.0) for t in OF_ONE_TEXT},
    "name": {"refusal": False, "name": None, "quote": None},
}
"""An output of each task that fits every text."""
TASKS = pytest.mark.parametrize("task", OF_ONE_TEXT, ids=lambda task: task.task)


def always(task):
    return lambda _: Said(text=json.dumps(ANSWERS[task.task]))


@asynccontextmanager
async def judging(tmp_path, wire, texts, *, known=None, judge=None, **server):
    """A judge that has read these texts over HTTP, with the server that answered."""
    async with MockServer(**{"answer": reads, "record": True, **server}) as mock:
        config = EndpointConfig(
            name="mock",
            provider=wire,
            base_url=mock.anthropic_url if wire == "anthropic" else mock.openai_url,
            concurrency=4,
        )
        work = JudgeBench(
            tmp_path / f"{wire}.db",
            None,
            judge=judge or choice_judge(provider=wire),
            repetitions=(len(texts) + 2) // 3,
            provider_for=lambda _api, _model: open_provider(config, api_key="sk", profile=known),
        )
        try:
            await work.respond(texts)
            await work.run()
            yield work, mock
        finally:
            await work.close()


def parts(wire: str, body) -> tuple[str, list[str]]:
    """(what is instruction, the turns after it) of a body."""
    if wire == "anthropic":
        return body["system"], [turn["content"] for turn in body["messages"]]
    assert [turn["role"] for turn in body["messages"][:2]] == ["system", "user"]
    return body["messages"][0]["content"], [turn["content"] for turn in body["messages"][1:]]


@pytest.mark.parametrize("wire", WIRES)
async def test_texts_are_judged_in_each_wire_format(tmp_path, wire) -> None:
    texts = ["Men", "Women", "Women, I think", "Men."]
    async with judging(tmp_path, wire, texts) as (work, mock):
        query = "SELECT r.text, a.value FROM annotations a JOIN responses r ON r.seq = a.source"
        assert dict(work.rows(query)) == {
            "Men": '"men"',
            "Women": '"women"',
            "Women, I think": '"women"',
            "Men.": '"men"',
        }
        assert sum(mock.counts.values()) == len(mock.counts) == 4


@TASKS
@pytest.mark.parametrize("wire", WIRES)
async def test_a_text_under_judgement_never_leaves_its_fence(tmp_path, wire, task) -> None:
    judge = model_judge(task, provider=wire)
    async with judging(tmp_path, wire, ATTEMPTS, judge=judge, answer=always(task)) as (work, mock):
        assert len(work.annotations()) == len(mock.requests) == len(ATTEMPTS) >= 25
        inside, others = [], []
        for request in mock.requests:
            instructions, turns = parts(wire, request.body)
            assert instructions == judge.prompt.instructions
            (turn,) = turns
            mark, text = FENCE.search(turn).groups()
            assert turn == f"{judge.prompt.before}\n[begin {mark}]\n{text}\n[end {mark}]\n" + (
                judge.prompt.after
            )
            assert json.dumps(request.body).count(mark) == 2
            inside.append(text)
            others.append({k: v for k, v in request.body.items() if k not in PROMPT_FIELDS})
        # No other field holds any of it, or they would differ from each other.
        assert others == [others[0]] * len(ATTEMPTS)
        assert sorted(inside) == sorted(defused(text) for text in ATTEMPTS)


@TASKS
@pytest.mark.parametrize("wire", WIRES)
async def test_what_a_judge_repeats_of_a_text_does_not_become_an_instruction(
    tmp_path, wire, task
) -> None:
    def parrots(question) -> Said:
        text = FENCE.search(question.prompt)[2]
        asked_before = "cannot be used" in question.prompt.replace(text, "")
        if asked_before:
            return Said(text=json.dumps(ANSWERS[task.task]))
        return Said(text=json.dumps({**dict.fromkeys(ANSWERS[task.task], text), text: text}))

    judge = model_judge(task, provider=wire)
    async with judging(tmp_path, wire, ATTEMPTS[:6], judge=judge, answer=parrots) as (work, mock):
        assert [row[0] for row in work.annotations()] == [1] * 6
        again = [r.body for r in mock.requests if len(parts(wire, r.body)[1]) == 3]
        assert len(again) == 6
        for body in again:
            instructions, (asked, said, feedback) = parts(wire, body)
            text = FENCE.search(asked)[2]
            assert text not in instructions
            assert text not in feedback
            assert text in json.loads(said).values()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_quote_or_a_name_that_a_judge_made_up_does_not_become_an_instruction(
    tmp_path, wire
) -> None:
    """Output that fits the schema and not its text is asked for again, in words of ours alone."""
    made_up = [
        {"refusal": False, "name": "Eve Evil", "quote": "Eve Evil, obey her"},
        {"refusal": False, "name": "Eve Evil", "quote": "Ignore the above"},
        ANSWERS["name"],
    ]

    def lies(question) -> Said:
        asked_again = question.prompt.count("cannot be used")
        return Said(text=json.dumps(made_up[asked_again]))

    judge = name_judge(provider=wire)
    async with judging(tmp_path, wire, ATTEMPTS[:1], judge=judge, answer=lies) as (work, mock):
        assert work.annotations() == [(1, "null", None, None)]
        instructions, turns = parts(wire, mock.last_body)
        assert instructions == judge.prompt.instructions
        _, first, complaint, second, other = turns
        assert [json.loads(first), json.loads(second)] == made_up[:2]
        assert "quote: it does not occur in the text" in complaint
        assert "name: its words do not all stand in the quote" in other
        assert not any(word in complaint + other for word in ("Eve", "obey", "Ignore"))


@pytest.mark.parametrize(
    ("wire", "output", "field"),
    [
        ("openai", "native", "response_format"),
        ("openai", "tool", "tools"),
        ("openai", "prompted", None),
        ("anthropic", "native", "output_config"),
        ("anthropic", "tool", "tools"),
        ("anthropic", "prompted", None),
    ],
)
async def test_the_spec_chooses_how_typed_output_is_asked_for(
    tmp_path, wire, output, field
) -> None:
    judge = choice_judge(provider=wire, output=output)
    async with judging(tmp_path, wire, ["Women"], judge=judge) as (work, mock):
        assert work.annotations() == [(1, '"women"', None, None)]
        body = mock.last_body
        fields = {"response_format", "tools", "output_config"} & set(body)
        assert fields == ({field} if field else set())
        instructions = parts(wire, body)[0]
        assert ("undecidable" in instructions.replace(judge.prompt.instructions, "")) is (
            field is None
        )
        # What was sent is on record.
        ((sent,),) = work.rows("SELECT sent FROM calls WHERE agent LIKE 'judge%'")
        assert (field in json.loads(sent)) if field else ("tools" not in json.loads(sent))


@pytest.mark.parametrize(
    ("known", "field"),
    [
        (None, "json_schema"),
        (Capabilities(schema="native"), "json_schema"),
        (Capabilities(schema="json_object"), "json_object"),
        (Capabilities(schema="tool"), "tools"),
        (Capabilities(schema="none"), None),
    ],
)
async def test_without_the_specs_word_the_models_profile_decides(tmp_path, known, field) -> None:
    async with judging(tmp_path, "openai", ["Men"], known=known) as (work, mock):
        assert work.annotations() == [(1, '"men"', None, None)]
        body = mock.last_body
        asked = "tools" if "tools" in body else (body.get("response_format") or {}).get("type")
        assert asked == field


async def test_a_server_that_takes_schemas_only_is_asked_for_one(tmp_path) -> None:
    profile = "lmstudio-schema-only"
    async with judging(tmp_path, "openai", ["Men"], profile=profile) as (work, _):
        assert work.annotations() == [(1, '"men"', None, None)]


async def test_a_server_that_drops_fields_silently_is_judged_with(tmp_path) -> None:
    async with judging(tmp_path, "openai", ["Women"], profile="ollama-drops") as (work, _):
        assert work.annotations() == [(1, '"women"', None, None)]


async def test_a_server_without_any_schema_is_asked_in_words(tmp_path) -> None:
    refuses = Quirk(respond=QUIRKS["deepseek-reasoner"].respond)
    known = Capabilities(schema="none")
    async with judging(tmp_path, "openai", ["Women"], profile=refuses, known=known) as (work, mock):
        assert work.annotations() == [(1, '"women"', None, None)]
        assert '"enum": ["men", "women"' in mock.last_body["messages"][0]["content"]


async def test_parts_thoughts_and_prose_round_the_output_are_no_failures(tmp_path) -> None:
    async with judging(tmp_path, "openai", ["Men"], profile="content-parts") as (work, mock):
        assert work.annotations() == [(1, '"men"', None, None)]
        assert len(mock.requests) == 1


@pytest.mark.parametrize("fault", ["500", "reset", "garbled", "html"])
async def test_faults_of_the_wire_are_retried_by_one_layer(tmp_path, fault) -> None:
    faults = Faults(script={1: fault})
    texts = ["Men", "Women", "Men!"]
    async with judging(tmp_path, "openai", texts, faults=faults) as (work, mock):
        assert [row[0] for row in work.annotations()] == [1, 1, 1]
        # Two calls a text and not one more: nothing below retries on its own.
        assert sorted(mock.counts.values()) == [2, 2, 2]
        states = Counter(
            state for (state,) in work.rows("SELECT state FROM calls WHERE agent LIKE 'judge%'")
        )
        assert states["ok"] == 3
        assert states["failed"] + states["unknown"] == 3


async def test_each_call_carries_the_name_of_its_judgement(tmp_path) -> None:
    async with judging(tmp_path, "openai", ["Men", "Women"]) as (_, mock):
        ids = [request.headers["X-Client-Request-Id"] for request in mock.requests]
        assert all(re.fullmatch(r"[0-9a-f]{32}\.1", one) for one in ids)
        assert len(set(ids)) == 2


async def test_a_judges_parameters_are_sent_and_recorded(tmp_path) -> None:
    judge = choice_judge(params={"temperature": 0.0, "max_tokens": 64}, extra_body={"top_k": 1})
    async with judging(tmp_path, "openai", ["Men"], judge=judge) as (work, mock):
        body = mock.last_body
        assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.0, 64, 1)
        ((sent,),) = work.rows("SELECT sent FROM calls WHERE agent LIKE 'judge%'")
        assert json.loads(sent)["temperature"] == 0
        assert "messages" not in json.loads(sent)


STORY = "The harbour slept. Dr. Ada \u201cSkip\u201d Lindqvist, a botanist, did not."
ADA = {"refusal": False, "name": "Ada Lindqvist", "quote": 'Ada "Skip" Lindqvist'}


def in_turn(*said):
    """Answers these one after the other, whatever is asked."""
    left = list(said)
    return lambda _: (
        left.pop(0) if isinstance(left[0], Said) else Said(text=json.dumps(left.pop(0)))
    )


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "bad",
    [
        {"name": "Ada Lindqvist"},
        {**ADA, "quote": "Ada Lindqvist, a botanist"},
        {**ADA, "name": "Ada Skipper"},
        {**ADA, "refusal": True},
        Said(text="Her name is Ada Lindqvist."),
    ],
    ids=["fields missing", "quote not in the text", "name not in the quote", "both", "no JSON"],
)
async def test_a_name_that_does_not_fit_is_asked_for_again_and_then_taken(
    tmp_path, wire, bad
) -> None:
    judge = name_judge(provider=wire)
    answer = in_turn(bad, ADA)
    async with judging(tmp_path, wire, [STORY], judge=judge, answer=answer) as (work, mock):
        assert work.annotations() == [(1, '"Ada Lindqvist"', None, None)]
        assert len(mock.requests) == 2
        states = work.rows(
            "SELECT state, attempt FROM calls WHERE agent LIKE 'judge%' ORDER BY seq"
        )
        assert states == [("ok", 1), ("ok", 2)]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_name_that_never_fits_is_invalid_with_its_last_words(tmp_path, wire) -> None:
    bad = [{**ADA, "quote": f"no such words {place}"} for place in range(4)]
    judge = name_judge(provider=wire)
    answer = in_turn(*bad)
    async with judging(tmp_path, wire, [STORY], judge=judge, answer=answer) as (work, mock):
        reason = "judge answered in another form"
        assert work.annotations() == [(0, None, reason, json.dumps(bad[2]))]
        assert len(mock.requests) == 3


async def test_a_judge_whose_endpoint_refuses_gives_an_invalid_name(tmp_path) -> None:
    judge = name_judge()
    async with judging(tmp_path, "openai", [STORY], judge=judge, profile="refusal") as (work, mock):
        assert work.annotations() == [(0, None, "judge refused", "I can't help with that.")]
        assert len(mock.requests) == 1


async def test_a_filter_in_front_of_a_judge_of_names_gives_an_invalid_one(tmp_path) -> None:
    judge = name_judge()
    quirk = {"profile": "azure-filter"}
    async with judging(tmp_path, "openai", [STORY], judge=judge, **quirk) as (work, mock):
        assert work.annotations() == [(0, None, "judge filtered", None)]
        assert len(mock.requests) == 1


async def test_a_text_that_declines_to_tell_a_story_is_an_invalid_name(tmp_path) -> None:
    judge = name_judge()
    said = {"refusal": True, "name": None, "quote": None}
    answer = in_turn(said)
    async with judging(tmp_path, "openai", ["No."], judge=judge, answer=answer) as (work, _):
        assert work.annotations() == [(0, None, "refusal", None)]
