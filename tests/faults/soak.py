"""A run at full speed for an hour: what it holds, opens and waits for must not grow.

`python -m tests.faults.soak --minutes 60` audits two targets over HTTP at the mock server, judged
by rules and by a model, with the live view on a pseudo-terminal. It samples memory, open files, the
store's log and the event loop's delays, and ends the run with Ctrl-C when the time is over. Exits
1 where a promise did not hold.
"""

from __future__ import annotations

import argparse
import csv
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from auditor.errors import AuditorError
from auditor.store.connection import connect
from tests.bench.corpus_memory import memory_mb, process_tree
from tests.cli.driving import OnTerminal
from tests.faults.audits import TRIALS, write_spec
from tests.faults.soaked import Moment, Promise, promises
from tests.killing import mock_server

_MOST_TRIALS_PER_SECOND = 2_000
"""The plan is to outlast the time on any machine."""
_COUNTED = """
    SELECT coalesce(sum(y.count) FILTER (WHERE y.judge_id = 0), 0),
        coalesce(sum(y.count) FILTER (WHERE j.name = 'model'), 0)
    FROM tallies y LEFT JOIN judges j ON j.id = y.judge_id"""
_ROWS = 20
_KEPT = 65_536
"""Characters of the terminal that are kept, to tell what happened if the run ends early."""
_LAGS = ("p50", "p99", "max")
_COLUMNS = (
    ("minute", 8),
    ("trials", 11),
    ("judged", 11),
    ("calls/s", 9),
    ("RSS MB", 9),
    ("files", 7),
    ("wal MB", 8),
    ("store MB", 10),
    ("lag p50 ms", 12),
    ("p99", 8),
    ("max", 8),
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument(
        "--warm-up", type=float, metavar="MINUTES", help="left out (default: a tenth)"
    )
    parser.add_argument("--every", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--samples", type=Path, help="write every sample to this .csv or .json")
    return parser


class _Soak:
    """A run and what is seen of it."""

    def __init__(self, folder: Path, url: str, minutes: float, concurrency: int) -> None:
        self.store = folder / "soak.db"
        self._lags = folder / "lags"
        self._lags.touch()
        self._read = 0
        spec = write_spec(
            folder / "soak.toml",
            url,
            repetitions=int(minutes * 60 * _MOST_TRIALS_PER_SECOND / TRIALS) + 1,
            concurrency=concurrency,
        )
        self.terminal = OnTerminal(
            *(self._lags, "run", spec, "--store", self.store, "--no-probe", "--yes"),
            columns=140,
            command=(sys.executable, "-m", "tests.faults.watched"),
        )
        self.terminal.wait_until(lambda: self._counted() != (0, 0), 120.0, "answer")
        self._began = time.monotonic()

    def moments(self, seconds: float, every: float) -> Iterator[Moment]:
        """A sample every so often, as long as asked for. Raises AssertionError if the run ends."""
        due = self._began
        while due - self._began < seconds:
            due += every
            wait = due - time.monotonic() + 60.0
            self.terminal.wait_until(lambda at=due: time.monotonic() >= at, wait, "next moment")
            self.terminal.seen = self.terminal.seen[-_KEPT:]
            yield self._moment()

    def end(self) -> int:
        """Ctrl-C; the exit code."""
        self.terminal.interrupt()
        return self.terminal.end(180.0)

    def _moment(self) -> Moment:
        trials, judgements = self._counted()
        tree = process_tree(self.terminal.pid)
        sizes = [size for pid in tree if (size := memory_mb(pid)) is not None]
        return Moment(
            seconds=time.monotonic() - self._began,
            trials=trials,
            judgements=judgements,
            rss_mb=sum(rss for rss, _ in sizes),
            files=sum(map(_open_files, tree)),
            wal_mb=_size_mb(self.store.with_name(f"{self.store.name}-wal")),
            store_mb=_size_mb(self.store),
            lags=self._new_lags(),
        )

    def _counted(self) -> tuple[int, int]:
        """Responses, and annotations of the model; none before the store is laid out."""
        try:
            connection = connect(self.store, read_only=True)
        except AuditorError:
            return 0, 0
        try:
            (found,) = connection.execute(_COUNTED).fetchall()
        except sqlite3.Error:
            return 0, 0
        finally:
            connection.close()
        return int(found[0]), int(found[1])

    def _new_lags(self) -> Counter[int]:
        """Delays that were written since the last look; a line half written waits for the next."""
        with self._lags.open("rb") as file:
            file.seek(self._read)
            whole, _, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + bool(whole)
        found: Counter[int] = Counter()
        for line in whole.splitlines():
            _, met = json.loads(line)
            found.update({int(ticks): times for ticks, times in met.items()})
        return found


def _open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:  # it has ended
        return 0


def _size_mb(path: Path) -> float:
    try:
        return path.stat().st_size / 2**20
    except OSError:
        return 0.0


def _heading() -> str:
    return "".join(f"{name:>{width}}" for name, width in _COLUMNS)


def _line(moment: Moment, calls_per_second: float) -> str:
    row = moment.row()
    cells = (
        f"{moment.seconds / 60:.1f}",
        f"{moment.trials:,}",
        f"{moment.judgements:,}",
        f"{calls_per_second:,.0f}",
        f"{moment.rss_mb:.1f}",
        moment.files,
        f"{moment.wal_mb:.1f}",
        f"{moment.store_mb:,.0f}",
        *("-" if (lag := row[f"lag_{name}_ms"]) is None else f"{lag:.1f}" for name in _LAGS),
    )
    return "".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, _COLUMNS, strict=True))


def _write(path: Path, moments: Sequence[Moment]) -> None:
    rows = [moment.row() for moment in moments]
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1) + "\n")
        return
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def _played(options: argparse.Namespace, folder: Path) -> tuple[list[Moment], int]:
    """All samples, printed as they come, and the exit code of the run."""
    seconds = options.minutes * 60
    shown_every = max(options.every, seconds / _ROWS)
    moments: list[Moment] = []
    shown: Moment | None = None
    print(_heading(), "-" * len(_heading()), sep="\n", flush=True)
    with mock_server() as url:
        soak = _Soak(folder, url, options.minutes, options.concurrency)
        try:
            for moment in soak.moments(seconds, options.every):
                moments.append(moment)
                if shown is None or moment.seconds - shown.seconds >= shown_every:
                    print(_line(moment, _speed(shown, moment)), flush=True)
                    shown = moment
            code = soak.end()
        finally:
            soak.terminal.kill()
            if options.samples and moments:
                _write(options.samples, moments)
    return moments, code


def _speed(before: Moment | None, now: Moment) -> float:
    """Calls a second: one a trial and one a judgement."""
    calls = now.trials + now.judgements
    if before is None:
        return calls / now.seconds
    return (calls - before.trials - before.judgements) / (now.seconds - before.seconds)


def main() -> int:
    """Soak, and judge."""
    parser = _parser()
    options = parser.parse_args()
    warm_up = options.minutes / 10 if options.warm_up is None else options.warm_up
    if (options.minutes - warm_up) * 60 < 6 * options.every:
        parser.error("at least six samples after the warm-up")
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        moments, code = _played(options, Path(folder))
    found = [Promise("Ctrl-C ends the run with 130", f"exit code {code}", code == 130)]
    found += promises([each for each in moments if each.seconds > warm_up * 60])
    print(f"\nafter a warm-up of {warm_up:g} minutes:")
    for promise in found:
        print(f"{'held' if promise.holds else 'BROKEN':8}{promise.name}: {promise.found}")
    return 0 if all(promise.holds for promise in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
