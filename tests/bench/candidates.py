"""What is measured: the two floors, a peer, `auditor run` over HTTP and on a simulated target."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.child import Child, run_on_terminal, run_piped

SPACES, TARGETS = 62, 2
CELLS = SPACES * TARGETS
"""Cells of the audits: calls come in multiples of them."""

_SPEC = """
name = "bench"
seed = 1
{endpoint}
[[targets]]
name = "a"
model = "{provider}:model-a"
{settings}
[[targets]]
name = "b"
model = "{provider}:model-b"
{settings}
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""
_ENDPOINT = """
[endpoints.mock]
provider = "openai"
base_url = "{url}/v1"
concurrency = {concurrency}
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One candidate's run of so many calls."""

    calls: int
    seconds: float
    """From the first call to the last commit."""
    before_seconds: float
    """From the start of the process to its first call."""
    after_seconds: float
    """From the last commit to the end of the process: statistics, results."""
    cpu_seconds: float
    """Of the whole process."""
    peak_mb: float

    ideal_seconds: float
    """Calls times latency over concurrency; 0 without latency."""

    @property
    def calls_per_second(self) -> float:
        """Calls from the first to the last commit, over that time."""
        return self.calls / self.seconds

    @property
    def of_ideal(self) -> float | None:
        """Time taken over the least that the latency allows; None without latency."""
        return self.seconds / self.ideal_seconds if self.ideal_seconds else None


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all candidates of a table have in common."""

    url: str
    """Of the mock server."""
    latency_seconds: float
    """Of the mock server."""
    concurrency: int
    folder: Path
    variables: Mapping[str, str]
    """Environment of the candidates' processes."""


Candidate = Callable[[Setting, int], Run]
"""Makes so many calls in a fresh process."""


def floor(name: str) -> Candidate:
    """A loop of `tests.bench.floors`."""

    def run(setting: Setting, calls: int) -> Run:
        file = _fresh(setting, name)
        arguments = [setting.url, str(calls), str(setting.concurrency), str(file)]
        child = run_piped(
            [sys.executable, "-m", "tests.bench.floors", name, *arguments], setting.variables
        )
        started_at, ended_at = json.loads(child.output)
        return _run(setting, child, calls, started_at, ended_at)

    return run


def peer(interpreter: str) -> Candidate:
    """inspect-ai, run by the interpreter that has it: on a terminal, as `auditor run` is."""

    def run(setting: Setting, calls: int) -> Run:
        file = setting.folder / "peer.json"
        arguments = [setting.url, str(calls), str(setting.concurrency), str(file)]
        child = run_on_terminal(
            [interpreter, str(Path(__file__).with_name("peer.py")), *arguments], setting.variables
        )
        started_at, ended_at = json.loads(file.read_text())
        return _run(setting, child, calls, started_at, ended_at)

    return run


def audit_over_http(setting: Setting, calls: int) -> Run:
    """`auditor run`: stored, judged, and shown on a terminal that is read."""
    endpoint = _ENDPOINT.format(url=setting.url, concurrency=setting.concurrency)
    spec = _SPEC.format(
        endpoint=endpoint,
        provider="openai",
        settings='endpoint = "mock"',
        repetitions=calls // CELLS,
    )
    return _audit(setting, "http", spec, calls)


def audit_of_sim(setting: Setting, calls: int) -> Run:
    """`auditor run` on simulated targets: from plan to stored annotation without HTTP."""
    return _audit(
        replace(setting, latency_seconds=0.0), "sim", spec_of_sim(calls, setting.concurrency), calls
    )


def spec_of_sim(calls: int, concurrency: int) -> str:
    """The audit on simulated targets as a spec's text."""
    endpoint = f'[endpoints.sim]\nprovider = "sim"\nconcurrency = {concurrency}'
    return _SPEC.format(endpoint=endpoint, provider="sim", settings="", repetitions=calls // CELLS)


def _audit(setting: Setting, name: str, spec: str, calls: int) -> Run:
    store = _fresh(setting, name)
    path = store.with_suffix(".toml")
    path.write_text(spec)
    command = [sys.executable, "-m", "auditor", "run", str(path), "--no-probe", "--yes"]
    child = run_on_terminal(command, setting.variables)
    database = sqlite3.connect(store)
    try:
        first, last, done = database.execute(
            "SELECT min(e.at) FILTER (WHERE k.kind = 'dispatched'),"
            " max(e.at) FILTER (WHERE k.kind IN ('response', 'annotation')),"
            " count(*) FILTER (WHERE k.kind = 'annotation')"
            " FROM events e JOIN event_kinds k ON k.id = e.kind"
        ).fetchone()
    finally:
        database.close()
    if done != calls:
        raise RuntimeError(f"{done} annotations of {calls} calls")
    return _run(setting, child, calls, first, last)


def _run(setting: Setting, child: Child, calls: int, started_at: float, ended_at: float) -> Run:
    return Run(
        calls=calls,
        seconds=ended_at - started_at,
        before_seconds=started_at - child.started_at,
        after_seconds=child.ended_at - ended_at,
        cpu_seconds=child.cpu_seconds,
        peak_mb=child.peak_mb,
        ideal_seconds=calls * setting.latency_seconds / setting.concurrency,
    )


def _fresh(setting: Setting, name: str) -> Path:
    file = setting.folder / f"{name}.db"
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    return file
