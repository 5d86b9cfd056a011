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
