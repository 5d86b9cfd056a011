"""What endpoints do, as a run's user meets it."""

from __future__ import annotations

import socket

from tests.cli.driving import auditor, over_http, rows, serving
from tests.mock_server import Faults

MESSAGE = "SELECT count(*), count(DISTINCT message) FROM failures"


def test_a_content_filter_is_an_outcome_and_the_run_completes(tmp_path):
    with serving(profile="azure-filter") as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url)
        ran = auditor("run", spec, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["targets"][0]["outcomes"] == {"filtered": 6}
    assert ran.data["failures"] == 0
    stats = auditor("stats", tmp_path / "s.db", "--json").data
    refusals = [row for row in stats if row["statistic"] == "refusal_rate" and not row["group"]]
    assert [row["value"] for row in refusals] == [1.0]
    assert all(row["value"] is None for row in stats if row["statistic"] == "men_share")


def test_a_filter_after_the_answer_is_an_outcome_too(tmp_path):
    with serving(profile="azure-filter-after") as server:
        ran = auditor("run", over_http(tmp_path / "s.toml", server.openai_url), "--json")
    assert ran.code == 0, ran.err
    assert ran.data["targets"][0]["outcomes"] == {"filtered": 6}


def test_a_used_up_quota_stops_the_endpoint_at_once_with_one_message(tmp_path):
    with serving(profile="quota") as server:
        spec = over_http(
            tmp_path / "s.toml",
            server.openai_url,
            models=("a", "b"),
            repetitions=100,
            endpoint="concurrency = 2",
        )
        ran = auditor("run", spec, "--no-probe", "--json")
        calls = sum(server.statuses.values())
    assert ran.code == 1
    assert calls <= 2
    said = [alarm for alarm in ran.data["alarms"] if "exceeded your current quota" in alarm]
    assert len(said) == len(ran.data["alarms"]) == 2, "one for each target"
    assert "ended with 600 trials without a response" in ran.err


def test_a_refused_key_stops_the_endpoint_at_once(tmp_path):
    with serving(key="right") as server:
        spec = over_http(
            tmp_path / "s.toml",
            server.openai_url,
            repetitions=100,
            endpoint="concurrency = 2",
        )
        ran = auditor("run", spec, "--no-probe", "--json")
        calls = sum(server.statuses.values())
    assert ran.code == 1
    assert calls <= 2
    assert len(ran.data["alarms"]) == 1


def test_an_unknown_model_stops_its_target_only(tmp_path):
    with serving(models={"gone": "unknown-model"}) as server:
        spec = over_http(
            tmp_path / "s.toml",
            server.openai_url,
            models=("gone", "here"),
            repetitions=20,
            endpoint="concurrency = 2",
        )
        ran = auditor("run", spec, "--no-probe", "--json")
        refused = server.statuses[404]
    assert ran.code == 1
    assert refused <= 2
    assert {t["target"]: t["responses"] for t in ran.data["targets"]} == {"gone": 0, "here": 60}
    assert ran.data["annotations"]["choice"]["done"] == 60
    (alarm,) = ran.data["alarms"]
    assert alarm.startswith("target gone: stopped: ")
    assert "does not exist" in alarm


def test_faults_that_pass_are_retried_and_leave_no_trace_in_the_answers(tmp_path):
    faults = Faults(script={1: "500"}, rate=0.0)
    with serving(faults=faults) as server:
        spec = over_http(tmp_path / "s.toml", server.openai_url)
        ran = auditor("run", spec, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["responses"], ran.data["retries"]) == (6, 6)
    assert ran.data["calls"] == 12
    assert rows(tmp_path / "s.db", MESSAGE) == [(0, 0)]


def test_a_server_that_is_not_there_is_named(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        # Bound and not listening: nobody else can take the port meanwhile.
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        spec = over_http(tmp_path / "s.toml", url)
        ran = auditor("doctor", spec)
    assert ran.code == 1
    assert url in ran.out
    assert "Traceback" not in ran.err
