"""Processes that are killed, frozen, overtaken, or lose their server."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from auditor.store.connection import connect
from tests.cli.driving import ROOT, begin
from tests.faults.audits import (
    CONCURRENCY,
    TRIALS,
    Held,
    check_said,
    check_whole,
    command,
    content,
    ended,
    repeats,
    started,
    write_spec,
)
from tests.faults.scenario import Found, Ground, scenario
from tests.forked import Forked
from tests.killing import (
    SLOW,
    STATISTICS,
    counts,
    kill_and_resume,
    mock_server,
)


def _in_flight(store: Path) -> int:
    """How much the store lists as sent, or about to be, by its generators and its judges."""
    connection = connect(store, read_only=True)
    try:
        listed = (
            "SELECT (SELECT count(*) FROM in_flight) + (SELECT count(DISTINCT source) FROM judging)"
        )
        return int(connection.execute(listed).fetchone()[0])
    finally:
        connection.close()


class _Process:
    """A command in a process of its own, loaded from nothing."""

    def __init__(self, *arguments: object) -> None:
        self._process = begin(*arguments)

    def kill(self) -> int:
        self._process.send_signal(signal.SIGKILL)
        return self.end()

    def end(self) -> int:
        self._process.communicate()
        return self._process.returncode


@scenario("SIGKILL at random moments, generators, judges and statistics at work")
def killed(ground: Ground) -> Found:
    """The store of the last resume equals an undisturbed one, as sets by key.

    Those that are killed soon after their start load everything anew; the others are forked.
    """
    found = Found()
    toll = kill_and_resume(
        ground.folder,
        partial(Forked, said=ground.folder / "said"),
        open_=_Process,
        kills=ground.kills,
        repetitions=max(1, ground.kills // 8),
        draw=ground.draw("killed"),
        opening_seconds=2.0,
        statistics_seconds=0.1,
    )
    found.codes, found.lost, found.repeated = toll.ended, toll.lost, toll.repeated
    found.expect(toll.ended == [0, 0], f"undisturbed, last resume: exit codes {toll.ended}")
    for name, rows in toll.differing.items():
        found.expect(rows == 0, f"{rows} {name} are not those of a calm run")
    lost_calls = sum(toll.in_flight)
    found.expect(toll.repeated <= lost_calls, f"{toll.repeated} again, {lost_calls} in flight")
    most = max(toll.in_flight, default=0)
    found.expect(most <= CONCURRENCY, f"{most} calls in flight at a kill")
    found.expect(toll.unlisted == 0, f"{toll.unlisted} repeated calls that were not listed")
    check_whole(found, ground.folder / "killed.db", toll.trials)
    found.happened = (
        f"killed {toll.kills.total()} times ({toll.with_targets} with calls to targets under way,"
        f" {toll.with_judges} with calls of judges, {toll.kills[STATISTICS]} when all was judged);"
        f" resumed; the same {toll.trials} trials and responses, {2 * toll.trials} annotations,"
        f" statistics as undisturbed; at most {most} calls were in flight at a kill"
    )
    return found


@scenario("SIGSTOP of the writer, lock taken over, SIGCONT")
def frozen_and_overtaken(ground: Ground) -> Found:
    """The thawed process writes nothing more and stops with one line."""
    draw, found = ground.draw("frozen"), Found()
    store = ground.folder / "s.db"
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=4)
        frozen = started(spec, store, draw.randrange(100, 600))
        _freeze(frozen, store)
        held, in_flight = Held.of(store), _in_flight(store)
        ran = command("resume", store, "--no-probe")
        found.expect(ran.code == 0, f"the newcomer: {ran.code}: {ran.err[-300:]}")
        overtaken = content(store)
        frozen.send_signal(signal.SIGCONT)
        said = check_said(found, ended(frozen), codes=[1])
        found.repeated = repeats(counts(url)["by_trial"])
    found.expect(content(store) == overtaken, "the thawed process has written")
    found.lost = held.lost_in(store)
    # A thawed process may send what it had handed out before it comes to its next commit.
    allowed = in_flight + CONCURRENCY
    found.expect(found.repeated <= allowed, f"{found.repeated} calls again, {allowed} allowed")
    check_whole(found, store, TRIALS * 4)
    found.happened = f"newcomer watched 30 s, took over, completed; thawed process said: {said}"
    return found


def _freeze(process: subprocess.Popen[str], store: Path) -> None:
    """Stop a process, between two of its commits: one inside would hold SQLite's own lock."""
    for _ in range(200):
        process.send_signal(signal.SIGSTOP)
        connection = connect(store)
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except Exception:
            process.send_signal(signal.SIGCONT)
            time.sleep(0.003)
        else:
            return
        finally:
            connection.close()
    raise AssertionError("never caught between two commits")


@scenario("suspended and resumed (SIGTSTP, SIGCONT) for 8 s")
def suspended(ground: Ground) -> Found:
    """Longer than a heartbeat: the run goes on as if nothing had been."""
    found = Found()
    store = ground.folder / "s.db"
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=2)
        process = started(spec, store, 100)
        process.send_signal(signal.SIGTSTP)
        time.sleep(8)
        process.send_signal(signal.SIGCONT)
        ran = ended(process)
        found.codes.append(ran.code)
        found.repeated = repeats(counts(url)["by_trial"])
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    check_whole(found, store, TRIALS * 2)
    found.happened = "goes on where it was"
    return found


@scenario("the server is killed amid a run and is back after 3 s")
def server_restarted(ground: Ground) -> Found:
    """Connections break and are refused: retried, and nothing is a failure in the end."""
    found = Found()
    store = ground.folder / "s.db"
    port = _free_port()
    server = _serve(port)
    try:
        spec = write_spec(ground.folder / "s.toml", f"http://127.0.0.1:{port}", repetitions=4)
        process = started(spec, store, 300)
        before = dict(counts(f"http://127.0.0.1:{port}")["by_trial"])
        server.kill()
        server.communicate()
        time.sleep(3)
        server = _serve(port)
        ran = ended(process)
        found.codes.append(ran.code)
        after = counts(f"http://127.0.0.1:{port}")["by_trial"]
    finally:
        server.kill()
        server.communicate()
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    check_whole(found, store, TRIALS * 4)
    found.repeated = len(set(before) & set(after))
    found.expect(found.repeated <= CONCURRENCY, f"{found.repeated} calls again")
    found.happened = "retried with backoff; completes without a failure"
    return found


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _serve(port: int) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.mock_server", "--port", str(port), *SLOW],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    server.stdout.readline()
    return server
