"""A run with an outside protocol, its judge and a command beside it, from spec to export."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import rubrics
from auditor import protocols
from tests.cli.driving import Ran, auditor, rows
from tests.outside import install_plugin

SCRIPT = """#!{python} -SE
import json, sys
print(json.dumps({{"hello": {{"version": "3"}}}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    side = "woman" if "woman" in request["text"] else "man"
    print(json.dumps({{"id": request["id"], "value": side}}), flush=True)
"""
SPEC = """name = "coins"
judges = [
  {task = "side", judge = "words"},
  {task = "side", name = "mine", command = ["./my-judge"]},
]
[[targets]]
name = "planted"
model = "sim:m"
extra_body = {man = 1}
[protocols.coin]
repetitions = 4
"""


COMMAND_ALONE = SPEC.replace('  {task = "side", judge = "words"},\n', "")
"""Starts a process less."""


def write(folder: Path, text: str = SPEC) -> Path:
    folder.mkdir()
    (folder / "my-judge").write_text(SCRIPT.format(python=sys.executable))
    (folder / "my-judge").chmod(0o755)
    spec = folder / "coins.toml"
    spec.write_text(text)
    return spec


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory):
    """The folder of a run that was stopped after 5 trials and resumed from another folder."""
    folder = tmp_path_factory.mktemp("coins")
    spec = write(folder / "runs")
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rubrics, "_mounted", {})
        protocols._outside.cache_clear()
        for place in install_plugin(folder / "site"):
            patch.syspath_prepend(place)
        os.chdir(folder)
        try:
            first = auditor("run", Path("runs/coins.toml"), "--limit", 5, "--json")
            os.chdir(folder / "site")
            second = auditor("resume", Path("../runs/coins.db"), "--json")
        finally:
            os.chdir(before)
        yield spec, first, second
    protocols._outside.cache_clear()


def test_both_judges_annotate_all_and_a_resume_finds_the_command_again(ran):
    _, first, second = ran
    assert (first.code, first.data["responses"]) == (0, 5)
    assert second.code == 0, second.err
    assert second.data["state"] == "complete"
    done = {"done": 8 * 2, "invalid": 0, "failed": 0, "planned": 8 * 2}
    assert second.data["annotations"]["side"] == done
    assert "note: judge side/mine runs the command ./my-judge" in second.err


def test_statistics_name_the_judge_that_they_rest_on(ran):
    spec, *_ = ran
    found = auditor("stats", spec.with_suffix(".db"), "--json").data
    assert {(row["group"]["job"], row["group"]["judge"]) for row in found} == {
        (job, judge) for job in ("nurse", "pilot") for judge in ("words", "mine")
    }
    assert {(row["protocol"], row["statistic"], row["value"], row["n"]) for row in found} == {
        ("coin", "man_share", 1, 4)
    }


def test_the_store_keeps_what_each_judge_depends_on(ran):
    spec, *_ = ran
    store = spec.with_suffix(".db")
    kept = {
        name: json.loads(text)
        for name, text in rows(store, "SELECT name, configuration FROM judges")
    }
    assert kept["words"]["plugin"] == {"distribution": "auditor-coin", "version": "1.2"}
    assert kept["mine"]["configuration"]["hello"] == {"version": "3"}
    assert list(kept["mine"]["configuration"]["files"]) == ["./my-judge"]
    ((versions, place),) = rows(store, "SELECT versions, spec_path FROM runs")
    assert json.loads(versions)["auditor-coin"] == "1.2"
    assert place == "coins.toml"


def test_what_is_exported_can_be_imported_elsewhere(ran, tmp_path):
    spec, *_ = ran
    assert auditor("export", spec.with_suffix(".db"), "-o", tmp_path).code == 0
    store = tmp_path / "copy.db"
    for part, taken in (("responses", 8), ("annotations", 16)):
        brought = auditor("import", tmp_path / f"{part}.jsonl", "--store", store)
        assert brought.code == 0, brought.err
        assert f"{taken} lines taken" in brought.err
    found = auditor("stats", store, "--json").data
    assert {row["value"] for row in found} == {1}


def test_an_import_is_judged_by_the_command_of_its_spec(ran, tmp_path):
    text = COMMAND_ALONE.partition("[[targets]]")[0] + "[protocols.coin]\n"
    spec = write(tmp_path / "there", text)
    line = {"protocol": "coin", "target": "t", "factors": {"job": "nurse"}, "repetition": 0}
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps({**line, "text": "A woman."}) + "\n")
    store = tmp_path / "imported.db"
    brought = auditor("import", file, "--spec", spec, "--store", store)
    assert brought.code == 0, brought.err
    (values,) = rows(store, "SELECT group_concat(DISTINCT value) FROM annotations")
    assert values == ('"woman"',)
    assert rows(store, "SELECT count(*) FROM annotations") == [(1,)]


def test_a_program_that_has_changed_judges_anew_beside_what_there_is(ran, tmp_path):
    spec = Path(shutil.copytree(ran[0].parent, tmp_path / "there")) / "coins.toml"
    program = spec.with_name("my-judge")
    program.write_text(program.read_text().replace('"3"', '"4"'))
    again = auditor("run", spec, "--json")
    assert again.code == 0
    assert again.data["calls"] == 8, "answers were generated again"
    assert rows(spec.with_suffix(".db"), "SELECT count(*) FROM judges WHERE name = 'mine'") == [
        (2,)
    ]


@pytest.mark.parametrize("command", ["run", "plan", "doctor"])
def test_a_command_that_is_not_there_is_said_before_anything_is_spent(ran, command, tmp_path):
    spec = write(tmp_path / "there")
    spec.with_name("my-judge").unlink()
    refused: Ran = auditor(command, spec, "--json")
    assert refused.code == 2
    assert f"{spec}:4: judges[1].command: " in refused.problem["error"]
    assert "my-judge is not there" in refused.problem["error"]
    assert not spec.with_suffix(".db").exists()


def test_a_judge_that_dies_costs_its_own_annotations_and_exit_code_1(ran, tmp_path):
    text = COMMAND_ALONE.replace("man = 1", "man = 0.5").replace("= 4", "= 8")
    spec = write(tmp_path / "there", text)
    program = spec.with_name("my-judge")
    dies = "    side = 1 / 0 if 'woman' in request['text'] else 'man'\n"
    program.write_text(program.read_text().replace("    side", f"{dies}    side", 1))
    ended = auditor("run", spec, "--json")
    assert ended.code == 1
    assert ended.data["responses"] == 16
    store = spec.with_suffix(".db")
    ((women,),) = rows(store, "SELECT count(*) FROM responses WHERE text = 'A woman.'")
    side = ended.data["annotations"]["side"]
    assert 0 < women < 16
    assert (side["done"], side["failed"]) == (16 - women, women)
    ((message,),) = rows(spec.with_suffix(".db"), "SELECT DISTINCT message FROM failures")
    assert "ZeroDivisionError: division by zero" in message


def test_a_store_can_be_looked_at_where_the_package_is_gone(ran, monkeypatch):
    spec, *_ = ran
    monkeypatch.setattr(sys, "path", [place for place in sys.path if "coins" not in place])
    store = spec.with_suffix(".db")
    assert auditor("status", store).code == 0
    assert auditor("show", store, "-n", 1).code == 0
    resumed = auditor("resume", store)
    assert resumed.code == 2
    assert "protocols.coin: unknown protocol" in resumed.err
