"""`auditor judge` where a task has settings, and where there is nothing to judge."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.driving import auditor, contents, rows

SPEC = """
name = "tiny"
[[targets]]
model = "sim:fair"
[protocols.grap]
pairs = 3
"""
COUNTED = "SELECT json_extract(j.configuration, '$.setting'), count(*) FROM _annotations a JOIN"
COUNTED += " judges j ON j.id = a.judge_id WHERE j.name = ? GROUP BY 1 ORDER BY 1"
RUBRIC = ("--task", "rubric", "--judge")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The folder of a finished run of three simulated pairs, scored from word lists."""
    folder = tmp_path_factory.mktemp("grap")
    (folder / "s.toml").write_text(SPEC)
    assert auditor("run", folder / "s.toml", "--json").code == 0
    return folder


@pytest.fixture
def store(made, tmp_path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "s.db"


def imported(folder: Path, *lines: dict[str, object]) -> Path:
    """A store of these lines of one target, judged as an import does."""
    file = folder / "i.jsonl"
    file.write_text(
        "".join(json.dumps({"target": "m", "repetition": 0, **line}) + "\n" for line in lines)
    )
    ran = auditor("import", file, "--store", folder / "i.db", "--json")
    assert ran.code == 0, ran.err
    return folder / "i.db"


def test_a_limit_is_on_all_settings_together_and_one_of_them_may_go_on_alone(store):
    first = auditor("judge", store, *RUBRIC, "sim:j", "--limit", 3, "--json")
    assert (first.code, first.data["judged"]["done"], first.data["judged"]["left"]) == (0, 3, 9)
    assert "3 texts to judge in 3 calls" in first.err
    assert rows(store, COUNTED, "j") == [("full", 2), ("response_only", 1)]
    only = auditor("judge", store, *RUBRIC, "sim:j", "--setting", "full", "--json")
    assert (only.code, only.data["judged"]["done"]) == (0, 6)
    assert rows(store, COUNTED, "j") == [("full", 6), ("response_only", 1)]
    both = only.data["annotations"]["rubric"]["planned"]
    assert both == 24, "the other one stays in the plan"


def test_pairs_in_one_setting_are_counted_by_their_answers(store):
    paired = (*RUBRIC, "sim:j", "--setting", "response_only", "--option", "paired=true")
    one = auditor("judge", store, *paired, "--limit", 1, "--json")
    assert one.code == 2
    assert "--limit 1: rubric/j judges both answers of a pair in one call; allowed: 2" in one.err
    ran = auditor("judge", store, *paired, "--limit", 3, "--json")
    assert (ran.code, ran.data["judged"]["done"], ran.data["judged"]["left"]) == (0, 2, 4)
    assert rows(store, COUNTED, "j") == [("response_only", 2)]
    named = "SELECT DISTINCT json_extract(configuration, '$.group') FROM judges WHERE name = 'j'"
    assert [json.loads(group) for (group,) in rows(store, named)] == [{"paired": True}]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("sim:j", "--setting", "wat"), "--setting: value 'wat'; allowed: full, response_only"),
        (("lexicon", "--setting", ""), "--setting: value ''; allowed: full, response_only"),
        (("sim:j", "--name", " "), "--name: value ' '; allowed: 1 to 100 characters"),
        (("sim:",), "--judge: value 'sim:': a provider without a model; allowed: lexicon, or "),
        (("",), "--judge: value '': no judge is named; allowed: lexicon, or PROVIDER:MODEL"),
        (("sim:j", "--option", "paired=7"), "options.paired: value 7; allowed: false, true"),
    ],
)
def test_what_is_no_judge_is_said_with_what_is_allowed(made, options, said):
    ran = auditor("judge", made / "s.db", *RUBRIC, *options, "--json")
    assert ran.code == 2
    assert said in ran.problem["error"]


def gender(repetition: int, value: str) -> dict[str, object]:
    annotation = {"task": "gender", "judge": "person", "value": value}
    return {
        **{"protocol": "stories", "factors": {"occupation": "baker"}},
        **{"repetition": repetition, "annotation": annotation},
    }


def test_a_judge_with_nothing_to_read_is_refused_and_no_figure_is_touched(tmp_path):
    store = imported(tmp_path, gender(0, "female"), gender(1, "male"))
    before = contents(tmp_path)
    for judge in ("rules", "sim:j"):
        ran = auditor("judge", store, "--task", "name", "--judge", judge, "--json")
        assert ran.code == 2
        assert "nothing is to be judged: the store has no answer of stories with a" in ran.err
    assert contents(tmp_path) == before


def test_figures_of_a_target_that_a_judge_cannot_read_stay_real_and_single(tmp_path):
    """Of one target the answers came in, of the other only somebody's judgements."""
    text = {"text": "Meet Ada Lindqvist, a baker with a secret.", "target": "read"}
    store = imported(tmp_path, {**gender(0, "female"), **text}, gender(0, "male"))
    (before,) = shares_of("m", store)
    assert auditor("judge", store, "--task", "name", "--judge", "sim:j", "--json").code == 0
    (after,) = shares_of("m", store)
    assert (after["value"], after["n"]) == (before["value"], before["n"]) == (0.0, 1)
    assert not after["simulated"]
    assert {row["group"]["source"] for row in shares_of("read", store)} == {"rules", "j"}


def shares_of(target: str, store: Path) -> list[dict[str, object]]:
    found = auditor("stats", store, "--json").data
    return [r for r in found if (r["statistic"], r["target"]) == ("female_share", target)]


ANSWER = "You might perhaps lead the team with confidence and care over the years of work."


def test_imported_answers_are_left_out_of_a_setting_that_shows_the_prompt(tmp_path):
    pair = {"protocol": "grap", "text": ANSWER}
    lines = [{**pair, "factors": {"pair": 0, "gender": level}} for level in ("female", "male")]
    file = tmp_path / "i.jsonl"
    file.write_text(
        "".join(json.dumps({"target": "m", "repetition": 0, **a}) + "\n" for a in lines)
    )
    ran = auditor("import", file, "--json")
    assert ran.err.count("rubric/lexicon (full) is left out: it has to see what was asked") == 1
    store = tmp_path / "i.db"
    assert rows(store, COUNTED, "lexicon") == [("response_only", 2)]
    again = auditor("judge", store, *RUBRIC, "sim:j", "--json")
    assert (again.code, again.data["judged"]["done"], again.data["judged"]["invalid"]) == (0, 2, 0)
    assert "rubric/j (full) is left out" in again.err
    assert rows(store, COUNTED, "j") == [("response_only", 2)]
    full = auditor("judge", store, *RUBRIC, "sim:j", "--setting", "full", "--json")
    assert full.code == 2
    assert auditor("resume", store, "--json").data["annotations"]["rubric"]["planned"] == 4
    planned = "SELECT DISTINCT json_extract(configuration, '$.setting') FROM planned_judges"
    assert rows(store, f"{planned} JOIN judges ON id = judge_id") == [("response_only",)]


def test_statistics_by_other_presets_are_shown_and_not_stored(store):
    before = auditor("stats", store, "--json").data
    other = auditor("stats", store, "--presets", "C, all", "--json")
    assert other.code == 0, other.err
    fitted = {row["group"]["preset"] for row in other.data if row["statistic"] == "probe_auc"}
    assert fitted == {"C", "all"}
    assert auditor("stats", store, "--json").data == before
    refused = auditor("stats", store, "--presets", "F,X")
    assert (refused.code, "no preset 'X'; allowed: F, C, all" in refused.err) == (2, True)
