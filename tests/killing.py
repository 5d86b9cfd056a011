"""Kills a run at random moments, resumes it, and counts what was lost or repeated.

As a program: `python -m tests.killing --kills 10 --repetitions 30`; the tests use a short form.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from auditor.store.connection import connect

ROOT = Path(__file__).parents[1]
SPEC = """
name = "killed"
seed = 1
[endpoints.mock]
provider = "openai"
base_url = "{url}/v1"
concurrency = {concurrency}
[[targets]]
name = "a"
model = "openai:model-a"
endpoint = "mock"
[[targets]]
name = "b"
model = "openai:model-b"
endpoint = "mock"
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""


@dataclass
class Toll:
    """What the kills cost."""

    trials: int
    concurrency: int
    kills: int = 0
    lost: int = 0
    """Responses that were in the store after a kill and are not, or not the same, at the end."""
    doubled: int = 0
    """Trials with more than one response."""
    missing: int = 0
    repeated: int = 0
    """Calls beyond the first for a trial, by the server's own count."""
    allowed: int = 0
    """Calls in flight at the kills, by the store's own list."""
    unlisted: int = 0
    """Repeated calls for trials that the store did not list as of unknown outcome."""
    unanswered: list[int] = field(default_factory=list)
    """At each kill: calls that the server had answered and the store did not hold."""


@contextmanager
def mock_server(*arguments: str):
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
    with urllib.request.urlopen(f"{url}/__counts", timeout=30) as response:
        return json.load(response)


def start(*arguments: str, **options) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "auditor", *arguments],
        cwd=ROOT,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **options,
    )


def responses(store: Path) -> dict[str, str]:
    connection = connect(store, read_only=True)
    try:
        rows = connection.execute("SELECT trial, text FROM responses").fetchall()
    finally:
        connection.close()
    assert len(rows) == len(dict(rows)), "a trial has two responses"
    return dict(rows)


def listed_in_flight(store: Path) -> set[str]:
    connection = connect(store, read_only=True)
    try:
        rows = connection.execute(
            "SELECT lower(hex(t.key)) FROM in_flight i JOIN trials t ON t.id = i.trial_id"
        ).fetchall()
    finally:
        connection.close()
    return {row[0] for row in rows}


def kill_and_resume(
    folder: Path,
    *,
    kills: int,
    repetitions: int,
    concurrency: int,
    seed: int,
    latency_ms: float = 20.0,
) -> Toll:
    """Run a small audit over HTTP, killing it with SIGKILL when random shares of it are stored."""
    draw = random.Random(seed)
    planned = 62 * 2 * repetitions
    toll = Toll(trials=planned, concurrency=concurrency)
    store = folder / "killed.db"
    spec = folder / "killed.toml"
    moments = sorted(draw.randrange(1, planned) for _ in range(kills))
    with mock_server("--latency-ms", str(latency_ms), "--jitter", "0.5") as url:
        spec.write_text(SPEC.format(url=url, concurrency=concurrency, repetitions=repetitions))
        seen: dict[str, str] = {}
        listed: set[str] = set()
        for moment in moments:
            process = start("run", str(spec), "--no-probe")
            _wait_for(process, store, moment)
            time.sleep(draw.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stderr.close()
            toll.kills += 1
            held = responses(store)
            toll.lost += sum(held.get(key) != text for key, text in seen.items())
            in_flight = listed_in_flight(store)
            answered = counts(url)["by_trial"]
            toll.unanswered.append(len(set(answered) - set(held)))
            listed |= in_flight
            toll.allowed += len(in_flight)
            seen = held
        process = start("resume", str(store), "--no-probe")
        _, words = process.communicate(timeout=600)
        assert process.returncode == 0, words
        final = responses(store)
        by_trial = counts(url)["by_trial"]
    toll.lost += sum(final.get(key) != text for key, text in seen.items())
    toll.missing = planned - len(final)
    toll.repeated = sum(by_trial.values()) - len(by_trial)
    toll.unlisted = sum(key not in listed for key, calls in by_trial.items() if calls > 1)
    return toll


def _wait_for(process: subprocess.Popen[str], store: Path, stored: int) -> None:
    """Until so many responses are stored, or the run has ended by itself."""
    while process.poll() is None:
        if store.exists() and store.stat().st_size > 0:
            try:
                connection = connect(store, read_only=True)
                try:
                    (count,) = connection.execute("SELECT count(*) FROM _responses").fetchone()
                finally:
                    connection.close()
            except Exception:  # being laid out at this very moment
                count = 0
            if count >= stored:
                return
        time.sleep(0.005)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(kill_and_resume(Path(folder), **vars(options)))


if __name__ == "__main__":
    main()
