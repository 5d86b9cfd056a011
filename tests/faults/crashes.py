"""Processes that are killed, frozen, overtaken, or lose their server."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from auditor.store.connection import connect
from tests.cli.driving import ROOT, begin
from tests.faults.audits import (
    CONCURRENCY,
    TRIALS,
    Held,
    annotations,
    check_said,
    check_whole,
    command,
    content,
    ended,
    events,
    repeats,
    started,
    until,
    write_spec,
)
from tests.faults.scenario import Found, Ground, scenario
from tests.killing import counts, mock_server

SLOW = ("--latency-ms", "20", "--jitter", "0.5")


def _in_flight(store: Path) -> set[tuple[str, int]]:
    """What the store lists as sent, or about to be, by its generators and its judges."""
    connection = connect(store, read_only=True)
    try:
        trials = connection.execute("SELECT trial_id FROM in_flight").fetchall()
        judged = connection.execute("SELECT source FROM judging").fetchall()
    finally:
        connection.close()
    return {("trial", row[0]) for row in trials} | {("source", row[0]) for row in judged}


def _stored(store: Path, moment: int) -> Callable[[], bool]:
    return lambda: events(store) >= moment


def _is_judged(store: Path, trials: int) -> bool:
    """Whether nothing is left but the statistics."""
    return annotations(store) >= 2 * trials


@scenario("SIGKILL at random moments, generators, judges and statistics at work")
def killed(ground: Ground) -> Found:
    """The store of the last resume equals an undisturbed one, as sets by key."""
    draw, found = ground.draw("killed"), Found()
    repetitions = max(1, ground.kills // 8)
    trials = TRIALS * repetitions
    store, calm = ground.folder / "killed.db", ground.folder / "calm.db"
    with mock_server(*SLOW) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=repetitions)
        ran = command("run", spec, "--store", calm, "--no-probe")
        found.expect(ran.code == 0, f"the undisturbed run ended with {ran.code}")
        all_events = events(calm)
    allowed = at_statistics = 0
    moments = sorted(draw.randrange(1, int(all_events * 1.1)) for _ in range(ground.kills))
    with mock_server(*SLOW) as url:
        write_spec(spec, url, repetitions=repetitions)
        held = None
        for moment in moments:
            process = begin("run", spec, "--store", store, "--no-probe")
            if draw.random() < 0.2:  # whatever it does then: loading, planning, opening
                until(lambda: False, process, draw.random() * 2)
            else:
                is_late = moment > all_events
                goal = (lambda: _is_judged(store, trials)) if is_late else _stored(store, moment)
                until(goal, process)
                time.sleep(draw.random() * (0.5 if is_late else 0.05))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            found.codes.append(process.returncode)
            if not store.exists():
                found.expect(held is None, "the store is gone")
                continue
            if held is not None:
                found.lost += held.lost_in(store)
            held = Held.of(store)
            allowed += len(_in_flight(store))
            at_statistics += held.annotations.total() == 2 * trials
        ran = command("resume", store, "--no-probe")
        found.expect(ran.code == 0, f"the last resume ended with {ran.code}")
        found.repeated = repeats(counts(url)["by_trial"])
    if held is not None:
        found.lost += held.lost_in(store)
    check_whole(found, store, trials)
    have, undisturbed = content(store), content(calm)
    for name, rows in undisturbed.items():
        differing = (rows - have[name]) + (have[name] - rows)
        found.expect(not differing, f"{differing.total()} {name} are not those of a calm run")
    # What the store lists may hold calls that were not sent yet; the endpoint has so many slots.
    allowed = min(allowed, CONCURRENCY * ground.kills)
    found.expect(found.repeated <= allowed, f"{found.repeated} calls again, {allowed} in flight")
    killed_by_us = sum(code == -signal.SIGKILL for code in found.codes)
    found.happened = (
        f"killed {killed_by_us} times, {at_statistics} of them when all was judged; resumed; the"
        f" same {trials} trials and responses, {2 * trials} annotations, statistics as undisturbed;"
        f" at most {allowed} calls were in flight"
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
        held, in_flight = Held.of(store), len(_in_flight(store))
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
