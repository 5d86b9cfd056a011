"""A run whose spec has changed: what is there counts, and only what is missing is asked."""

from __future__ import annotations

import pytest

from tests.cli.driving import auditor, over_http, rows, serving

TARGET = 'params = {max_tokens = 20}\nsystem = "Be brief."'


def calls(server) -> int:
    return sum(server.statuses.values())


@pytest.fixture
def begun(tmp_path, mock):
    """A finished run of 3 spaces x 2 repetitions; gives the function that writes its spec."""

    def spec(**changes):
        return over_http(tmp_path / "s.toml", mock.openai_url, **{"target": TARGET, **changes})

    assert auditor("run", spec(), "--no-probe").code == 0
    assert calls(mock) == 6
    return spec


@pytest.mark.parametrize(
    ("changes", "added"),
    [
        ({"repetitions": 5}, 9),
        ({"spaces": ("kitchen", "garage", "mall", "park")}, 2),
        ({"protocol": 'prompt = ["1", "2"]'}, 6),
        ({"protocol": "temperature = [1.0, 0.5]"}, 6),
        ({"models": ("a", "b")}, 6),
    ],
    ids=["repetitions", "spaces", "prompts", "temperatures", "targets"],
)
def test_more_of_anything_sends_the_new_trials_only(begun, mock, changes, added):
    before = dict(mock.counts)
    ran = auditor("run", begun(**changes), "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert calls(mock) == 6 + added
    assert {key: mock.counts[key] for key in before} == before
    assert ran.data["planned"] == ran.data["responses"] == 6 + added
    assert ran.data["annotations"]["choice"]["done"] == 6 + added


@pytest.mark.parametrize("changes", [{"repetitions": 1}, {"spaces": ("kitchen",)}], ids=str)
def test_less_is_kept_and_not_counted(begun, mock, changes, tmp_path):
    fewer = 3 if "repetitions" in changes else 2
    ran = auditor("run", begun(**changes), "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["planned"] == ran.data["responses"] == fewer
    assert ran.data["annotations"]["choice"] == {
        "done": fewer,
        "invalid": ran.data["annotations"]["choice"]["invalid"],
        "failed": 0,
        "planned": fewer,
    }
    stats = auditor("stats", tmp_path / "s.db", "--json").data
    assert sum(r["n"] for r in stats if r["statistic"] == "refusal_rate" and not r["group"]) == (
        fewer
    )
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM _responses") == [(6,)]
    again = auditor("run", begun(), "--no-probe", "--json")
    assert again.data["responses"] == 6
    assert calls(mock) == 6


def test_a_target_less_and_again_costs_nothing(begun, mock):
    auditor("run", begun(models=("a", "b")), "--no-probe")
    ran = auditor("run", begun(models=("b",)), "--no-probe", "--json")
    assert ran.data["planned"] == ran.data["responses"] == 6
    assert auditor("run", begun(models=("a", "b")), "--no-probe", "--json").code == 0
    assert calls(mock) == 12


@pytest.mark.parametrize(
    ("target", "field", "old", "new"),
    [
        (TARGET.replace("20", "30"), "params", '{"max_tokens":20}', '{"max_tokens":30}'),
        (TARGET.replace("Be brief.", "Be long."), "system", '"Be brief."', '"Be long."'),
        (TARGET + '\nvariant = "Q4"', "variant", '""', '"Q4"'),
        (TARGET + "\nextra_body = {think = false}", "extra_body", "{}", '{"think":false}'),
    ],
    ids=["params", "system", "variant", "extra_body"],
)
def test_another_request_under_an_old_name_is_refused(begun, mock, target, field, old, new):
    ran = auditor("run", begun(target=target), "--no-probe")
    assert ran.code == 2
    assert f"target 'a' already has answers to another request; {field}: {old}" in ran.err
    assert f"in the store, {new} in the spec" in ran.err
    assert "--supersede" in ran.err
    assert calls(mock) == 6
    assert auditor("run", begun(), "--no-probe").code == 0
    assert calls(mock) == 6


def test_supersede_asks_anew_and_counts_the_new_answers(begun, mock, tmp_path):
    other = begun(target=TARGET.replace("20", "30"))
    ran = auditor("run", other, "--no-probe", "--supersede", "--json")
    assert ran.code == 0, ran.err
    assert calls(mock) == 12
    assert ran.data["planned"] == ran.data["responses"] == 6
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM _responses") == [(12,)]
    stats = auditor("stats", tmp_path / "s.db", "--json").data
    assert {row["target"] for row in stats} <= {"a", "*"}
    assert auditor("verify", tmp_path / "s.db").code == 0


def test_a_renamed_target_keeps_its_answers(begun, mock, tmp_path):
    spec = begun()
    spec.write_text(spec.read_text().replace('name = "a"', 'name = "alpha"'))
    ran = auditor("run", spec, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert calls(mock) == 6
    assert [target["target"] for target in ran.data["targets"]] == ["alpha"]
    assert ran.data["responses"] == 6
    stats = auditor("stats", tmp_path / "s.db", "--json").data
    assert "alpha" in {row["target"] for row in stats}
    assert "a" not in {row["target"] for row in stats}


def test_two_targets_may_swap_their_names(begun, mock, tmp_path):
    spec = begun(models=("a", "b"))
    auditor("run", spec, "--no-probe")
    text = spec.read_text()
    spec.write_text(
        text.replace('name = "a"', 'name = "?"')
        .replace('name = "b"', 'name = "a"')
        .replace('name = "?"', 'name = "b"')
    )
    assert auditor("run", spec, "--no-probe").code == 0
    assert calls(mock) == 12
    query = "SELECT DISTINCT target, model FROM responses ORDER BY 1"
    assert [row[0] for row in rows(tmp_path / "s.db", query)] == ["a", "b"]


def test_another_address_of_the_same_model_is_no_other_request(begun, mock, tmp_path):
    with serving() as moved:
        spec = over_http(
            tmp_path / "s.toml", moved.openai_url, target=TARGET, repetitions=3, endpoint=""
        )
        assert auditor("run", spec, "--no-probe").code == 0
        assert calls(moved) == 3
    assert calls(mock) == 6


def test_resume_goes_by_the_spec_in_the_store_and_names_the_one_that_differs(begun, mock, tmp_path):
    spec = begun(repetitions=4)
    assert auditor("run", spec, "--no-probe", "--limit", "2").code == 0
    edited = begun(repetitions=9)
    ran = auditor("resume", tmp_path / "s.db", "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["planned"] == 12
    assert f"note: {edited} differs from the spec of this run" in ran.err
    assert "in protocols.spatial.explicit.repetitions" in " ".join(ran.err.split())
    assert f"`auditor run {edited}` takes the changes" in ran.err
    assert calls(mock) == 12


@pytest.mark.parametrize("fate", ["deleted", "unchanged", "no longer TOML", "no longer text"])
def test_resume_needs_no_spec_file(begun, mock, fate, tmp_path):
    spec = begun(repetitions=3)
    assert auditor("run", spec, "--no-probe", "--limit", "1").code == 0
    if fate == "deleted":
        spec.unlink()
    elif fate == "no longer TOML":
        spec.write_text("seed = 1\n= = =")
    elif fate == "no longer text":
        spec.write_bytes(b"seed = 1\n# \xff")
    ran = auditor("resume", tmp_path / "s.db", "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == 9
    notes = [line for line in ran.err.splitlines() if line.startswith("note: ")]
    said = {"no longer TOML": "not TOML", "no longer text": "byte 0xff is not UTF-8"}
    assert len(notes) == (fate in said)
    for note in notes:
        assert "this run goes by the spec that its store keeps" in note
        assert f"cannot be read: {spec}:2: {said[fate]}" in note
        assert "takes the changes" not in note


def test_a_finished_run_started_again_sends_nothing(begun, mock, tmp_path):
    for arguments in (["run", begun()], ["resume", tmp_path / "s.db"]):
        ran = auditor(*arguments, "--no-probe", "--json")
        assert ran.code == 0
        assert ran.data["state"] == "complete"
    assert calls(mock) == 6


def test_changed_limits_are_no_other_plan(begun, mock):
    ran = auditor(
        "run",
        begun(top="max_failure_rate = 0.5\nbudget = {calls = 100}", endpoint="concurrency = 3"),
        "--no-probe",
    )
    assert ran.code == 0, ran.err
    assert calls(mock) == 6
