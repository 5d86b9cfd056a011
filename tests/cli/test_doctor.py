"""`doctor` finds out what a model takes, keeps it in the store, and the run obeys."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import threading
import time
from contextlib import redirect_stderr, redirect_stdout

import pytest

from auditor.cli.app import run as run_command
from tests.cli.driving import auditor, over_http, rows, serving

PROFILES = "SELECT json_extract(findings, '$.capabilities') FROM profiles"


def findings(ran) -> dict[str, str]:
    (found,) = ran.data["models"]
    return found["findings"]


def capabilities(store) -> dict[str, object]:
    ((kept,),) = rows(store, PROFILES)
    return json.loads(kept)


def anthropic(spec, url):
    """A spec over chat completions, turned into one over Anthropic's messages."""
    over_http(spec, url)
    text = spec.read_text().replace("provider = 'openai'", "provider = 'anthropic'")
    spec.write_text(text.replace('"openai:', '"anthropic:'))
    return spec


@pytest.mark.parametrize(
    ("profile", "question", "answer", "kept"),
    [
        ("plain", "logprobs", "5 of 5 alternatives", {"temperature": True, "choices": True}),
        (
            "reasoning",
            "output cap",
            "max_tokens is refused",
            {"token_parameter": "max_completion_tokens", "temperature": False, "reasoning": True},
        ),
        ("gemini-unknown-field", "seed", "refused", {"seed": False, "logprobs": False}),
        ("ollama-drops", "n = 2", "gives 1", {"choices": False, "logprobs": False}),
        ("llamacpp-zero-logprobs", "logprobs", "all zero: not computed", {"logprobs": False}),
        ("lmstudio-schema-only", "schema, native", "taken", {"schema": "native"}),
        ("deepseek-reasoner", "one token", "gives nothing", {"one_token_answer": False}),
    ],
)
def test_findings_are_printed_and_kept(profile, question, answer, kept, tmp_path):
    with serving(profile=profile) as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url)
        ran = auditor("doctor", spec, "--json")
        in_words = auditor("doctor", spec)
    assert ran.code == 0, ran.err
    assert answer in findings(ran)[question]
    assert kept.items() <= capabilities(tmp_path / "s.db").items()
    assert question in in_words.out
    assert f"a at mock ({ran.data['models'][0]['calls']} calls)" in in_words.out
    assert ran.data["models"][0]["calls"] <= 6


def test_an_endpoint_that_cannot_be_asked_exits_1_with_its_own_words(tmp_path):
    with serving(profile="quota") as server:
        ran = auditor("doctor", over_http(tmp_path / "s.toml", server.openai_url), "--json")
    assert ran.code == 1
    assert "You exceeded your current quota" in ran.data["models"][0]["error"]
    assert ran.data["models"][0]["capabilities"] is None
    assert rows(tmp_path / "s.db", PROFILES) == []


def test_a_run_sends_the_output_cap_under_the_name_that_was_found(tmp_path):
    with serving(profile="reasoning", record=True) as server:
        spec = over_http(
            tmp_path / "s.toml", server.openai_url, target="params = {max_tokens = 200}"
        )
        assert auditor("doctor", spec).code == 0
        server.requests.clear()
        ran = auditor("run", spec, "--json")
        bodies = [request.body for request in server.requests]
    assert ran.code == 0, ran.err
    assert len(bodies) == 6, "what was known was asked again"
    assert all(body["max_completion_tokens"] == 200 for body in bodies)
    assert not any("max_tokens" in body for body in bodies)


@pytest.mark.parametrize("ask", [["doctor"], []], ids=["doctor first", "run alone"])
def test_a_temperature_that_a_model_refuses_is_one_error_with_the_way_out(ask, tmp_path):
    with serving(profile="reasoning") as server:
        spec = over_http(
            tmp_path / "s.toml", server.openai_url, protocol="temperature = [1.0, 0.5]"
        )
        for command in ask:
            auditor(command, spec)
        ran = auditor("run", spec)
        answered = server.statuses[200] + server.statuses[400]
    assert ran.code == 2
    assert ran.err.count("error: ") == 1
    assert "target a: a does not take temperature = 0.5" in ran.err
    assert "set temperature = [1.0] in the protocol" in ran.err
    assert answered <= 6
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM trials") == [(0,)]


def test_a_model_that_takes_no_temperature_at_all_is_asked_without_one(tmp_path):
    """It samples at 1, and 1 is what the protocol asks for."""
    with serving(profile="anthropic-no-temperature", record=True) as server:
        spec = anthropic(tmp_path / "s.toml", server.anthropic_url)
        ran = auditor("run", spec, "--json")
        bodies = [request.body for request in server.requests][-6:]
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == 6
    assert not any("temperature" in body for body in bodies)
    sent = rows(tmp_path / "s.db", "SELECT DISTINCT sent FROM calls WHERE agent LIKE 'generator:%'")
    assert "temperature" not in sent[0][0]


@pytest.mark.parametrize(
    ("profile", "target", "said", "way_out"),
    [
        ("ollama-drops", "samples_per_request = 2", "choices = 2", "samples_per_request = 1"),
        ("gemini-unknown-field", "params = {seed = true}", "seed = 1", "take seed out"),
    ],
)
def test_a_setting_that_a_model_refuses_is_one_error(profile, target, said, way_out, tmp_path):
    with serving(profile=profile) as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url, target=target)
        ran = auditor("run", spec)
    assert ran.code == 2
    assert f"a does not take {said}" in ran.err
    assert way_out in ran.err


def test_a_run_asks_what_is_unknown_once_and_again_after_seven_days(tmp_path):
    with serving() as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url)
        store = tmp_path / "s.db"

        def calls_of(*arguments: object) -> int:
            before = server.statuses[200]
            assert auditor(*arguments).code == 0
            return server.statuses[200] - before

        first = calls_of("run", spec)
        assert 6 < first <= 6 + 6
        assert calls_of("run", spec) == 0
        _age_profiles(store, days=6.9)
        assert calls_of("resume", store) == 0
        _age_profiles(store, days=7.1)
        assert calls_of("resume", store, "--no-probe") == 0
        assert calls_of("resume", store) == first - 6
        status = auditor("status", store, "--json").data
        assert status["calls"] == first + first - 6


def test_ctrl_c_ends_it_with_the_call_that_was_under_way_kept_as_unknown(tmp_path):
    spec, words = tmp_path / "s.toml", io.StringIO()
    with serving(latency_seconds=600.0) as stuck:
        over_http(spec, stuck.openai_url)

        def press() -> None:
            while not stuck.in_flight:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        presses = threading.Thread(target=press, daemon=True)
        presses.start()
        with redirect_stdout(io.StringIO()), redirect_stderr(words):
            code = run_command(["doctor", str(spec)])
        presses.join()
    assert code == 130
    assert words.getvalue().splitlines()[1:] == ["interrupted"]
    store = spec.with_suffix(".db")
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    assert rows(store, "SELECT state, error_kind FROM _calls") == [("unknown", "interrupted")]


def _age_profiles(store, *, days: float) -> None:
    connection = sqlite3.connect(store)
    connection.execute("UPDATE profiles SET at = ?", (time.time() - days * 24 * 3600,))
    connection.commit()
    connection.close()


def test_no_probe_asks_nothing(tmp_path, mock):
    assert auditor("run", over_http(tmp_path / "s.toml", mock.openai_url), "--no-probe").code == 0
    assert mock.statuses[200] == 6


def test_two_targets_of_one_model_are_asked_once(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, models=("a",))
    other = '[[targets]]\nname = "b"\nmodel = "openai:a"\nendpoint = "mock"\nsystem = "Be brief."\n'
    spec.write_text(spec.read_text().replace("[protocols", other + "[protocols"))
    ran = auditor("doctor", spec, "--json")
    assert len(ran.data["models"]) == 1
    assert mock.statuses[200] == ran.data["models"][0]["calls"]


def test_there_is_nothing_to_ask_of_a_simulated_target(tmp_path):
    from tests.cli.driving import simulated

    ran = auditor("doctor", simulated(tmp_path / "s.toml"))
    assert ran.code == 0
    assert "nothing to examine" in ran.out


def test_a_model_that_refuses_every_question_is_an_error_and_nothing_is_kept_of_it(tmp_path):
    with serving(profile="azure-filter") as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url)
        ran = auditor("doctor", spec, "--json")
    assert ran.code == 1
    (model,) = ran.data["models"]
    assert model["error"].startswith("every question was refused, the plainest too: refused: ")
    assert model["findings"]
    assert model["capabilities"] is None
    assert rows(tmp_path / "s.db", PROFILES) == []


STORIES = """name = "s"
judges = [
  {task = "name", judge = "rules"},
  {task = "name", name = "other", judge = "rules", params = {spacy_model = "no_such_model"}},
  {task = "name", name = "sonnet", model = "anthropic:m"},
]
[[targets]]
model = "sim:m"
[protocols.stories]
repetitions = 1
"""


def test_every_judge_is_said_to_be_ready_or_what_mends_it(tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    spec = tmp_path / "s.toml"
    spec.write_text(STORIES)
    ran = auditor("doctor", spec, "--json")
    assert ran.code == 2
    assert ran.data["models"] is None, "models were asked though a judge is not ready"
    judges = {(found["task"], found["judge"]): found for found in ran.data["judges"]}
    ready = {judge for judge, found in judges.items() if found["ready"]}
    assert ready == {("name", "rules"), ("gender", "nomquamgender")}
    other = judges["name", "other"]
    assert "params.spacy_model: the model 'no_such_model' is not installed" in other["error"]
    assert other["hint"] == "pip install 'bias-auditor[nlp]'"
    sonnet = judges["name", "sonnet"]
    assert (sonnet["kind"], sonnet["error"]) == (
        "model",
        "the environment variable ANTHROPIC_API_KEY is not set",
    )
    assert "OPENAI" not in ran.out + ran.err
    assert not spec.with_suffix(".db").exists()
    in_words = auditor("doctor", spec)
    assert "not ready: " in in_words.out
    assert "no_such_model" in in_words.err


TARGETS = """name = "s"
[[targets]]
name = "gpt"
model = "openai:m"
[[targets]]
name = "sonnet"
model = "anthropic:m"
[[targets]]
name = "here"
model = "local:./nowhere/m"
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
spaces = ["kitchen"]
repetitions = 1
"""


SIMULATED = """name = "s"
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
spaces = ["kitchen"]
repetitions = 1
"""


@pytest.fixture
def unready(tmp_path, monkeypatch):
    """A spec of four targets; the keys of two are missing, and all that a third needs."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("auditor.providers.local.library.find_spec", lambda name: None)
    spec = tmp_path / "s.toml"
    spec.write_text(TARGETS)
    return spec


def test_every_target_is_said_to_be_ready_or_all_that_it_lacks(unready):
    ran = auditor("doctor", unready, "--json")
    assert ran.code == 2
    found = {target["target"]: target for target in ran.data["targets"]}
    assert list(found) == ["gpt", "sonnet", "here", "m"]
    assert [target["ready"] for target in found.values()] == [False, False, False, True]
    assert found["gpt"]["error"] == "the environment variable OPENAI_API_KEY is not set"
    assert found["sonnet"]["error"] == "the environment variable ANTHROPIC_API_KEY is not set"
    assert "torch and transformers are not installed" in found["here"]["error"]
    assert "local model ./nowhere/m: there is no such folder" in found["here"]["error"]
    assert ran.data["models"] is None, "models were asked though a target is not ready"
    assert not unready.with_suffix(".db").exists()
    in_words = auditor("doctor", unready).out.split("judges")[0]
    assert in_words.count("not ready: ") == 3


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("anthropic:m", "the environment variable ANTHROPIC_API_KEY is not set"),
        ("local:./nowhere/m", "local model ./nowhere/m: there is no such folder"),
    ],
)
def test_what_a_model_judge_lacks_is_said_with_its_place(unready, monkeypatch, model, said):
    monkeypatch.setattr("auditor.providers.local.library.find_spec", lambda name: name)
    judge = f'judges = [{{task = "choice", name = "j", model = "{model}"}}]\n'
    unready.write_text(SIMULATED.replace("[[", f"{judge}[[", 1))
    problem = auditor("doctor", unready, "--json").problem
    assert problem["error"].startswith(f"{unready}:2: judges[0].model: {said}; allowed: ")
    assert problem["where"] == f"{unready}:2"


def test_a_plan_says_which_keys_and_what_of_local_models_a_run_will_miss(unready):
    ran = auditor("plan", unready)
    assert ran.code == 0
    notes = [line for line in ran.err.splitlines() if line.startswith("note: ")]
    assert ["`auditor run` will refuse" in note for note in notes] == [True] * 4
    assert f"{unready}:4: targets[0].model: the environment variable OPENAI_API_KEY" in notes[0]
    assert f"{unready}:7: targets[1].model: the environment variable ANTHROPIC_API_K" in notes[1]
    assert "are not installed; pip install 'bias-auditor[local]'" in notes[2]
    assert f"{unready}:10: targets[2].model: local model ./nowhere/m" in notes[3]
    planned = auditor("plan", unready, "--json").data
    assert planned["trials"] == 4
    assert [f"note: {note}" for note in planned["notes"]] == notes
    # The run names the keys, too, all at once.
    refused = auditor("run", unready)
    assert refused.code == 2
    assert "OPENAI_API_KEY" in refused.err
    assert "ANTHROPIC_API_KEY" in refused.err


def test_a_plan_that_lacks_nothing_has_no_notes(tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text(SIMULATED)
    assert auditor("plan", spec, "--json").data["notes"] == []


def test_judges_of_one_name_are_told_apart_by_their_setting(tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text('name = "s"\n[[targets]]\nmodel = "sim:m"\n[protocols.grap]\npairs = 1\n')
    ran = auditor("doctor", spec, "--json")
    judges = [(judge["judge"], judge["setting"]) for judge in ran.data["judges"]]
    assert judges == [("lexicon", "full"), ("lexicon", "response_only")]
    in_words = auditor("doctor", spec).out
    assert "lexicon (full)" in in_words
    assert "lexicon (response_only)" in in_words


def test_a_judge_that_can_do_without_what_it_lacks_is_ready_and_says_so(tmp_path, monkeypatch):
    from agents.judges import _name_spacy

    monkeypatch.setattr(_name_spacy, "MODELS", ("no_such_model",))
    spec = tmp_path / "s.toml"
    lines = [line for line in STORIES.splitlines() if "other" not in line and "sonnet" not in line]
    spec.write_text("\n".join(lines))
    ran = auditor("doctor", spec, "--json")
    assert ran.code == 0
    (rules,) = [found for found in ran.data["judges"] if found["judge"] == "rules"]
    assert rules["ready"]
    assert "no spaCy model is installed" in rules["remark"]
    assert "pip install 'bias-auditor[nlp]' mends it" in rules["remark"]
