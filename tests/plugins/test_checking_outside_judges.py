"""The conformance test on judges of outside packages."""

from __future__ import annotations

from auditor.plugins import Group
from tests.cli.driving import auditor


def test_a_judge_of_the_plugin_passes(coin):
    ran = auditor("list", "judges", "--check", "coin.side.words")
    assert ran.code == 0, ran.out
    assert ran.out.count("pass") == 9


def test_one_that_cannot_be_loaded_fails_with_the_reason(installed):
    entry = {"stories.name.gone": "nowhere_at_all:Judge"}
    installed("gone", {Group.JUDGES: entry})
    ran = auditor("list", "judges", "--check", "gone", "--json")
    assert ran.code == 1
    ((check,),) = [checked["checks"] for checked in ran.data]
    assert check["check"] == "loads"
    assert "of gone 1.0 cannot be used: ModuleNotFoundError" in check["said"]
