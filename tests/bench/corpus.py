"""A corpus collected elsewhere, at full size: how long its import takes, and how much memory.

`python -m tests.bench.corpus --words 1400` makes 79,500 stories (10 targets, 106 occupations, 75
repetitions; some 600 MB), imports them as a user would, with the offline judges and all
statistics, then once more. `--words 0` makes texts that are nothing but a name.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.child import ROOT, environment
from tests.bench.corpus_lines import REPETITIONS, TARGETS, lines
from tests.bench.corpus_memory import MemoryWatch, Peak

PHASES = ("import", "judges", "statistics", "end")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One `auditor import`."""

    started_at: float
    ended_at: float
    cpu_seconds: float
    """User and system time of all its processes."""
    peak: Peak
    lags: list[tuple[float, float, float]]
    """(Unix seconds, milliseconds, of them computing) of the event loop's waits."""
    said: str

    @property
    def seconds(self) -> float:
        """From start to exit."""
        return self.ended_at - self.started_at


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.corpus", description=__doc__)
    parser.add_argument("--words", type=int, default=1400, help="of a story; 0: only a name")
    parser.add_argument("--targets", type=int, default=TARGETS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="kept, with corpus and store (default: none)")
    parser.add_argument("--once", action="store_true", help="leave the second import out")
    return parser


def main() -> None:
    """Make the corpus, import it twice, and print what it took."""
    arguments = _parser().parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="auditor-corpus-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _measure(arguments, folder)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


def _measure(arguments: argparse.Namespace, folder: Path) -> None:
    file = folder / f"corpus-{arguments.words}.jsonl"
    store = file.with_suffix(".db")
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    count = _write(arguments, file)
    size = file.stat().st_size / 1e6
    print(f"{count:,} texts of {arguments.words:,} words, {size:,.0f} MB; {_machine()}")
    first = _imported(file, store, folder)
    print(_report(first, _ends(store, first)))
    if not arguments.once:
        rows = _rows(store)
        second = _imported(file, store, folder)
        verdict = "nothing was added" if _rows(store) == rows else "ROWS WERE ADDED"
        print(f"\nonce more: {_line(second)}; {verdict}")
    print(f"store: {store.stat().st_size / 1e6:,.0f} MB; {_machine()}")


def _write(arguments: argparse.Namespace, file: Path) -> int:
    count = 0
    with file.open("wb") as out:
        for line in lines(
            seed=arguments.seed,
            targets=arguments.targets,
            repetitions=arguments.repetitions,
            words=arguments.words,
        ):
            out.write(line)
            count += 1
    return count


def _imported(file: Path, store: Path, folder: Path) -> Measured:
    lags = folder / "lags.json"
    command = [sys.executable, "-m", "tests.bench.corpus_lag", str(lags)]
    command += ["import", str(file), "--store", str(store)]
    started_at = time.time()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(folder / "compiled"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    with MemoryWatch(process.pid) as peak, process.stdout:
        said = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    ended_at = time.time()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"auditor import ended with {process.returncode}:\n{said[-2000:]}")
    return Measured(
        started_at=started_at,
        ended_at=ended_at,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak=peak,
        lags=[tuple(lag) for lag in json.loads(lags.read_text())],
        said=said,
    )


def _ends(store: Path, measured: Measured) -> dict[str, float]:
    """When each phase ended, by the store's journal."""
    database = sqlite3.connect(store)
    try:
        last = {
            (kind, agent): at
            for kind, agent, at in database.execute(
                "SELECT k.kind, a.name, max(e.at) FROM events e"
                " JOIN event_kinds k ON k.id = e.kind JOIN agents a ON a.id = e.agent"
                " WHERE e.at > ? GROUP BY k.kind, a.name",
                (measured.started_at,),
            )
        }
    finally:
        database.close()
    imported = [at for (kind, agent), at in last.items() if kind == "imported" and ":" in agent]
    ends = {"import": max(imported, default=measured.started_at)}
    judged = [at for (kind, _), at in last.items() if kind == "annotation"]
    ends["judges"] = max([*judged, ends["import"]])
    computed = [at for (kind, _), at in last.items() if kind == "statistics"]
    ends["statistics"] = max([*computed, ends["judges"]])
    ends["end"] = measured.ended_at
    return ends


def _report(measured: Measured, ends: dict[str, float]) -> str:
    found = [f"{'phase':<14}{'seconds':>9}{'longest lag':>14}{'computing':>12}"]
    before = measured.started_at
    for phase in PHASES:
        lags = [(ms, busy) for at, ms, busy in measured.lags if before < at <= ends[phase]]
        longest, busy = max(lags, default=(0.0, 0.0))
        found.append(f"{phase:<14}{ends[phase] - before:>9.1f}{longest:>11.0f} ms{busy:>9.0f} ms")
        before = ends[phase]
    return "\n".join([*found, _line(measured)])


def _line(measured: Measured) -> str:
    peak = measured.peak
    return (
        f"{measured.seconds:.1f} s from start to exit, {measured.cpu_seconds:.1f} s of CPU; "
        f"at most {peak.pss_mb:,.0f} MB (RSS {peak.rss_mb:,.0f} MB) in {peak.processes} processes"
    )


def _rows(store: Path) -> list[tuple[str, int]]:
    database = sqlite3.connect(store)
    tables = ("trials", "texts", "_responses", "_annotations", "_failures", "_statistics")
    try:
        return [
            (table, database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for table in tables
        ]
    finally:
        database.close()


def _machine() -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, load {load}"


if __name__ == "__main__":
    main()
