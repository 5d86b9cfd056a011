"""A part of a plan now, the rest later: --only, --limit, and the question before money goes."""

from __future__ import annotations

import pytest

from tests.cli.driving import OnTerminal, auditor, contents, laid_out, over_http, rows

DEAR = "price = {input = 1000.0, output = 10000.0}"


def test_only_a_target_then_the_rest(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, models=("a", "b"))
    ran = auditor("run", spec, "--only", "b", "--json")
    assert ran.code == 0, ran.err
    assert {t["target"]: t["responses"] for t in ran.data["targets"]} == {"a": 0, "b": 6}
    assert ran.data["state"] == "incomplete"
    asked = {request.body["model"] for request in mock.requests}
    assert asked == {"b"}, "the target that was left out was asked what it takes"
    done = auditor("resume", tmp_path / "s.db", "--json")
    assert done.data["state"] == "complete"
    trials = [key for (key,) in rows(tmp_path / "s.db", "SELECT trial FROM responses")]
    assert [mock.counts[trial] for trial in trials] == [1] * 12


def test_only_a_protocol(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    ran = auditor("run", spec, "--only", "spatial.explicit", "--no-probe", "--json")
    assert ran.code == 0
    assert ran.data["responses"] == 6


@pytest.mark.parametrize("limit", [1, 4, 6, 100])
def test_a_limit_is_the_number_of_trials_sent_over_all_targets(tmp_path, mock, limit):
    spec = over_http(
        tmp_path / "s.toml", mock.openai_url, models=("a", "b"), endpoint="concurrency = 5"
    )
    ran = auditor("run", spec, "--limit", limit, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == min(limit, 12)
    assert sum(mock.counts.values()) == min(limit, 12)
    done = auditor("resume", tmp_path / "s.db", "--no-probe", "--json")
    assert (done.code, done.data["state"], done.data["responses"]) == (0, "complete", 12)
    assert set(mock.counts.values()) == {1}
    assert len(mock.counts) == 12


def test_limit_after_limit_reaches_the_end(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    seen = [
        auditor("run", spec, "--limit", "2", "--no-probe", "--json").data["responses"]
        for _ in range(4)
    ]
    assert seen == [2, 4, 6, 6]
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM _calls") == [(6,)]


def test_a_no_to_the_price_creates_and_sends_nothing(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR)
    before = contents(tmp_path)
    terminal = OnTerminal("run", spec)
    terminal.wait_for("go on?")
    assert "6 trials in 6 calls, at most " in terminal.words
    terminal.press("n\r")
    assert terminal.end() == 2
    assert "Traceback" not in terminal.words
    assert contents(tmp_path) == before
    assert not mock.statuses


def test_ctrl_c_at_the_question_creates_and_sends_nothing(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR)
    before = contents(tmp_path)
    terminal = OnTerminal("run", spec)
    terminal.wait_for("go on?")
    terminal.interrupt()
    assert terminal.end() == 130
    assert contents(tmp_path) == before
    assert not mock.statuses


def test_a_yes_to_the_price_starts_the_run(tmp_path, mock):
    spec = laid_out(over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR))
    terminal = OnTerminal("run", spec, "--no-probe")
    terminal.wait_for("go on?")
    terminal.press("y\r")
    assert terminal.end() == 0, terminal.words
    assert len(mock.counts) == 6


def test_yes_on_the_command_line_is_not_asked_again(tmp_path, mock):
    spec = laid_out(over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR))
    terminal = OnTerminal("run", spec, "--yes", "--no-probe")
    assert terminal.end() == 0, terminal.words
    assert "go on?" not in terminal.words


def test_off_a_terminal_nobody_is_asked(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR)
    ran = auditor("run", spec, "--no-probe")
    assert ran.code == 0
    assert "go on?" not in ran.err


def test_below_one_dollar_nobody_is_asked(tmp_path, mock):
    cheap = "price = {input = 1.0, output = 1.0}"
    spec = laid_out(over_http(tmp_path / "s.toml", mock.openai_url, endpoint=cheap))
    terminal = OnTerminal("run", spec, "--no-probe")
    assert terminal.end() == 0, terminal.words
    assert "go on?" not in terminal.words
