"""Kills a run at random moments, resumes it, and counts what was lost, repeated or changed.

The tests use a short form, `python -m tests.faults --only killed` a long one.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from auditor.store.connection import connect
from tests.faults.audits import TRIALS, Held, content, events, repeats, write_spec
from tests.forked import DOOMED, Doom

ROOT = Path(__file__).parents[1]
SLOW = ("--latency-ms", "20", "--jitter", "0.5")
OPENING, AMID, STATISTICS = "opening", "amid", "statistics"
"""When a process is killed: soon after its start, amid its calls, when nothing else is left."""


class Process(Protocol):
    """A command in a process."""

    def end(self) -> int:
        """Wait for its end; the exit code."""
        ...


class Victim(Process, Protocol):
    """A command in a process that can be killed."""

    def kill(self) -> int:
        """SIGKILL; the exit code, which tells whether it came in time."""
        ...


@dataclass(kw_only=True)
class Toll:
    """What the kills cost."""

    trials: int
    kills: Counter[str] = field(default_factory=Counter)
    """Processes that died of it, by when."""
    ended: list[int] = field(default_factory=list)
    """Exit codes of the run that is never killed, and of the last resume."""
    with_targets: int = 0
    """Kills at which the store listed calls to targets as under way."""
    with_judges: int = 0
    """Kills at which the store listed calls of judges as under way."""
    lost: int = 0
    """Rows that were in the store after a kill and are not, or not the same, later."""
    differing: dict[str, int] = field(default_factory=dict)
    """Rows by table that are not those of a run that was never killed."""
    repeated: int = 0
    """Calls beyond the first for a trial or a judgement, by the server's own count."""
    in_flight: list[int] = field(default_factory=list)
    """At each kill: calls that the server had received from the killed process, less the answers
    that it had stored."""
    unlisted: int = 0
    """Repeated calls for trials that the store did not list as of unknown outcome."""


@contextmanager
def mock_server(*arguments: str) -> Iterator[str]:
    """The mock server as a process of its own; gives its URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mock_server", "--port", "0", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def counts(url: str) -> dict[str, object]:
    """What a mock server has counted."""
    with urllib.request.urlopen(f"{url}/__counts", timeout=30) as response:
        return json.load(response)


def settled(url: str, seconds: float = 60.0) -> dict[str, object]:
    """What it has counted, once it has noticed that a client is gone, whose calls it may have
    begun to read."""
    deadline = time.monotonic() + seconds
    found, last = counts(url), None
    while found["in_flight"] or found != last:
        assert time.monotonic() < deadline, found
        time.sleep(0.005)
        found, last = counts(url), found
    return found


def kill_and_resume(
    folder: Path,
    begin: Callable[..., Process],
    *,
    kills: int,
    repetitions: int,
    draw: random.Random,
    opening_seconds: float,
    statistics_seconds: float,
    open_: Callable[..., Victim] | None = None,
) -> Toll:
    """Run an audit over HTTP, with judges, killed by SIGKILL at random moments.

    `begin` starts a command, with `doom` one that dies (see `tests.forked`); `open_`, where it is
    given, starts those that are killed soon after their start, from outside.

    A fifth of the kills within `opening_seconds` of the start, a fifth within `statistics_seconds`
    of the last judgement, the others when a random share of all events is stored. The last resume
    is left alone, and what it leaves compared with a run of the same spec that was never killed.
    """
    toll = Toll(trials=TRIALS * repetitions)
    store, calm = folder / "killed.db", folder / "calm.db"
    with mock_server(*SLOW) as url:
        spec = write_spec(folder / "s.toml", url, repetitions=repetitions)
        toll.ended.append(begin("run", spec, "--store", calm, "--no-probe").end())
        before = Counter(counts(url)["by_trial"])
        held: Held | None = None
        listed: set[str] = set()
        calls = answered = 0
        for when, at in _moments(draw, kills, events(calm)):
            longest = {OPENING: opening_seconds, AMID: 0.05, STATISTICS: statistics_seconds}
            seconds = draw.random() * longest[when]
            command = ("run", spec, "--store", store, "--no-probe")
            if open_ is not None and when == OPENING:
                process = open_(*command)
                time.sleep(seconds)
                toll.kills[when] += process.kill() == -signal.SIGKILL
            else:
                doom = Doom(
                    seconds=seconds,
                    after_event=at if when == AMID else None,
                    in_statistics=when == STATISTICS,
                )
                toll.kills[when] += begin(*command, doom=doom).end() == DOOMED
            if not store.exists():
                toll.lost += held is not None and held.rows
                continue
            toll.lost += 0 if held is None else held.lost_in(store)
            held = Held.of(store)
            now = (Counter(settled(url)["by_trial"]) - before).total(), _answered(store)
            toll.in_flight.append((now[0] - calls) - (now[1] - answered))
            calls, answered = now
            trials, judged = _listed(store)
            listed |= trials
            toll.with_targets += bool(trials)
            toll.with_judges += judged > 0
        toll.ended.append(begin("resume", store, "--no-probe").end())
        by_trial = Counter(counts(url)["by_trial"]) - before
    toll.lost += 0 if held is None else held.lost_in(store)
    toll.repeated = repeats(by_trial)
    trials = {key for (key,) in _rows(store, "SELECT lower(hex(key)) FROM trials")}
    toll.unlisted = sum(
        calls > 1 and key in trials and key not in listed for key, calls in by_trial.items()
    )
    have, undisturbed = content(store), content(calm)
    for name, rows in undisturbed.items():
        toll.differing[name] = ((rows - have[name]) + (have[name] - rows)).total()
    return toll


def _moments(draw: random.Random, kills: int, all_events: int) -> list[tuple[str, int]]:
    """When to kill, in an order in which each finds something left to do."""
    share = kills // 5
    amid = sorted(draw.randrange(1, all_events) for _ in range(kills - 2 * share))
    moments = [(AMID, at) for at in amid]
    for _ in range(share):
        moments.insert(draw.randrange(len(moments) + 1), (OPENING, 0))
    return moments + [(STATISTICS, 0)] * share


def _answered(store: Path) -> int:
    """Calls whose answers are stored; the judge by rules makes none."""
    query = (
        "SELECT (SELECT count(*) FROM _responses)"
        " + (SELECT count(*) FROM annotations WHERE judge = 'model')"
    )
    try:
        return int(_rows(store, query)[0][0])
    except Exception:  # killed before its store was laid out
        return 0


def _listed(store: Path) -> tuple[set[str], int]:
    """Trials that the store lists as sent or about to be, and how many sources of judges."""
    query = "SELECT lower(hex(t.key)) FROM in_flight i JOIN trials t ON t.id = i.trial_id"
    trials = {key for (key,) in _rows(store, query)}
    return trials, int(_rows(store, "SELECT count(*) FROM judging")[0][0])


def _rows(store: Path, query: str) -> list[tuple[object, ...]]:
    connection = connect(store, read_only=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
