"""`list judges --check`: the conformance test that people run on a judge of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.driving import auditor

SCRIPT = Path(__file__).parents[1] / "judges" / "command_script.py"
COMMAND = f"{sys.executable} -SE {SCRIPT}"


def test_a_built_in_judge_passes():
    ran = auditor("list", "judges", "--check", "pronouns/rules")
    assert ran.code == 0, ran.out
    assert "stories.pronouns.rules" in ran.out
    assert ran.out.count("pass") == 8
    assert "not tried  closes" in ran.out
    assert "asking about 26 odd texts, 10 s each at most" in ran.err
    assert "FAIL" not in ran.out


def test_a_command_that_gives_values_that_its_task_has_not_fails_there():
    ran = auditor(
        *("list", "judges", "--command", COMMAND, "--task", "choice", "--json"),
        *("--protocol", "spatial.explicit"),
    )
    assert ran.code == 1
    (checked,) = ran.data
    assert checked["judge"] == COMMAND
    failed = [each for each in checked["checks"] if each["passed"] is False]
    assert [each["check"] for each in failed] == ["gives values that the task 'choice' may take"]
    assert "value not allowed" in failed[0]["said"]


def test_a_command_that_does_not_start_fails_to_load():
    ran = auditor("list", "judges", "--command", f"{COMMAND} loud", "--task", "name", "--json")
    assert ran.code == 1
    ((check,),) = [checked["checks"] for checked in ran.data]
    assert (check["check"], check["passed"]) == ("loads", False)
    assert "loading the model" in check["said"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["judges", "--check", "nobody"], "no judge is called 'nobody'"),
        (["judges", "--check", "rules", "--task", "gender"], "no judge is called 'rules' for task"),
        (["judges", "--command", "./x"], "--command needs --task; allowed: choice, "),
        (["judges", "--command", "./x", "--task", "none"], "--task none: no protocol has this"),
        (["judges", "--command", "'", "--task", "name"], "--command: No closing quotation"),
        (["judges", "--command", "", "--task", "name"], "--command: no program"),
        (["providers", "--check", "sim"], "--check and --command are of `list judges`"),
        (["judges", "--task", "name"], "--task and --protocol stand beside --check"),
    ],
)
def test_what_cannot_be_checked_is_wrong_usage(arguments, said):
    ran = auditor("list", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
