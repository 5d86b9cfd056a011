"""`plan --json` and `status --json`: the fields that others rely on, and the states of a run."""

from __future__ import annotations

import pytest

from tests.cli.driving import auditor, over_http, serving, simulated
from tests.mock_server import Quirk, openai_error

FIGURES = {"trials", "calls", "tokens", "cost_usd", "seconds"}
STATUS = {
    "run",
    "state",
    "simulated",
    "planned",
    "responses",
    "failures",
    "annotations",
    "calls",
    "retries",
    "tokens",
    "cost_usd",
    "alarms",
}


def test_a_plan_names_its_sums_and_those_of_each_target(tmp_path, mock):
    spec = over_http(
        tmp_path / "s.toml",
        mock.openai_url,
        models=("a", "b"),
        repetitions=5,
        target="samples_per_request = 2\nparams = {max_tokens = 10}",
        endpoint="price = {input = 1.0, output = 10.0}\nrequests_per_minute = 60",
    )
    plan = auditor("plan", spec, "--json").data
    assert FIGURES | {"targets"} <= set(plan)
    assert [target["target"] for target in plan["targets"]] == ["a", "b"]
    for target in plan["targets"]:
        assert set(target) >= FIGURES
    # 3 spaces x 5 repetitions, two choices a call: three calls a space, thirty tokens out each.
    assert (plan["trials"], plan["calls"]) == (30, 18)
    assert plan["seconds"] == pytest.approx(18.0)
    for name in ("trials", "calls", "tokens", "cost_usd"):
        assert plan[name] == pytest.approx(sum(target[name] for target in plan["targets"]))
    out = 30 * 10
    assert plan["cost_usd"] == pytest.approx(((plan["tokens"] - out) + 10 * out) / 1e6)
    assert not mock.statuses
    assert list(tmp_path.iterdir()) == [spec]


def test_an_unknown_price_is_null(tmp_path, mock):
    plan = auditor("plan", over_http(tmp_path / "s.toml", mock.openai_url), "--json").data
    assert plan["cost_usd"] is None
    assert plan["targets"][0]["cost_usd"] is None


def test_a_plan_is_an_upper_bound_of_what_the_run_takes(tmp_path, mock):
    spec = over_http(
        tmp_path / "s.toml",
        mock.openai_url,
        top="budget = {usd = 10.0}",
        endpoint="price = {input = 1.0, output = 10.0}",
    )
    plan = auditor("plan", spec, "--json").data
    ran = auditor("run", spec, "--no-probe", "--json").data
    assert ran["calls"] == plan["calls"]
    assert 0 < ran["cost_usd"] < plan["cost_usd"]
    assert 0 < ran["tokens"]["input"] + ran["tokens"]["output"] < plan["tokens"]


def test_status_has_every_field_of_a_finished_run(tmp_path, mock):
    spec = over_http(
        tmp_path / "s.toml", mock.openai_url, endpoint="price = {input = 1.0, output = 10.0}"
    )
    ran = auditor("run", spec, "--no-probe", "--json")
    status = auditor("status", tmp_path / "s.db", "--json").data
    assert ran.data == status
    assert set(status) >= STATUS
    tokens = status["tokens"]
    assert status["cost_usd"] == pytest.approx((tokens["input"] + 10 * tokens["output"]) / 1e6)
    assert {name: status[name] for name in ("run", "state", "simulated", "failures")} == {
        "run": "tiny",
        "state": "complete",
        "simulated": False,
        "failures": 0,
    }
    assert status["annotations"]["choice"]["done"] == 6
    assert set(status["annotations"]["choice"]) == {"done", "invalid", "failed", "planned"}


def test_cost_is_null_where_a_price_is_unknown_and_zero_where_it_is_simulated(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    assert auditor("run", spec, "--no-probe", "--json").data["cost_usd"] is None
    ran = auditor("run", simulated(tmp_path / "t.toml"), "--json").data
    assert ran["cost_usd"] == 0
    assert ran["simulated"] is True


def test_a_run_out_of_budget_is_incomplete_and_goes_on_with_more(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, top="budget = {calls = 2}")
    assert auditor("run", spec, "--no-probe").code == 3
    assert auditor("status", tmp_path / "s.db", "--json").data["state"] == "incomplete"
    assert auditor("resume", tmp_path / "s.db", "--no-probe").code == 3
    assert sum(mock.counts.values()) == 2
    spec = over_http(tmp_path / "s.toml", mock.openai_url, top="budget = {calls = 20}")
    ran = auditor("run", spec, "--no-probe", "--json")
    assert (ran.code, ran.data["state"]) == (0, "complete")
    assert set(mock.counts.values()) == {1}


def _no_garages(body, wire):
    if "garage" in str(body["messages"]):
        return openai_error(400, "This model answers no questions about garages.")
    return None


def test_failures_are_the_trials_now_without_a_response(tmp_path):
    with serving(profile=Quirk(respond=_no_garages)) as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url, endpoint="concurrency = 1")
        with_failures = auditor("run", spec, "--no-probe", "--json")
        assert with_failures.code == 1
        assert with_failures.data["state"] == "incomplete"
        assert auditor("status", tmp_path / "s.db", "--json").data == with_failures.data
        server.profile = "plain"
        after = auditor("resume", tmp_path / "s.db", "--no-probe", "--json")
    assert (with_failures.data["failures"], with_failures.data["responses"]) == (2, 4)
    assert (after.code, after.data["failures"], after.data["responses"]) == (0, 0, 6)


def test_an_alarm_is_in_the_status(tmp_path):
    with serving(profile="drifting-model") as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url, endpoint="concurrency = 1")
        ran = auditor("run", spec, "--no-probe", "--json")
    assert any("served model changed" in alarm for alarm in ran.data["alarms"])
