import asyncio
import json
from pathlib import Path

import pytest

import rubrics
from auditor.protocols.grap.authoring import Author
from auditor.protocols.grap.contrast import parse_contrast
from auditor.protocols.grap.cues import cues_in
from auditor.protocols.grap.instructions import normalised
from auditor.scheduler.authoring import AuthorWork, Commission
from auditor.scheduler.plan import make_plan
from auditor.spec import load_spec
from tests.cli.driving import auditor, serving
from tests.mock_server.answers import Said

CONTRAST = parse_contrast(rubrics.read("grap/contrast.toml"))


def written(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    file = tmp_path_factory.mktemp("instructions") / "own.jsonl"
    ran = auditor("instructions", "--model", "sim:author", "--n", 100, "-o", file, "--json")
    return file, ran


def test_as_many_as_wanted_are_written_each_once_and_none_gives_a_gender_away(hundred):
    file, ran = hundred
    assert ran.code == 0
    texts = [line["instruction"] for line in written(file)]
    assert (
        len(texts) == len({normalised(text) for text in texts}) == ran.data["instructions"] == 100
    )
    assert [text for text in texts if cues_in(text, CONTRAST)] == []
    assert {line["source"] for line in written(file)} == {"sim:author"}
    assert len({line["domain"] for line in written(file)}) >= 15


def test_lines_that_cannot_be_used_are_counted_by_their_reason(hundred):
    _, ran = hundred
    left_out = ran.data["left_out"]
    assert left_out["with a word that gives the gender away"] > 0
    assert ran.data["stopped"] is None
    assert ran.data["calls"] >= 20
    for reason, number in left_out.items():
        assert f"{number} {reason}" in ran.err


def test_a_spec_takes_the_file_for_its_instructions(hundred):
    file, _ = hundred
    spec = file.with_name("spec.toml")
    spec.write_text(
        'name = "s"\nseed = 3\n[[targets]]\nname = "m"\nmodel = "sim:m"\n'
        '[protocols.grap]\npairs = 100\ninstructions = "own.jsonl"\n'
    )
    plan = make_plan(load_spec(spec))
    asked = {cell.messages[0].content.split(", ", 2)[2] for cell in plan.all_cells()}
    assert asked == {line["instruction"] for line in written(file)}


def test_the_same_seed_writes_the_same_file_and_another_one_another(tmp_path: Path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        auditor(
            "instructions", "--model", "sim:m", "--n", 30, "-o", tmp_path / name, "--seed", seed
        )
    first, again, other = (written(tmp_path / name) for name in "abc")
    assert first == again != other


def test_a_simulated_author_reaches_the_default_number(tmp_path: Path):
    file = tmp_path / "own.jsonl"
    ran = auditor("instructions", "--model", "sim:author", "-o", file, "--json")
    assert (ran.code, ran.data["stopped"]) == (0, None)
    assert len(written(file)) == ran.data["instructions"] == ran.data["wanted"] == 1000


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path):
    file = tmp_path / "own.jsonl"
    file.write_text("mine")
    ran = auditor("instructions", "--model", "sim:m", "--n", 5, "-o", file)
    assert (ran.code, file.read_text()) == (2, "mine")
    assert "--force" in ran.err
    assert auditor("instructions", "--model", "sim:m", "--n", 5, "-o", file, "--force").code == 0
    assert len(written(file)) == 5


def test_where_the_budget_ends_the_calls_what_there_is_is_written_and_the_exit_code_is_3(
    tmp_path: Path,
):
    file = tmp_path / "own.jsonl"
    ran = auditor(
        "instructions", "--model", "sim:m", "--n", 500, "-o", file, "--budget-calls", 2, "--json"
    )
    assert ran.code == 3
    assert ran.data["stopped"] == "the budget is spent"
    assert ran.data["calls"] == 2
    assert 0 < ran.data["instructions"] == len(written(file)) < 500


def test_a_model_whose_lines_cannot_be_used_ends_with_1_and_writes_nothing(tmp_path: Path):
    file = tmp_path / "own.jsonl"
    contrast = tmp_path / "all.toml"
    text = rubrics.read("grap/contrast.toml")
    contrast.write_text(text.replace('"person" = [', '"person" = ["I",'))
    ran = auditor(
        "instructions", "--model", "sim:m", "--n", 10, "-o", file, "--contrast", contrast, "--json"
    )
    assert ran.code == 1
    assert ran.data["file"] is None
    assert "too few of the model's lines" in ran.data["stopped"]
    assert list(tmp_path.iterdir()) == [contrast]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "simm:x"), 'did you mean "sim:x"?'),
        (("--model", "openai"), "provider:model"),
        (("--model", "sim:m", "--n", 10**10), "less than or equal to 1000000"),
        (("--model", "sim:m", "--domain", "moon"), "--domain moon: no such domain; allowed: job_"),
        (("--model", "sim:m", "--contrast", "none.toml"), "none.toml: cannot be read"),
        (("--model", "sim:m", "--contrast", "/dev/zero"), "neither a regular file nor a pipe"),
        (("--model", "sim:m", "--concurrency", 0), "concurrency: value 0"),
        (
            ("--model", "openai:unheard-of", "--base-url", "http://127.0.0.1:9/v1",
             "--budget-usd", 1),
            "no price is known",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_and_nothing_is_written(tmp_path: Path, options, said):
    ran = auditor("instructions", "--n", 5, "-o", tmp_path / "own.jsonl", *options)
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "own.jsonl").exists()


def test_a_missing_key_is_said_before_anything_is_sent(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = auditor("instructions", "--model", "openai:gpt-4o", "--n", 5, "-o", tmp_path / "o.jsonl")
    assert ran.code == 2
    assert "OPENAI_API_KEY is not set" in ran.err


def test_lines_that_a_server_answers_are_taken_without_their_numbering(tmp_path: Path):
    file = tmp_path / "own.jsonl"
    lines = (
        "Here are some requests:\n"
        "1. I have a leaking tap and no tools; what do I need?\n"
        '2) "I have a leaking tap, and no tools. What do I need?"\n'
        "- *I speak two languages and seek work; where do I look?*\n"
        "4. I take after my mother in this; what should I do?\n"
        "5. You should ask me; will you?\n"
    )
    with serving(answer=lambda question: Said(text=lines)) as server:
        ran = auditor(
            "instructions", "--model", "openai:mock", "--n", 2, "-o", file,
            "--base-url", server.openai_url, "--domain", "repair", "--price", "1,2", "--json",
        )  # fmt: skip
    assert ran.code == 0
    assert [line["instruction"] for line in written(file)] == [
        "I have a leaking tap and no tools; what do I need?",
        "I speak two languages and seek work; where do I look?",
    ]
    assert ran.data["calls"] == 1
    assert ran.data["cost_usd"] > 0
    assert ran.data["left_out"] == {"not in the first person": 1, "the same as another": 1}


def test_a_server_that_refuses_the_model_ends_with_1_and_its_reason(tmp_path: Path, monkeypatch):
    with serving(key="right") as server:
        monkeypatch.setenv("MOCK_KEY", "wrong-key")
        ran = auditor(
            "instructions", "--model", "openai:mock", "--n", 5, "-o", tmp_path / "o.jsonl",
            "--base-url", server.openai_url, "--api-key-env", "MOCK_KEY", "--json",
        )  # fmt: skip
    assert ran.code == 1
    assert (ran.data["file"], ran.data["instructions"]) == (None, 0)
    assert "key" in ran.data["stopped"]
    assert "wrong-key" not in ran.out + ran.err


async def test_a_call_that_is_under_way_when_it_is_given_up_may_have_been_billed():
    with serving(latency_seconds=600.0) as stuck:
        work = AuthorWork(
            Commission(
                model="openai:m",
                n=5,
                contrast=CONTRAST,
                author=Author.of(rubrics.read("grap/author.toml")),
                domains=("loan",),
                endpoint={"base_url": stuck.openai_url},
            ),
            {},
        )
        at_work = asyncio.create_task(work.run())
        while not stuck.in_flight:
            await asyncio.sleep(0)
        at_work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await at_work
    assert work.authored.calls == 1
    assert work.authored.cost_usd is None


async def test_a_call_that_fails_in_passing_is_made_again_and_in_the_end_given_up():
    waits = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    work = AuthorWork(
        Commission(
            model="openai:m",
            n=5,
            contrast=CONTRAST,
            author=Author.of(rubrics.read("grap/author.toml")),
            domains=("loan",),
            endpoint={"base_url": "http://127.0.0.1:9/v1"},
        ),
        {},
    )
    done = await work.run(sleep=sleep)
    assert len(waits) >= 3
    assert done.exit_code == 1
    assert done.stopped
    assert done.collection.found == []
