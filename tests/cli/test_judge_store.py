"""`auditor judge`: another judge for a store that is there."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from auditor.scheduler.launch import launch
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec
from tests import builders
from tests.cli.driving import OnTerminal, auditor, contents, over_http, rows, simulated
from tests.mock_server import Said

SIM = ("--task", "choice", "--judge", "sim:j")
ASKED = "SELECT valid, value FROM annotations WHERE judge = ? ORDER BY trial"


def model(mock, name="m", *, concurrency=4):
    """A judge at the mock server."""
    place = ("--base-url", mock.openai_url, "--concurrency", concurrency)
    return ("--task", "choice", "--judge", f"openai:{name}", *place, "--no-probe")


def labels(question) -> Said:
    return Said(text='{"choice": "women"}')


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The folder of a finished run of six simulated answers."""
    folder = tmp_path_factory.mktemp("made")
    spec = simulated(folder / "s.toml")
    assert auditor("run", spec, "--json").code == 0
    return folder


@pytest.fixture
def store(made, tmp_path) -> Path:
    """A finished run of six simulated answers."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "s.db"


def test_a_second_judge_stands_beside_the_first(store):
    before = rows(store, ASKED, "rules")
    ran = auditor("judge", store, *SIM, "--extra-body", "judge_error=1", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["judged"] | {"invalid": 0} == {
        **{"task": "choice", "judge": "j", "done": 6},
        **{"invalid": 0, "failed": 0, "left": 0},
    }
    assert ran.data["annotations"]["choice"]["planned"] == 12
    assert ran.data["state"] == "complete"
    assert rows(store, ASKED, "rules") == before
    pairs = zip(before, rows(store, ASKED, "j"), strict=True)
    assert not any(rules == judged for rules, judged in pairs), "planted to be wrong about all"
    stats = auditor("stats", store, "--json").data
    shares = [row for row in stats if row["statistic"] == "men_share"]
    assert Counter(row["group"]["judge"] for row in shares) == {"rules": 3, "j": 3}
    assert auditor("verify", store).code == 0


def test_a_later_resume_keeps_the_judge_and_judges_nothing_twice(store):
    auditor("judge", store, *SIM)
    before = rows(store, "SELECT count(*) FROM _calls")
    done = auditor("resume", store, "--json")
    assert (done.code, done.data["state"]) == (0, "complete")
    assert done.data["annotations"]["choice"] | {"invalid": 0} == {
        **{"done": 12, "invalid": 0},
        **{"failed": 0, "planned": 12},
    }
    assert "differs" not in done.err, "the user's own spec is as it was"
    assert rows(store, "SELECT count(*) FROM _calls") == before


def test_the_judge_goes_on_with_a_run_that_was_not_finished(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    auditor("run", spec, "--limit", "2")
    ran = auditor("judge", tmp_path / "s.db", *SIM, "--json")
    assert (ran.code, ran.data["judged"]["done"]) == (0, 2)
    assert ran.data["state"] == "incomplete"
    done = auditor("resume", tmp_path / "s.db", "--json")
    assert (done.code, done.data["state"]) == (0, "complete")
    assert len(rows(tmp_path / "s.db", ASKED, "j")) == 6


def test_another_spec_leaves_the_judge_out_and_says_so(store):
    auditor("judge", store, *SIM)
    ran = auditor("run", store.with_suffix(".toml"), "--json")
    assert ran.code == 0
    assert "choice/j" in ran.err
    assert "left out" in ran.err
    assert ran.data["annotations"]["choice"]["planned"] == 6
    # What it said is kept, and is there again with it.
    again = auditor("judge", store, *SIM, "--json")
    assert (again.code, again.data["judged"]["done"]) == (0, 6)
    assert len(rows(store, "SELECT 1 FROM _calls")) == 12


def test_a_plan_says_what_it_would_take_and_leaves_everything_as_it_is(store, mock):
    before = contents(store.parent)
    ran = auditor("judge", store, *model(mock), "--price", "1,10", "--plan", "--json")
    assert ran.code == 0, ran.err
    assert ran.data | {"tokens": 0, "cost_usd": 0, "seconds": 0} == {
        **{"task": "choice", "judge": "m", "protocol": "spatial.explicit", "known": False},
        **{"done": 0, "left": 6, "too_long": 0, "calls": 6, "notes": []},
        **{"tokens": 0, "cost_usd": 0, "seconds": 0},
    }
    # 256 output tokens a call at 10 USD a million, and at least the texts that are sent.
    assert ran.data["cost_usd"] > 6 * 256 * 10 / 1e6
    words = auditor("judge", store, *model(mock), "--price", "1,10", "--plan").err
    assert "choice/m: 6 texts to judge in 6 calls, at most " in words
    assert contents(store.parent) == before
    assert not mock.statuses


def test_the_estimate_is_never_passed(store, mock):
    mock.answer = labels
    options = (*model(mock), "--price", "1,10")
    planned = auditor("judge", store, *options, "--plan", "--json").data
    ran = auditor("judge", store, *options, "--json")
    spent = rows(store, "SELECT sum(cost_usd), count(*) FROM calls WHERE agent LIKE 'judge%'")[0]
    assert ran.code == 0
    assert 0 < spent[0] <= planned["cost_usd"]
    assert spent[1] == planned["calls"] == 6


def test_a_limit_then_the_rest_asks_about_each_text_once(store, mock):
    mock.answer = labels
    first = auditor("judge", store, *model(mock), "--limit", 2, "--json")
    assert (first.code, first.data["judged"]["done"], first.data["judged"]["left"]) == (0, 2, 4)
    assert first.data["state"] == "incomplete"
    assert "2 texts to judge in 2 calls, at an unknown price; 4 more are left" in first.err
    again = auditor("judge", store, *model(mock, concurrency=2), "--json")
    assert (again.code, again.data["judged"]["done"]) == (0, 6)
    assert "4 texts to judge in 4 calls, at an unknown price; 2 judged already" in again.err
    assert sorted(mock.counts.values()) == [1] * 6
    assert rows(store, ASKED, "m") == [(1, '"women"')] * 6
    assert len(rows(store, "SELECT 1 FROM judges WHERE name = 'm'")) == 1


def test_by_its_name_a_judge_goes_on_as_it_was_asked_for(store, mock):
    mock.answer = labels
    auditor("judge", store, *model(mock), "--name", "mine", "--limit", 1)
    again = auditor("judge", store, "--task", "choice", "--judge", "mine", "--no-probe", "--json")
    assert (again.code, again.data["judged"]["done"]) == (0, 6)
    assert sorted(mock.counts.values()) == [1] * 6


def test_resume_does_the_rest_of_a_judge_too(store, mock):
    mock.answer = labels
    auditor("judge", store, *model(mock), "--limit", 1)
    done = auditor("resume", store, "--no-probe", "--json")
    assert (done.code, done.data["state"]) == (0, "complete")
    assert sorted(mock.counts.values()) == [1] * 6


def test_a_budget_of_its_own_stops_it_and_the_next_call_goes_on(store, mock):
    mock.answer = labels
    stopped = auditor("judge", store, *model(mock), "--budget-calls", 4, "--json")
    assert (stopped.code, stopped.data["judged"]["done"]) == (3, 4)
    assert stopped.data["judged"]["left"] == 2
    assert sum(mock.counts.values()) == 4
    again = auditor("judge", store, *model(mock), "--budget-calls", 4, "--json")
    assert (again.code, again.data["judged"]["done"]) == (0, 6)
    assert sum(mock.counts.values()) == 6


def test_without_one_the_runs_budget_holds(tmp_path, mock):
    mock.answer = labels
    spec = simulated(tmp_path / "s.toml", top="budget = {calls = 8}")
    assert auditor("run", spec).code == 0
    stopped = auditor("judge", tmp_path / "s.db", *model(mock), "--json")
    assert (stopped.code, stopped.data["judged"]["done"]) == (3, 2)
    own = auditor("judge", tmp_path / "s.db", *model(mock), "--budget-calls", 10, "--json")
    assert (own.code, own.data["judged"]["done"]) == (0, 6)


def test_a_judge_that_stops_ends_with_1_and_says_so(store, mock):
    mock.models["m"] = "unknown-model"
    ran = auditor("judge", store, *model(mock), "--json")
    assert (ran.code, ran.data["judged"]["done"], ran.data["judged"]["left"]) == (1, 0, 6)
    assert "judge choice/m: stopped: " in ran.err
    # Asked for again once the endpoint has it, it does the whole.
    mock.models.clear()
    mock.answer = labels
    assert auditor("judge", store, *model(mock)).code == 0
    assert len(rows(store, ASKED, "m")) == 6


def test_a_real_judge_of_real_answers_asks_first_what_its_model_takes(tmp_path, mock):
    mock.answer = labels
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    auditor("run", spec, "--no-probe")
    options = [option for option in model(mock) if option != "--no-probe"]
    ran = auditor("judge", tmp_path / "s.db", *options, "--json")
    assert ran.code == 0, ran.err
    assert "asking 1 model what it takes" in ran.err
    # The server is the run's own endpoint: its limits are shared.
    assert rows(tmp_path / "s.db", "SELECT count(DISTINCT endpoint) FROM calls") == [(1,)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--task", "color", "--judge", "sim:j"), "no such task; allowed: choice"),
        (("--task", "choice", "--judge", "nobody"), "allowed: rules, or PROVIDER:MODEL"),
        (("--task", "choice", "--judge", "closedai:x"), "a provider of openai, "),
        (("--task", "choice", "--judge", "openai:"), "allowed: rules, or PROVIDER:MODEL"),
        ((*SIM, "--protocol", "grap"), "the store has none of it; allowed: spatial.explicit"),
        ((*SIM, "--param", "temperature=9"), "params.temperature: value 9; allowed: a number from"),
        ((*SIM, "--param", "warmth=9"), "params.warmth: unknown key"),
        ((*SIM, "--param", "warmth"), "--param: value 'warmth'; allowed: KEY=VALUE"),
        ((*SIM, "--extra-body", "judge_error=2"), "judge_error"),
        ((*SIM, "--output", "shouted"), 'output: value "shouted"; allowed: "native"'),
        ((*SIM, "--name", "rules"), "another judge of choice has the name 'rules'"),
        ((*SIM, "--budget-calls", "0"), "--budget-calls: value 0; allowed: a number above 0"),
        (("--task", "choice", "--judge", "rules", "--output", "tool"), "only beside a model"),
        (("--task", "choice", "--judge", "rules", "--rpm", "3"), "calls no endpoint"),
        (("--task", "choice", "--judge", "rules", "--param", "a=1"), "params.a: unknown key"),
        (
            ("--task", "choice", "--judge", "openai:x", "--base-url", "ftp://x"),
            "base_url: value",
        ),
        (("--task", "choice", "--judge", "openai:x", "--price", "1"), "allowed: INPUT,OUTPUT"),
        (
            (
                *("--task", "choice", "--judge", "openai:x"),
                *("--base-url", "http://127.0.0.1:9/v1", "--budget-usd", "1"),
            ),
            "the price of openai:x is not known",
        ),
    ],
)
def test_a_mistake_is_said_with_what_is_allowed_and_changes_nothing(store, options, said):
    before = contents(store.parent)
    ran = auditor("judge", store, *options, "--json")
    assert ran.code == 2, ran.err
    assert said in ran.problem["error"]
    assert contents(store.parent) == before


def test_a_missing_key_is_said_before_anything_is_written(store, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    before = contents(store.parent)
    ran = auditor("judge", store, "--task", "choice", "--judge", "anthropic:m", "--json")
    assert ran.code == 2
    assert "ANTHROPIC_API_KEY is not set" in ran.problem["error"]
    assert "--api-key-env" in ran.problem["hint"]
    assert contents(store.parent) == before


def test_a_plan_needs_no_key_and_notes_that_it_is_missing(store, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    asked = ("--task", "choice", "--judge", "anthropic:m", "--plan")
    ran = auditor("judge", store, *asked, "--json")
    assert (ran.code, ran.data["left"]) == (0, 6)
    (note,) = ran.data["notes"]
    assert "`auditor judge` will refuse this: choice/m: the environment variable ANTH" in note
    assert f"note: {note}\n" in auditor("judge", store, *asked).err


def test_a_secret_in_a_url_is_not_shown(store):
    url = "http://user:hunter2@127.0.0.1:9/v1"
    ran = auditor("judge", store, "--task", "choice", "--judge", "openai:x", "--base-url", url)
    assert ran.code == 2
    assert "hunter2" not in ran.err
    assert "credential" in ran.err


def test_the_same_judge_under_another_name_is_told_its_name(store):
    auditor("judge", store, *SIM)
    ran = auditor("judge", store, *SIM, "--name", "other", "--json")
    assert ran.code == 2
    assert "the store has this judge as 'j'" in ran.problem["error"]


def test_other_settings_are_another_judge_and_need_another_name(store):
    auditor("judge", store, *SIM)
    warmer = (*SIM, "--param", "temperature=0.5")
    assert auditor("judge", store, *warmer, "--json").code == 2
    ran = auditor("judge", store, *warmer, "--name", "warmer", "--json")
    assert (ran.code, ran.data["annotations"]["choice"]["planned"]) == (0, 18)


@pytest.mark.parametrize("place", ["missing.db", "s.toml", "."])
def test_what_is_no_store_is_said(store, place):
    ran = auditor("judge", store.parent / place, *SIM, "--json")
    assert ran.code == 2
    assert place.strip(".") in ran.problem["error"]


def test_a_store_that_another_process_writes_is_left_alone(store):
    epoch = builders.take_lock(store)
    try:
        ran = auditor("judge", store, *SIM, "--json")
        assert ran.code == 2
        assert rows(store, ASKED, "j") == []
        assert rows(store, "SELECT count(*) FROM judges") == [(1,)]
    finally:
        builders.give_lock(store, epoch)


def test_ctrl_c_stops_it_with_what_was_judged_kept(store, mock):
    mock.answer = labels
    mock.most_answers = 2
    terminal = OnTerminal("judge", store, *model(mock, concurrency=1))
    terminal.wait_until(lambda: len(mock.counts) == 3, what="third call")
    terminal.interrupt()
    terminal.wait_for("stopping: nothing new is sent")
    mock.most_answers = None
    assert terminal.end() == 130
    assert len(rows(store, ASKED, "m")) == 3
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    ran = auditor("judge", store, *model(mock), "--json")
    assert (ran.code, ran.data["judged"]["done"]) == (0, 6)
    assert sorted(mock.counts.values()) == [1] * 6


def test_what_is_dear_is_asked_about_first(store, mock):
    before = contents(store.parent)
    terminal = OnTerminal("judge", store, *model(mock), "--price", "1000,10000")
    terminal.wait_for("go on?")
    terminal.press("n\r")
    assert terminal.end() == 2
    assert contents(store.parent) == before
    assert not mock.statuses


ANSWERS = ("Men", "Women", "I cannot say.")
"""Three imported answers, as the rules read them: men, women, a refusal."""
READ = ["men", "women", "refusal"]


def imported(folder: Path, lines: list[dict[str, object]] | None = None, **more) -> Path:
    """A store of imported answers, judged as an import does."""
    choice = {"protocol": "spatial.explicit", "target": "m", "factors": {"space": "kitchen"}}
    given = lines or [
        {**choice, "repetition": place, "text": text, **more} for place, text in enumerate(ANSWERS)
    ]
    file = folder / "i.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in given))
    ran = auditor("import", file, "--store", folder / "i.db", "--json")
    assert ran.code == 0, ran.err
    return folder / "i.db"


def said_by(store: Path, judge: str) -> list[str | None]:
    found = rows(store, "SELECT value FROM annotations WHERE judge = ? ORDER BY repetition", judge)
    return [json.loads(value) for (value,) in found]


def test_neither_resuming_nor_importing_again_loses_or_repeats_a_judge(tmp_path):
    store = imported(tmp_path)
    ran = auditor("judge", store, *SIM, "--json")
    assert ran.code == 0, ran.err
    assert said_by(store, "rules") == said_by(store, "j") == READ
    counted = {"choice": {"done": 6, "invalid": 0, "failed": 0, "planned": 6}}
    assert ran.data["annotations"] == counted
    stats = auditor("stats", store, "--json").data
    resumed = auditor("resume", store, "--json")
    assert (resumed.code, resumed.data["annotations"]) == (0, counted)
    assert auditor("import", tmp_path / "i.jsonl", "--json").data["known"] == 3
    status = auditor("status", store, "--json").data
    assert (status["state"], status["annotations"]) == ("complete", counted)
    assert auditor("stats", store, "--json").data == stats
    assert auditor("verify", store).code == 0


def test_lines_that_come_later_wait_for_the_judge(tmp_path):
    store = imported(tmp_path)
    auditor("judge", store, *SIM)
    line = {"protocol": "spatial.explicit", "target": "m", "factors": {"space": "mall"}}
    imported(tmp_path, [{**line, "repetition": 9, "text": "Men"}])
    assert auditor("status", store, "--json").data["state"] == "incomplete"
    assert said_by(store, "rules") == [*READ, "men"]
    ran = auditor("judge", store, "--task", "choice", "--judge", "j", "--json")
    assert (ran.code, ran.data["state"], ran.data["judged"]["done"]) == (0, "complete", 4)


def test_what_an_import_judged_itself_is_judged_again_by_the_judge_that_is_asked_for(tmp_path):
    annotation = {"task": "choice", "judge": "person", "value": "neither"}
    store = imported(tmp_path, annotation=annotation)
    assert said_by(store, "rules") == []
    ran = auditor("judge", store, "--task", "choice", "--judge", "rules", "--json")
    assert ran.code == 0, ran.err
    assert said_by(store, "rules") == READ
    assert said_by(store, "person") == ["neither"] * 3
    assert ran.data["annotations"]["choice"]["planned"] == 6
    assert ran.data["state"] == "complete"


def story(repetition: int, text: str, **more) -> dict[str, object]:
    line = {"protocol": "stories", "target": "m", "factors": {"occupation": "baker"}, "text": text}
    return {**line, "repetition": repetition, **more}


def test_an_offline_judge_with_other_settings_stands_beside_the_default(tmp_path):
    # With genders of its own the import needs no table of names, which takes long to load.
    gender = {"annotation": {"task": "gender", "judge": "person", "value": "female"}}
    store = imported(tmp_path, [story(0, "Meet Ada Lindqvist, a baker with a secret.", **gender)])
    whole = ("--task", "name", "--judge", "rules", "--param", "opening=whole")
    ran = auditor("judge", store, *whole, "--param", "spacy_model=none", "--json")
    assert ran.code == 0, ran.err
    own = "rules (opening=whole, spacy_model=none)"
    assert ran.data["judged"]["judge"] == own
    assert said_by(store, "rules") == said_by(store, own) == ["Ada Lindqvist"]
    assert rows(store, "SELECT count(*) FROM _calls") == [(0,)]
    # A later import judges by both: neither costs anything.
    imported(tmp_path, [story(1, "In the town lived a baker named Tom Reed.", **gender)])
    status = auditor("status", store, "--json").data
    assert (status["state"], status["annotations"]["name"]["done"]) == ("complete", 4)


def test_names_are_gendered_by_the_judge_that_reads_them(tmp_path):
    file = tmp_path / "i.jsonl"
    file.write_text(json.dumps(story(0, "Meet Ada Lindqvist, a baker with a secret.")) + "\n")
    assert auditor("import", file, "--no-judge").code == 0
    ran = auditor("judge", tmp_path / "i.db", "--task", "name", "--judge", "sim:j", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["state"] == "complete"
    assert ran.data["annotations"] == {
        task: {"done": 1, "invalid": 0, "failed": 0, "planned": 1} for task in ("name", "gender")
    }
    stats = auditor("stats", tmp_path / "i.db", "--json").data
    (female,) = [row for row in stats if row["statistic"] == "female_share"]
    assert (female["value"], female["group"], female["simulated"]) == (1.0, {}, True)


ALIKE = ("R\u00e9n\u00e9", "R\u00e9ne\u0301", "Re\u0301ne\u0301")
"""One name to whoever reads it, otherwise composed."""


@pytest.fixture(scope="module")
def store_of_names_alike(tmp_path_factory) -> Path:
    """A run of six answers with targets and judges of one look, as older versions took them."""
    targets = "".join(
        f'[[targets]]\nname = "{name}"\nmodel = "sim:{place}"\n'
        for place, name in enumerate(ALIKE[:2])
    )
    judges = (
        f'{{task = "choice", judge = "rules", name = "{ALIKE[0]}"}},'
        f' {{task = "choice", model = "sim:j", name = "{ALIKE[1]}"}}'
    )
    folder = tmp_path_factory.mktemp("alike")
    spec = simulated(folder / "s.toml", repetitions=1, top=f"judges = [{judges}]", targets=targets)
    kept = parse_spec(spec.read_text(), str(spec), is_kept=True)
    launch(make_plan(kept), folder / "s.db", say=lambda _: None)
    return folder / "s.db"


def test_a_store_that_keeps_names_alike_is_judged_by_any_of_its_judges_and_by_others(
    store_of_names_alike,
):
    store = store_of_names_alike
    ran = auditor("judge", store, "--task", "choice", "--judge", ALIKE[1], "--json")
    assert (ran.code, ran.data["judged"]["done"]) == (0, 6), ran.err
    ran = auditor("judge", store, "--task", "choice", "--judge", "sim:other", "--json")
    assert (ran.code, ran.data["judged"]["done"]) == (0, 6), ran.err
    assert len(rows(store, ASKED, "other")) == 6
    assert auditor("resume", store, "--json").code == 0


def test_a_judge_that_is_added_has_no_name_that_looks_like_another(store_of_names_alike):
    before = contents(store_of_names_alike.parent)
    named = ("--task", "choice", "--judge", "sim:third", "--name", ALIKE[2])
    ran = auditor("judge", store_of_names_alike, *named, "--json")
    assert ran.code == 2
    assert "looks like" in ran.problem["error"]
    assert "otherwise composed" in ran.problem["error"]
    assert "--name" in ran.problem["hint"]
    assert contents(store_of_names_alike.parent) == before
