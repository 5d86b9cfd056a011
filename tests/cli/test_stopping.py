"""Ctrl-C and SIGTERM, as a terminal delivers them, at every stage of a run."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager

import pytest

from auditor.store.connection import connect
from tests.cli.driving import (
    STANDS_STILL,
    OnTerminal,
    auditor,
    contents,
    laid_out,
    over_http,
    rows,
    serving,
    simulated,
    standing_still_at,
)

CONCURRENCY = 4
TRIALS = 30


@pytest.fixture
def server():
    """Answers nothing before it is told to: no call ends before the test says so."""
    with serving(most_answers=0) as server:
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
    terminal.wait_until(lambda: server.in_flight >= calls, what="call")
    return terminal


def held(store) -> dict[str, str]:
    return dict(rows(store, "SELECT trial, text FROM responses"))


def check_resumes(store, server, before: dict[str, str], unknown: int = 0) -> None:
    """The store is whole, and resuming completes it with nothing lost, doubled or asked twice."""
    checked = auditor("verify", store)
    assert checked.code == 0, checked.out
    server.most_answers = None
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
def test_the_first_word_to_stop_drains_and_exits_130(way, tmp_path, server):
    """Supervisors repeat SIGTERM: it never counts as a second Ctrl-C."""
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=server, calls=CONCURRENCY)
    stop = terminal.interrupt if way == "ctrl-c" else terminal.terminate
    stop()
    terminal.wait_for("stopping: nothing new is sent")
    if way != "ctrl-c":
        stop()
        stop()
    # It was said while all calls were under way.
    assert server.in_flight == CONCURRENCY
    server.most_answers = None
    assert terminal.end() == 130
    assert f"to go on: auditor resume {store}" in terminal.words.replace("\n", "")
    before = held(store)
    assert len(before) == CONCURRENCY
    assert rows(store, "SELECT state, count(*) FROM _calls GROUP BY 1") == [("ok", len(before))]
    assert rows(store, "SELECT count(*) FROM in_flight") == [(0,)]
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, server, before)


def test_a_second_ctrl_c_cancels_and_records_the_calls_as_unknown(tmp_path, server):
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=server, calls=CONCURRENCY)
    terminal.interrupt()
    terminal.wait_for("stopping: nothing new is sent")
    terminal.interrupt()
    terminal.wait_for("cancelling what is in flight")
    assert terminal.end() == 130
    counted = "SELECT state, error_kind, count(*) FROM _calls GROUP BY 1, 2"
    assert rows(store, counted) == [("unknown", "interrupted", CONCURRENCY)]
    assert rows(store, "SELECT count(*) FROM in_flight") == [(0,)]
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, server, {}, unknown=CONCURRENCY)


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


def test_a_third_ctrl_c_leaves_whatever_hangs(tmp_path, server):
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=server, calls=CONCURRENCY)
    with nobody_may_commit(store):
        terminal.interrupt()
        terminal.wait_for("stopping: nothing new is sent")
        terminal.interrupt()
        terminal.wait_for("cancelling what is in flight")
        terminal.interrupt()
        assert terminal.end() == 130
    assert "left at once" in terminal.words
    shown, hidden = "\x1b[?25h", "\x1b[?25l"
    assert terminal.seen.rfind(shown) > terminal.seen.rfind(hidden) >= 0, "the cursor stays away"
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    check_resumes(store, server, {}, unknown=3 * CONCURRENCY)


def test_ctrl_c_while_models_are_asked_what_they_take(tmp_path, server):
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, server=server)
    terminal.interrupt()
    terminal.wait_for("stopping: nothing new is sent")
    assert terminal.end() == 130
    assert rows(store, "SELECT count(*) FROM trials") == [(0,)]
    kept = "SELECT state, error_kind, reserved_tokens > 0 FROM _calls"
    assert rows(store, kept) == [("unknown", "interrupted", 1)]
    check_resumes(store, server, {})


@pytest.mark.parametrize("module", ["agents", "auditor.scheduler.launch"])
def test_ctrl_c_while_the_program_loads_is_no_traceback(module, tmp_path):
    spec = simulated(tmp_path / "s.toml")
    before = contents(tmp_path)
    terminal = OnTerminal("run", spec, command=standing_still_at("import", module))
    terminal.wait_for(STANDS_STILL)
    terminal.interrupt()
    assert terminal.end() == 130
    assert "Traceback" not in terminal.words
    assert contents(tmp_path) == before


@pytest.mark.parametrize("way", ["interrupt", "kill"])
def test_a_process_that_ends_while_it_makes_its_store_leaves_none_in_its_place(way, tmp_path):
    spec = simulated(tmp_path / "s.toml")
    before = contents(tmp_path)
    terminal = OnTerminal("run", spec, command=standing_still_at("os.link", ".s.db."))
    terminal.wait_for(STANDS_STILL)
    assert len(list(tmp_path.iterdir())) > 1, "nothing is being made"
    getattr(terminal, way)()
    terminal.end()
    assert "Traceback" not in terminal.words
    if way == "interrupt":
        assert contents(tmp_path) == before
    assert not spec.with_suffix(".db").exists()
    assert auditor("run", spec).code == 0
    assert set(contents(tmp_path)) == {"s.toml", "s.db"}


def test_ctrl_c_during_the_statistics_keeps_every_answer(tmp_path):
    """They are never through: it does not wait for them."""
    spec = laid_out(simulated(tmp_path / "s.toml", repetitions=1))
    store = spec.with_suffix(".db")
    cells = 3
    terminal = OnTerminal(
        "run", spec, command=standing_still_at("sqlite3.connect", "s.db", thread="statistics")
    )
    terminal.wait_for(STANDS_STILL)
    assert rows(store, "SELECT count(*) FROM _annotations") == [(cells,)]
    terminal.interrupt()
    terminal.wait_for("stopping: ")
    assert terminal.end() == 130
    assert f"auditor stats {store}" in terminal.words.replace("\n", "")
    status = auditor("status", store, "--json").data
    assert (status["state"], status["responses"]) == ("complete", cells)
    assert auditor("verify", store).code == 0
    stats = auditor("stats", store, "--json")
    assert stats.code == 0
    assert sum(row["statistic"] == "men_share" for row in stats.data) == cells
    assert auditor("resume", store, "--json").code == 0


def test_kill_9_leaves_an_interrupted_run_that_goes_on(tmp_path, server):
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=server, calls=CONCURRENCY)
    server.most_answers = CONCURRENCY
    terminal.wait_until(lambda: len(held(store)) == CONCURRENCY, what="response")
    terminal.wait_until(lambda: server.in_flight == CONCURRENCY, what="call")
    assert auditor("status", store, "--json").data["state"] == "running"
    terminal.kill()
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    before = held(store)
    listed = rows(store, "SELECT count(*) FROM in_flight")[0][0]
    assert 0 < listed <= 3 * CONCURRENCY  # under way, handed out, and a block ahead
    check_resumes(store, server, before, unknown=listed)


def test_a_closed_terminal_drains_as_ctrl_c_does(tmp_path, server):
    spec = spec_of(tmp_path, server)
    store = spec.with_suffix(".db")
    terminal = begun(spec, "--no-probe", server=server, calls=CONCURRENCY)
    terminal.hang_up()
    server.most_answers = None
    assert terminal.end() == 130
    states = Counter(dict(rows(store, "SELECT state, count(*) FROM _calls GROUP BY 1")))
    assert set(states) == {"ok"}
    check_resumes(store, server, held(store))
