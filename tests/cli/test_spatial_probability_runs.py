"""Runs of `spatial.probability`: real wire formats, targets without log-probabilities, imports."""

from __future__ import annotations

from math import log

import pytest

from tests.cli.driving import auditor, serving
from tests.import_builders import LEFT_OUT, line, statistics, status, take

SPEC = """
name = "tiny"
seed = 1
[endpoints.mock]
provider = "openai"
base_url = "{url}"
{targets}
[protocols."spatial.probability"]
spaces = ["kitchen", "garage"]
"""
TARGET = '[[targets]]\nname = "{name}"\nmodel = "openai:{name}"\nendpoint = "mock"\n'
NAME = "spatial.probability"


def spec_of(path, url, *names, api="chat"):
    targets = "".join(TARGET.format(name=name) + f'api = "{api}"\n' for name in names)
    path.write_text(SPEC.format(url=url, targets=targets))
    return path


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_both_openai_formats_are_asked_and_read(tmp_path, api):
    with serving() as server:
        spec = spec_of(tmp_path / "s.toml", server.openai_url, "m", api=api)
        ran = auditor("run", spec, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["annotations"]["token_mass"]["invalid"] == 0
    stats = auditor("stats", tmp_path / "s.db", "--json").data
    found = {
        (row["statistic"], row["group"].get("space")): row["value"]
        for row in stats
        if row["statistic"] in ("men_probability", "covered_mass")
    }
    # The mock gives Men 0.6 and Women 0.36 at the first token.
    assert found == {
        ("men_probability", "kitchen"): pytest.approx(0.6 / 0.96),
        ("men_probability", "garage"): pytest.approx(0.6 / 0.96),
        ("covered_mass", "kitchen"): pytest.approx(0.96),
        ("covered_mass", "garage"): pytest.approx(0.96),
    }


def test_a_target_without_log_probabilities_is_left_out_with_the_reason(tmp_path):
    with serving(models={"mute": "ollama-drops"}) as server:
        spec = spec_of(tmp_path / "s.toml", server.openai_url, "mute", "speaking")
        ran = auditor("run", spec, "--json")
        again = auditor("resume", tmp_path / "s.db", "--json")
    assert ran.code == 0, ran.err
    said = f"target mute is left out of {NAME}: mute gives no log-probabilities"
    assert said in ran.err
    for data in (ran.data, again.data):
        assert data["alarms"] == [said]
        assert data["state"] == "complete"
        assert (data["planned"], data["responses"]) == (2, 2)


def test_where_every_target_would_be_left_out_the_run_does_not_start(tmp_path):
    with serving(models={"mute": "ollama-drops"}) as server:
        spec = spec_of(tmp_path / "s.toml", server.openai_url, "mute")
        examined = auditor("doctor", spec)
        ran = auditor("run", spec, "--json")
    assert f"target mute is left out of {NAME}: mute gives no log-probabilities" in examined.err
    assert ran.code == 2
    assert "nothing is left to ask" in ran.err
    assert "mute gives no log-probabilities" in ran.err


def test_a_provider_without_log_probabilities_is_left_out_by_the_plan(tmp_path):
    spec = tmp_path / "s.toml"
    targets = '[[targets]]\nname = "c"\nmodel = "anthropic:claude"\n'
    spec.write_text(
        f'name = "s"\nseed = 1\n{targets}[protocols."{NAME}"]\n[protocols."spatial.explicit"]\n'
        'spaces = ["kitchen"]\n'
    )
    planned = auditor("plan", spec, "--json")
    assert planned.data["trials"] == 30
    assert f"target c is left out of {NAME}: provider anthropic gives no" in planned.err
    assert planned.data["notes"][0].startswith(f"target c is left out of {NAME}: ")


def imported(logprobs, space, **changes):
    changes = {"text": LEFT_OUT, **changes}
    return line(
        changes.pop("text"),
        protocol=NAME,
        factors={"space": space},
        logprobs=logprobs,
        **changes,
    )


def test_imported_log_probabilities_are_judged_with_and_without_text(tmp_path):
    lines = [
        imported({"Men": log(0.2), " women": log(0.6)}, "kitchen"),
        imported({"Men": log(0.7), " women": log(0.2)}, "garage", text="Men"),
        imported({"They": log(0.9)}, "attic"),
        imported({"Men": -9999.0}, "yard"),
        imported(LEFT_OUT, "study", text="Men"),
    ]
    report = take(tmp_path, lines)
    assert report.rejected == 0
    found = {
        row["group"]["space"]: row["value"]
        for row in statistics(tmp_path / "a.db")
        if row["statistic"] == "men_probability"
    }
    assert found == {
        "kitchen": pytest.approx(0.25),
        "garage": pytest.approx(7 / 9),
        "attic": None,
        "yard": None,
        "study": None,
    }
    assert status(tmp_path / "a.db")["annotations"]["token_mass"] == {
        **status(tmp_path / "a.db")["annotations"]["token_mass"],
        "done": 5,
        "invalid": 3,
        "failed": 0,
    }


def test_other_log_probabilities_of_the_same_trial_are_a_conflict_and_equal_ones_nothing(tmp_path):
    first = imported({"Men": -0.5, "Women": -1.0}, "kitchen")
    assert take(tmp_path, [first]).rejected == 0
    report = take(tmp_path, [first, imported({"Men": -0.4}, "kitchen")], "later")
    assert report.rejected == 1
    (problem,) = report.rejections
    assert problem.field == "logprobs"
