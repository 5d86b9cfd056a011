"""A model that says the worst: stored as it came, shown harmlessly."""

from __future__ import annotations

import unicodedata

import pytest

from auditor.store.texts import read_text
from tests.cli.driving import OnTerminal, auditor, laid_out, over_http, rows, serving
from tests.mock_server import Said

HOSTILE = {
    "nul": "Men\x00women",
    "lone surrogate": "Men \ud83d and \udc00",
    "right to left": "\u202eneM\u202c \u200fwomen\u200e \u2066x\u2069",
    "escape sequences": "\x1b[2J\x1b[1;1HMen\x1b]0;owned\x07\x1b[31m\x9b2J",
    "carriage return": "Women\rMen\x08\x08\x08",
    "megabyte": "Men " * 262_144,
    "markup": "[bold red]Men[/bold red] [link=file:///etc/passwd]x[/link]",
    "not characters": "\ufffe\uffff\U000e0041Men",
}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """A finished run whose model and answers are hostile; gives its store and all output."""
    texts = list(HOSTILE.values())

    def answer(question):
        return Said(text=texts[int(question.trial, 16) % len(texts)])

    folder = tmp_path_factory.mktemp("hostile")
    with serving(answer=answer) as server:
        spec = over_http(folder / "s.toml", server.openai_url, repetitions=30)
        ran = auditor("run", spec, "--no-probe")
    assert ran.code == 0, ran.err
    return folder / "s.db", ran


def test_every_text_is_stored_as_it_came(audited):
    store, _ = audited
    kept = {read_text(text) for (text,) in rows(store, _TEXTS)}
    assert kept == set(HOSTILE.values())
    assert auditor("verify", store).code == 0


_TEXTS = "SELECT DISTINCT x.text FROM _responses r JOIN texts x ON x.id = r.text_id"


@pytest.mark.parametrize("command", ["status", "stats", "verify", "watch"])
def test_what_is_shown_holds_nothing_that_acts(command, audited):
    store, ran = audited
    shown = auditor(command, store)
    for text in (shown.out, shown.err, ran.out, ran.err):
        acting = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")} - {"\n"}
        assert not acting


def test_the_live_view_of_a_hostile_error_holds_nothing_that_acts(tmp_path):
    """An endpoint's error message reaches the screen, unlike answers."""
    from tests.mock_server import Quirk, openai_error

    nasty = "\x1b]0;owned\x07\x1b[2J\u202e[red]no such model[/red]"
    quirk = Quirk(respond=lambda body, wire: openai_error(404, nasty, code="model_not_found"))
    with serving(profile=quirk) as server:
        terminal = OnTerminal("run", laid_out(over_http(tmp_path / "s.toml", server.openai_url)))
        assert terminal.end() == 1
    assert "\x1b]0;" not in terminal.seen
    assert "\u202e" not in terminal.seen
    assert "\x1b[2J" not in terminal.seen
    assert "[red]no such model[/red]" in terminal.words.replace("\n", "")


def test_a_target_with_an_odd_name_is_shown_as_it_is_spelt(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    spec.write_text(spec.read_text().replace('name = "a"', 'name = "[red]模型 é[/]"'))
    assert auditor("run", spec, "--no-probe").code == 0
    assert "[red]模型 é[/]" in auditor("status", tmp_path / "s.db").out
    assert "[red]模型 é[/]" in auditor("stats", tmp_path / "s.db").out
    assert "[red]模型 é[/]" in auditor("plan", spec).out
