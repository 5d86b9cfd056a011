"""What grows with the number of trials, and what must not: memory, resume, status, size of a store.

`python -m tests.bench.scale` runs `auditor run` on a simulated target with 10,000, 100,000 and
1,000,000 planned trials, each up to its last 1,240, and then resumes it.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.child import environment, run_piped
from tests.bench.course import followed
from tests.bench.targets import at_most

_CELLS = 62
_LEFT = 20 * _CELLS
"""Trials that are left for the resume."""
_PEAK_MB, _GROWTH = 150.0, 1.2
_FIRST_CALL_SECONDS, _FIRST_CALL_OF_MANY_SECONDS, _MANY = 1.0, 3.0, 500_000
_STATUS = 0.5
_HELP_OVER_PASS = 20.0
_SHORT_RUNS = 5
"""Of commands that take less than seconds: the median counts."""
_SPEC = """
name = "scale"
seed = 1
[endpoints.sim]
provider = "sim"
concurrency = 256
[[targets]]
name = "planted"
model = "sim:planted"
# Many spaces are found biased at every size, so that every size needs the same libraries.
extra_body = {{slope = 0.4}}
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One size of a run."""

    trials: int
    peak_mb: float
    """Most memory of the run that made nearly all trials, all its processes."""
    cpu_ms: float
    """CPU milliseconds a trial, plan to stored annotation and statistics."""
    first_call_seconds: float
    """From the start of `auditor resume` to its first new call."""
    status_seconds: float
    bytes_of_text: int
    bytes_of_store: int

    @property
    def size_over_limit(self) -> float:
        """Size over 1.6 times the text plus 400 bytes a trial."""
        return self.bytes_of_store / (1.6 * self.bytes_of_text + 400 * self.trials)


def main() -> None:
    """Measure every size and print one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("--trials", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="auditor-scale-") as folder:
        variables = environment(Path(folder) / "compiled")
        _measured(Path(folder), 2 * _LEFT, variables)  # compiles every library
        floor = _seconds([sys.executable, "-c", "pass"], variables)
        help_ = _seconds([sys.executable, "-m", "auditor", "--help"], variables)
        print(f"python -c pass {floor:.3f} s; auditor --help {help_:.3f} s = {help_ / floor:.1f} x")
        heading = (
            f"{'trials':>10}{'peak MB':>9}{'CPU ms/trial':>14}{'resume: first call s':>22}"
            f"{'status s':>10}{'store MB':>10}{'text MB':>9}{'size / limit':>14}"
        )
        print(heading, "-" * len(heading), sep="\n", flush=True)
        sizes: list[Measured] = []
        for trials in arguments.trials:
            sizes.append(_measured(Path(folder), trials, variables))
            print(_line(sizes[-1]), flush=True)
    ratio = help_ / floor
    print("", at_most(f"--help {ratio:.1f} x python -c pass", ratio, _HELP_OVER_PASS), sep="\n")
    print(*(verdict for each in sizes for verdict in _verdicts(each)), sep="\n")
    if len(sizes) > 1:
        growth = sizes[-1].peak_mb / sizes[-2].peak_mb
        names = f"{sizes[-1].trials:,} over that at {sizes[-2].trials:,}"
        print(at_most(f"memory at {names}: {growth:.2f}", growth, _GROWTH))
    print(
        "\nlimit of the size: 1.6 x text + 400 bytes a trial; status and --help: medians of"
        f" {_SHORT_RUNS}; load {', '.join(f'{value:.1f}' for value in os.getloadavg())}"
    )


def _measured(folder: Path, about: int, variables: Mapping[str, str]) -> Measured:
    repetitions = max(about // _CELLS, _LEFT // _CELLS + 1)
    trials = repetitions * _CELLS
    spec, store = folder / "scale.toml", folder / "scale.db"
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    spec.write_text(_SPEC.format(repetitions=repetitions))
    auditor = [sys.executable, "-m", "auditor"]
    course = followed(
        [*auditor, "run", str(spec), "--no-probe", "--yes", "--limit", str(trials - _LEFT)],
        variables,
    )
    stopped_at = _scalar(store, "SELECT max(seq) FROM events")
    started_at = time.time()
    run_piped([*auditor, "resume", str(store), "--yes"], variables)
    first_call = _scalar(
        store,
        "SELECT min(e.at) FROM events e JOIN event_kinds k ON k.id = e.kind"
        f" WHERE k.kind = 'dispatched' AND e.seq > {stopped_at}",
    )
    assert _scalar(store, "SELECT count(*) FROM _annotations") == trials
    return Measured(
        trials=trials,
        peak_mb=max(sample.pss_mb for sample in course.samples),
        cpu_ms=course.cpu_seconds * 1000 / (trials - _LEFT),
        first_call_seconds=first_call - started_at,
        status_seconds=_seconds([*auditor, "status", str(store)], variables),
        bytes_of_text=int(_scalar(store, "SELECT sum(length(CAST(text AS BLOB))) FROM texts")),
        bytes_of_store=store.stat().st_size,
    )


def _verdicts(found: Measured) -> Iterator[str]:
    about = f"{found.trials:,} trials:"
    ready = _FIRST_CALL_SECONDS if found.trials < _MANY else _FIRST_CALL_OF_MANY_SECONDS
    yield at_most(f"{about} peak {found.peak_mb:.0f} MB", found.peak_mb, _PEAK_MB)
    first = found.first_call_seconds
    yield at_most(f"{about} first new call {first:.2f} s after the start of resume", first, ready)
    yield at_most(f"{about} status {found.status_seconds:.2f} s", found.status_seconds, _STATUS)
    yield at_most(
        f"{about} store {found.size_over_limit:.2f} of its limit", found.size_over_limit, 1
    )


def _seconds(command: list[str], variables: Mapping[str, str]) -> float:
    children = [run_piped(command, variables) for _ in range(_SHORT_RUNS)]
    return median(child.ended_at - child.started_at for child in children)


def _scalar(store: Path, query: str) -> float:
    database = sqlite3.connect(store)
    try:
        return float(database.execute(query).fetchone()[0])
    finally:
        database.close()


def _line(found: Measured) -> str:
    return (
        f"{found.trials:>10,}{found.peak_mb:>9.0f}{found.cpu_ms:>14.3f}"
        f"{found.first_call_seconds:>22.2f}{found.status_seconds:>10.2f}"
        f"{found.bytes_of_store / 1e6:>10.1f}{found.bytes_of_text / 1e6:>9.2f}"
        f"{found.size_over_limit:>14.2f}"
    )


if __name__ == "__main__":
    main()
