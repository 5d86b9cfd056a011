"""Ctrl-C and SIGTERM, as a terminal delivers them, at every stage of a run."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager

import pytest

from auditor.store.connection import connect
from tests.cli.driving import (
    OnTerminal,
    auditor,
    contents,
    laid_out,
    over_http,
    rows,
    serving,
    simulated,
)

CONCURRENCY = 4
TRIALS = 30
ANSWERED_AT_ONCE_SECONDS = 1.0
"""The promise is 200 ms; a busy machine of the tests is given more."""


@pytest.fixture
def slow():
    with serving(latency_seconds=0.4) as server:
        yield server


@pytest.fixture
def stuck():
    """A server that answers after minutes."""
    with serving(latency_seconds=600.0) as server:
        yield server


def spec_of(tmp_path, server, **changes):
    return laid_out(
        over_http(
            tmp_path / "s.toml",
            server.openai_url,
            repetitions=TRIALS // 3,
            endpoint=f"concurrency = {CONCURRENCY}",
            **changes,
        )
    )


def begun(spec, *arguments: str, server, calls: int = 1) -> OnTerminal:
    """A run on a terminal that has so many calls under way."""
    terminal = OnTerminal("run", spec, *arguments)
    terminal.wait_until(lambda: server.in_flight >= calls, 60.0, "call")
    return terminal


def held(store) -> dict[str, str]:
    return dict(rows(store, "SELECT trial, text FROM responses"))


def check_resumes(store, server, before: dict[str, str], unknown: int = 0) -> None:
    """The store is whole, and resuming completes it with nothing lost, doubled or asked twice."""
    checked = auditor("verify", store)
    assert checked.code == 0, checked.out
    server.latency_seconds = 0.0
    ran = auditor("resume", store, "--no-probe", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["state"], ran.data["responses"]) == ("complete", TRIALS)
    after = rows(store, "SELECT trial, text FROM responses")
    assert len(after) == len(dict(after)) == TRIALS
    assert before.items() <= dict(after).items()
    repeated = sum(server.counts[trial] - 1 for trial in dict(after))
    assert repeated <= unknown
    assert auditor("verify", store).code == 0


@pytest.mark.parametrize("way", ["ctrl-c", "sigterm, thrice"])
def test_the_first_word_to_stop_drains_and_exits_130(way, tmp_path, slow):
    """Supervisors repeat SIGTERM: it never counts as a second Ctrl-C."""
    spec = spec_of(tmp_path, slow)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=slow, calls=CONCURRENCY)
    stop = terminal.interrupt if way == "ctrl-c" else terminal.terminate
    stop()
    took = terminal.wait_for("stopping: nothing new is sent")
    if way != "ctrl-c":
        stop()
        stop()
    assert took < ANSWERED_AT_ONCE_SECONDS
    assert terminal.end() == 130
    assert f"to go on: auditor resume {store}" in terminal.words.replace("\n", "")
    before = held(store)
    assert 0 < len(before) < TRIALS
    assert rows(store, "SELECT state, count(*) FROM _calls GROUP BY 1") == [("ok", len(before))]
    assert rows(store, "SELECT count(*) FROM in_flight") == [(0,)]
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, slow, before)


def test_a_second_ctrl_c_cancels_and_records_the_calls_as_unknown(tmp_path, stuck):
    spec = spec_of(tmp_path, stuck)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=stuck, calls=CONCURRENCY)
    terminal.interrupt()
    terminal.wait_for("stopping: nothing new is sent")
    terminal.interrupt()
    assert terminal.wait_for("cancelling what is in flight") < ANSWERED_AT_ONCE_SECONDS
    assert terminal.end() == 130
    counted = "SELECT state, error_kind, count(*) FROM _calls GROUP BY 1, 2"
    assert rows(store, counted) == [("unknown", "interrupted", CONCURRENCY)]
    assert rows(store, "SELECT count(*) FROM in_flight") == [(0,)]
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, stuck, {}, unknown=CONCURRENCY)


@contextmanager
def nobody_may_commit(store):
    """Another program that holds the store's write lock."""
    connection = connect(store)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def test_a_third_ctrl_c_leaves_whatever_hangs(tmp_path, stuck):
    spec = spec_of(tmp_path, stuck)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=stuck, calls=CONCURRENCY)
    with nobody_may_commit(store):
        terminal.interrupt()
        terminal.wait_for("stopping: nothing new is sent")
        terminal.interrupt()
        terminal.wait_for("cancelling what is in flight")
        terminal.interrupt()
        assert terminal.end(seconds=30.0) == 130
    assert "left at once" in terminal.words
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, stuck, {}, unknown=3 * CONCURRENCY)


def test_ctrl_c_while_models_are_asked_what_they_take(tmp_path, stuck):
    spec = spec_of(tmp_path, stuck)
    store = spec.with_suffix(".db")
    terminal = begun(spec, server=stuck)
    terminal.interrupt()
    assert terminal.wait_for("stopping: nothing new is sent") < ANSWERED_AT_ONCE_SECONDS
    assert terminal.end(seconds=10.0) == 130
    assert rows(store, "SELECT count(*) FROM trials") == [(0,)]
    kept = "SELECT state, error_kind, reserved_tokens > 0 FROM _calls"
    assert rows(store, kept) == [("unknown", "interrupted", 1)]
    check_resumes(store, stuck, {})


def test_ctrl_c_while_the_program_loads_is_no_traceback(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    before = contents(tmp_path)
    terminal = OnTerminal(
        "run", spec, command=(sys.executable, "-X", "importtime", "-m", "auditor")
    )
    terminal.wait_for("| agents")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "Traceback" not in terminal.words
    assert contents(tmp_path) == before


@pytest.mark.parametrize("way", ["interrupt", "kill"])
def test_a_process_that_ends_while_it_makes_its_store_leaves_none_in_its_place(way, tmp_path):
    spec = simulated(tmp_path / "s.toml")
    before = contents(tmp_path)
    terminal = OnTerminal(
        "run", spec, command=(sys.executable, "-X", "importtime", "-m", "auditor")
    )
    terminal.wait_until(lambda: len(list(tmp_path.iterdir())) > 1, 60.0, "file")
    getattr(terminal, way)()
    terminal.end()
    assert "Traceback" not in terminal.words
    if way == "interrupt":
        assert contents(tmp_path) == before
    assert not spec.with_suffix(".db").exists()
    assert auditor("run", spec).code == 0
    assert set(contents(tmp_path)) == {"s.toml", "s.db"}


def test_ctrl_c_during_the_statistics_keeps_every_answer(tmp_path):
    """A plan of many cells, so that there is a moment to hit."""
    spec = laid_out(simulated(tmp_path / "s.toml", repetitions=1).rename(tmp_path / "many.toml"))
    text = spec.read_text().replace('spaces = ["kitchen", "garage", "mall"]', "")
    spec.write_text(
        text + 'prompt = ["0", "1", "2", "3", "4", "5"]\ntemperature = [0.0, 0.5, 1.0]\n'
    )
    store = spec.with_suffix(".db")
    cells = 62 * 6 * 3
    terminal = OnTerminal("run", spec)
    reader = connect(store, read_only=True)
    query = "SELECT count(*) FROM _annotations"
    terminal.wait_until(lambda: reader.execute(query).fetchone() == (cells,), 60.0, "annotations")
    reader.close()
    terminal.interrupt()
    assert terminal.wait_for("stopping: ") < ANSWERED_AT_ONCE_SECONDS
    assert terminal.end() == 130
    assert f"auditor stats {store}" in terminal.words.replace("\n", "")
    status = auditor("status", store, "--json").data
    assert (status["state"], status["responses"]) == ("complete", cells)
    assert auditor("verify", store).code == 0
    stats = auditor("stats", store, "--json")
    assert stats.code == 0
    assert sum(row["statistic"] == "men_share" for row in stats.data) == cells
    assert auditor("resume", store, "--json").code == 0


def test_kill_9_leaves_an_interrupted_run_that_goes_on(tmp_path, slow):
    spec = spec_of(tmp_path, slow)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=slow, calls=CONCURRENCY)
    terminal.wait_until(lambda: bool(held(store)), 30.0, "response")
    assert auditor("status", store, "--json").data["state"] == "running"
    terminal.kill()
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    before = held(store)
    listed = rows(store, "SELECT count(*) FROM in_flight")[0][0]
    assert 0 < listed <= 3 * CONCURRENCY  # under way, handed out, and a block ahead
    check_resumes(store, slow, before, unknown=listed)


def test_a_closed_terminal_drains_as_ctrl_c_does(tmp_path, slow):
    spec = spec_of(tmp_path, slow)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=slow, calls=CONCURRENCY)
    terminal.hang_up()
    assert terminal.end() == 130
    states = Counter(dict(rows(store, "SELECT state, count(*) FROM _calls GROUP BY 1")))
    assert set(states) == {"ok"}
    check_resumes(store, slow, held(store))
