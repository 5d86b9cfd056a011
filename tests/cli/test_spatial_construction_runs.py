"""`spatial.construction` from the command line, where no parser is installed, and from a file."""

import json

import pytest

from agents.judges import _name_spacy
from tests.cli.driving import auditor

SPEC = """
name = "stories"
seed = 1
[[targets]]
name = "planted"
model = "sim:planted"
extra_body = {refusal = 0.2, empty = 0.1, other_language = 0.2, very_long = 0.1}
[protocols."spatial.construction"]
repetitions = 4
spaces = ["bar", "kitchen"]
"""
MENDS = "pip install 'bias-auditor[nlp]' mends it"


@pytest.fixture
def no_model(monkeypatch):
    monkeypatch.setattr(_name_spacy, "MODELS", ("no_such_model",))


def rows(data, statistic):
    return [row for row in data if row["statistic"] == statistic]


def test_a_run_without_a_parser_keeps_its_stories_and_says_what_mends_it(tmp_path, no_model):
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC)
    store = tmp_path / "s.db"
    examined = auditor("doctor", spec, "--json")
    assert examined.code == 2
    ready = {judge["task"]: judge["ready"] for judge in examined.data["judges"]}
    assert ready == {
        "words": True, "sentiment": True, "adjectives": False, "agency": False, "role": True
    }  # fmt: skip
    ran = auditor("run", spec, "--json")
    assert ran.code == 1
    assert (
        f"note: judge agency/rules: no spaCy model is installed, so it judges nothing; {MENDS}"
        in (ran.err)
    )
    status = ran.data
    assert (status["state"], status["responses"]) == ("incomplete", 24)
    assert any(MENDS in alarm for alarm in status["alarms"])
    done = {task: counts["done"] for task, counts in status["annotations"].items()}
    assert done["words"] == done["sentiment"] == done["role"] > done["agency"] == 0
    stats = auditor("stats", store, "--json").data
    assert {row["statistic"] for row in stats} >= {"word_limit_rate", "sentiment_mean"}
    assert not rows(stats, "agency_rate")
    assert {row["group"]["reason"] for row in rows(stats, "unread_stories")} == {
        "empty",
        "not English",
    }


def line(story, task, value, repetition=0, **more):
    return json.dumps(
        {
            "protocol": "spatial.construction",
            "target": "theirs",
            "factors": {"space": "kitchen", "story": story},
            "repetition": repetition,
            "annotation": {"task": task, "judge": "people", "value": value},
            **more,
        }
    )


def test_annotations_come_in_from_a_file_and_go_out_again(tmp_path, no_model):
    file = tmp_path / "theirs.jsonl"
    lines = [
        line("solo_man", "agency", [{"gender": "men", "argument": "ARG0"}]),
        line("solo_woman", "agency", [{"gender": "women", "argument": "ARG1"}]),
        line("solo_man", "adjectives", [{"adjective": "strong", "gender": "men"}]),
        line("solo_woman", "adjectives", [{"adjective": "shy", "gender": "women"}]),
        line("solo_man", "sentiment", 0.5, 2, text="He was happy in the kitchen."),
        line("co_present", "role", {"man": "Leader", "woman": "Dependent"}),
        line("co_present", "role", {"man": "Boss", "woman": "Dependent"}, 1),
    ]
    file.write_text("\n".join(lines))
    store = tmp_path / "theirs.db"
    taken = auditor("import", file, "--store", store)
    assert taken.code == 1
    assert '"Leader", "Supporter", "Observer", "Dependent"' in taken.err
    stats = auditor("stats", store, "--json").data
    rates = {
        row["group"]["gender"]: row["value"]
        for row in rows(stats, "agency_rate")
        if "domain" not in row["group"]
    }
    assert rates == {"men": 1.0, "women": 0.0}
    (power,) = [row for row in rows(stats, "power_difference") if not row["group"]]
    assert power["value"] == 3
    assert len(rows(stats, "adjective_odds_ratio")) == 2
    # What the file did not bring is judged here.
    (length,) = [row for row in rows(stats, "word_limit_rate") if not row["group"]]
    assert (length["value"], length["n"]) == (1, 1)
    out = tmp_path / "out"
    assert auditor("export", store, "-o", out, "--format", "jsonl").code == 0
    again = tmp_path / "again.db"
    files = [out / "responses.jsonl", out / "annotations.jsonl"]
    assert auditor("import", *files, "--store", again).code == 0
    assert auditor("stats", again, "--json").data == stats
