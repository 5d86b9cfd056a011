"""A judge that has to stop is said, and ends the command with 1, whatever else went well."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.driving import auditor

SPEC = """
name = "tiny"
max_failure_rate = 1.0
[[targets]]
model = "sim:fair"
[protocols.stories]
repetitions = 1
occupations = ["plumber", "registered nurse"]
"""
STOPPED = "judge gender/nomquamgender: stopped: the process of the judge nomquamgender of gender"
NAMED = {"task": "name", "judge": "person", "value": "Ada Lindqvist"}
"""Names of its own: only the judge that reads them has to work."""


@pytest.fixture
def no_workers(monkeypatch):
    """Processes that judges start end at once."""
    monkeypatch.setattr(sys, "executable", "/bin/false")


@pytest.mark.usefixtures("no_workers")
def test_a_run_whose_judge_stopped_ends_with_1_and_says_so(tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC)
    ran = auditor("run", spec, "--json")
    assert ran.code == 1
    assert "judge name/rules: stopped: the process of the judge rules of name" in ran.err
    assert ran.data["annotations"]["name"]["done"] == 0


@pytest.mark.usefixtures("no_workers")
def test_an_import_whose_judge_stopped_ends_with_1_and_says_so(tmp_path):
    line = {"protocol": "stories", "target": "m", "factors": {"occupation": "plumber"}}
    line |= {"repetition": 0, "text": "Meet Ada Lindqvist.", "annotation": NAMED}
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps(line) + "\n")
    ran = auditor("import", file, "--json")
    assert ran.code == 1
    assert STOPPED in ran.err
    assert ran.data["taken"] == 1
    (said,) = ran.data["stopped"]
    assert said.startswith(STOPPED)
    status = auditor("status", tmp_path / "lines.db", "--json")
    assert status.data["state"] == "incomplete"
    assert status.data["annotations"]["gender"] == {
        **{"done": 0, "invalid": 0, "failed": 0},
        "planned": 1,
    }
