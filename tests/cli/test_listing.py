"""`list`: what there is, where it comes from, and nothing cut."""

import pytest

from tests.cli.driving import auditor


def test_without_a_subject_it_says_what_can_be_listed() -> None:
    ran = auditor("list", "--json")
    assert ran.code == 0
    names = [row["list"] for row in ran.data]
    assert names == ["protocols", "judges", "providers", "rubrics", "statistics", "figures"]
    said = auditor("list").out
    assert all(name in said for name in names)


@pytest.mark.parametrize("what", ["protocols", "judges", "providers"])
def test_built_in_parts_name_their_distribution_too(what: str) -> None:
    found = {row["from"].split()[0] for row in auditor("list", what, "--json").data if row["from"]}
    assert found == {"bias-auditor"}


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_names_stay_whole_at_any_width(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    said = auditor("list", "judges").out
    for name in ("spatial.probability", "regional.stereotype", "PROVIDER:MODEL", "token_mass"):
        assert name in said
    assert max(map(len, said.splitlines())) <= int(width)


def test_its_help_names_all_that_can_be_listed_and_fits_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [row["list"] for row in auditor("list", "--json").data]
    monkeypatch.setenv("COLUMNS", "60")
    said = auditor("list", "--help").out
    arguments = said.partition("Arguments:")[2].partition("Options:")[0]
    assert all(name in arguments for name in names)
    assert max(map(len, said.splitlines())) <= 60


def test_what_cannot_be_listed_is_told_what_can() -> None:
    ran = auditor("list", "judge", "--json")
    assert ran.code == 2
    assert ran.problem["error"] == (
        "WHAT: value 'judge'; allowed: protocols, judges, providers, rubrics, statistics, figures"
    )
