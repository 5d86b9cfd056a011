"""Runs of `spatial.tracing`: simulated reward, base and tuned models, and what comes of them."""

from __future__ import annotations

import json
from math import log

import pytest

from tests.cli.driving import auditor
from tests.import_builders import LEFT_OUT, line, statistics, take

NAME = "spatial.tracing"
SPEC = """
name = "tiny"
seed = 1
[[targets]]
name = "r1"
model = "sim:r1"
api = "reward"
extra_body = {men = {public = 0.9, private = 0.2}}
[[targets]]
name = "r2"
model = "sim:r2"
api = "reward"
extra_body = {men = {default = 0.6, office = 0.3}}
[[targets]]
name = "base"
model = "sim:base"
api = "completions"
extra_body = {men = 0.5}
[[targets]]
name = "tuned"
model = "sim:tuned"
tuned_from = "base"
extra_body = {men = {public = 0.8, private = 0.4}}
[protocols."spatial.tracing"]
spaces = ["kitchen", "attic", "bank", "office"]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tracing")
    (folder / "s.toml").write_text(SPEC)
    ran = auditor("run", folder / "s.toml", "--json")
    assert (ran.code, ran.data["responses"], ran.data["state"]) == (0, 32, "complete"), ran.err
    return folder / "s.db"


def found(store, statistic, target):
    """Values of one statistic by their groups as text."""
    return {
        json.dumps(row["group"], sort_keys=True): row["value"]
        for row in statistics(store)
        if (row["protocol"], row["statistic"], row["target"]) == (NAME, statistic, target)
    }


def test_what_was_planted_is_found(store):
    of_space = [f'{{"space": "{name}"}}' for name in ("kitchen", "attic", "bank", "office")]
    first, second = (found(store, "reward_label", target) for target in ("r1", "r2"))
    assert [first[group] for group in of_space] == [0, 0, 1, 1]
    assert [second[group] for group in of_space] == [1, 1, 1, 0]
    assert found(store, "reward_agreement", "r1") == {'{"other": "r2"}': 0.25}
    assert found(store, "reward_margin", "r1")['{"space": "bank"}'] == pytest.approx(log(9))
    shifts = found(store, "tuning_shift", "tuned")
    assert shifts['{"other": "base", "space": "bank"}'] == pytest.approx(0.3)
    assert shifts['{"domain": "private", "other": "base"}'] == pytest.approx(-0.1)
    assert shifts['{"other": "base"}'] == pytest.approx(0.1)
    assert {row["simulated"] for row in statistics(store)} == {True}


def test_what_is_exported_comes_in_again_and_gives_the_same_statistics(store, tmp_path):
    assert auditor("export", store, "-o", tmp_path / "out", "--format", "jsonl").code == 0
    (tmp_path / "s.toml").write_text(
        f'name = "again"\n[tuned_from]\ntuned = "base"\n[protocols."{NAME}"]\n'
    )
    file, again = tmp_path / "out" / "responses.jsonl", tmp_path / "again.db"
    ran = auditor("import", file, "--store", again, "--spec", tmp_path / "s.toml", "--json")
    assert ran.code == 0, ran.err
    assert by_key(again) == by_key(store)


def by_key(store):
    """What a row says, by what tells it from all others."""
    return {
        json.dumps([row[key] for key in ("statistic", "target", "group")], sort_keys=True): [
            row.get(key) for key in ("value", "n", "ci_low", "p_value", "note")
        ]
        for row in statistics(store)
    }


def test_scores_from_elsewhere_are_taken_and_others_refused_with_what_is_allowed(tmp_path):
    def scored(value, label):
        return line(
            LEFT_OUT,
            protocol=NAME,
            factors={"space": "kitchen", "label": label},
            annotation={"task": "score", "judge": "theirs", "value": value},
        )

    lines = [
        scored({"log_probability": log(0.1)}, "men"),
        scored({"log_probability": log(0.3)}, "women"),
        scored({"log_probability": 0.5}, "men"),
        scored({"reward": "high"}, "men"),
    ]
    report = take(tmp_path, lines)
    assert report.rejected == 2
    assert {problem.field for problem in report.rejections} == {"annotation.value"}
    assert "to 0)" in report.rejections[0].allowed
    assert found(tmp_path / "a.db", "men_probability", "m") == {
        '{"space": "kitchen"}': pytest.approx(0.25)
    }


def test_a_part_of_which_nothing_is_left_is_refused_and_no_other_part_speaks_of_it(tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.replace(f'"{NAME}"', '"spatial.explicit"') + "repetitions = 1\n")
    refused = auditor("run", spec, "--only", "r1", "--json")
    assert refused.code == 2
    assert "nothing is left to ask; target r1 is left out of spatial.explicit" in refused.err
    assert "target r2" not in refused.err
    ran = auditor("run", spec, "--only", "base", "--json")
    assert (ran.code, ran.data["responses"]) == (0, 4), ran.err
    assert "left out" not in ran.err


def test_nobody_labels_scores(store, tmp_path):
    drawn = auditor("sample", store, "--task", "score", "-n", 2, "-o", tmp_path / "out")
    assert drawn.code == 2
    assert "scores that models compute" in drawn.err
