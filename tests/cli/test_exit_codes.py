"""What the exit code says, and the error object that goes with it."""

from __future__ import annotations

import sys

import pytest

from tests.cli.driving import (
    PATIENCE_SECONDS,
    SCRIPT,
    as_process,
    auditor,
    begin,
    over_http,
    rows,
    serving,
    simulated,
)
from tests.mock_server import Faults

PRICED = "price = {input = 1.0, output = 1.0}"


def test_a_run_that_does_all_it_planned_exits_0(tmp_path):
    ran = auditor("run", simulated(tmp_path / "s.toml"))
    assert ran.code == 0, ran.err
    assert "complete; store: " in ran.err


def test_a_part_that_is_done_exits_0_and_says_what_is_left(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    ran = auditor("run", spec, "--limit", "2")
    assert ran.code == 0
    assert "this part is done; 4 trials of the plan are to go" in ran.err
    assert "to go on: auditor resume " in ran.err


def test_a_run_with_failures_exits_1_and_says_how_to_go_on(tmp_path, mock):
    mock.faults = Faults(rate=1.0, kinds=("garbled",))
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint="timeout_seconds = 1")
    with serving(profile="unknown-model") as other:
        ran = auditor("run", over_http(spec, other.openai_url), "--no-probe")
    assert ran.code == 1
    assert "ended with 6 trials without a response" in ran.err
    assert f"to go on: auditor resume {spec.with_suffix('.db')}" in ran.err


def test_failures_within_the_tolerance_exit_0(tmp_path):
    with serving(models={"gone": "unknown-model"}) as server:
        spec = over_http(
            tmp_path / "s.toml",
            server.openai_url,
            models=("here", "gone"),
            top="max_failure_rate = 0.5",
        )
        ran = auditor("run", spec, "--no-probe")
    assert ran.code == 0, ran.err
    assert "complete but for 6 trials, which the spec tolerates" in ran.err


@pytest.mark.parametrize("limit", ["usd = 0.00025", "calls = 4", "tokens = 200"])
def test_a_run_that_its_budget_stops_exits_3(tmp_path, mock, limit):
    spec = over_http(
        tmp_path / "s.toml", mock.openai_url, top=f"budget = {{{limit}}}", endpoint=PRICED
    )
    ran = auditor("run", spec, "--no-probe", "--json")
    assert ran.code == 3, ran.err
    assert ran.data["state"] == "incomplete"
    assert 0 < ran.data["responses"] < 6
    assert "stopped by the budget" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["frobnicate"],
        ["run", "nowhere.toml", "--frobnicate"],
        ["run", "nowhere.toml", "--limit", "0"],
        ["run", "nowhere.toml", "--limit", "many"],
        ["run", "nowhere.toml"],
        ["resume", "nowhere.db"],
        ["plan", "nowhere.toml"],
        ["doctor", "nowhere.toml"],
        ["status", "nowhere.db"],
        ["watch", "nowhere.db"],
        ["stats", "nowhere.db"],
        ["verify", "nowhere.db"],
        ["explain", "nothing"],
        ["list", "nothing"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2_with_one_sentence_in_words_and_in_json(arguments):
    in_words = auditor(*arguments)
    in_json = auditor(*arguments, "--json")
    assert (in_words.code, in_json.code) == (2, 2)
    assert (in_words.out, in_json.out) == ("", "")
    assert in_words.err.startswith("error: ")
    assert len(in_json.err.splitlines()) == 1
    assert set(in_json.problem) == {"error", "where", "hint"}
    assert in_json.problem["error"]
    assert f"error: {in_json.problem['error']}" in in_words.err


def test_an_error_of_one_command_is_not_json_because_the_last_one_was():
    auditor("status", "nowhere.db", "--json")
    assert auditor("status", "nowhere.db").err.startswith("error: nowhere.db: no such file")


def test_without_a_command_the_help_is_all_that_is_said():
    ran = auditor()
    assert ran.code == 2
    assert "Usage: auditor" in ran.out
    assert ran.err == ""


def test_an_unexpected_error_exits_1_and_is_an_object_too(tmp_path, monkeypatch):
    spec = simulated(tmp_path / "s.toml")
    auditor("run", spec)
    store = spec.with_suffix(".db")
    monkeypatch.setattr("auditor.store.progress._state", lambda *_, **__: {}["a bug"])
    in_words = auditor("status", store)
    assert in_words.code == 1
    assert "Traceback" in in_words.err
    assert "error: unexpected " in in_words.err.splitlines()[-2]
    in_json = auditor("status", store, "--json")
    assert in_json.code == 1
    assert in_json.out == ""
    assert "KeyError" in in_json.problem["error"]
    assert ".py:" in in_json.problem["where"]


@pytest.mark.parametrize("command", [(sys.executable, "-m", "auditor"), (str(SCRIPT),)])
def test_the_module_and_the_script_are_one_program(command, tmp_path):
    process = begin("status", tmp_path / "nowhere.db", "--json", command=command)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (2, "")
    assert '"hint": "name a store (.db)"' in err


def test_the_store_of_a_process_is_the_store_of_the_next(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    assert auditor("run", spec, "--limit", "2").code == 0
    ran = as_process("resume", spec.with_suffix(".db"), "--json")
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == 6
    assert rows(spec.with_suffix(".db"), "SELECT count(*) FROM _calls") == [(6,)]
