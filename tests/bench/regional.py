"""The full set of regional decisions on simulated targets: CPU a trial, and memory, phase by phase.

`python -m tests.bench.regional` runs `auditor run` on six targets x 10,098 ordered pairs by task x
five repetitions = 302,940 trials, each with a planted order of regions and no latency. CPU time is
the figure: wall time is that of the machine, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.child import environment
from tests.bench.course import Course, Sample, followed

PAIRS_BY_TASK = 34 * 33 * 9
PARTS = 6
"""Of the trials: memory is shown after each."""
_PHASES = ("start", "plan, generate, judge", "statistics", "end")
_SPEC = """
name = "regional"
seed = {seed}
[endpoints.sim]
provider = "sim"
{concurrency}
{targets}
[protocols."regional.decision"]
repetitions = {repetitions}
"""
_TARGET = """
[[targets]]
name = "model-{number}"
model = "sim:model-{number}"
endpoint = "sim"
extra_body = {{order = "gdp", strength = {strength}, position = 0.3, refusal = 0.01}}
"""


@dataclass(frozen=True, slots=True)
class Moments:
    """When what ended, in Unix seconds by the store's journal."""

    first_call: float
    judged: float
    computed: float
    parts: Sequence[float]
    """When each of the `PARTS` of the trials was answered."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.regional", description=__doc__)
    parser.add_argument("--targets", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--concurrency", type=int, help="(default: that of simulated models)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="kept, with spec and store (default: none)")
    return parser


def main() -> None:
    """Run the audit once and print what it took."""
    arguments = _parser().parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="auditor-regional-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _measure(arguments, folder)
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


def _measure(arguments: argparse.Namespace, folder: Path) -> None:
    trials = arguments.targets * PAIRS_BY_TASK * arguments.repetitions
    calls = "default" if arguments.concurrency is None else arguments.concurrency
    print(
        f"{arguments.targets} targets x {PAIRS_BY_TASK:,} pairs by task x {arguments.repetitions}"
        f" repetitions = {trials:,} trials; concurrency {calls}; {_machine()}",
        flush=True,
    )
    spec = folder / "regional.toml"
    spec.write_text(_spec(arguments))
    variables = environment(folder / "compiled")
    # A few trials first: a fresh cache has every library compiled once, which no later run does.
    followed([*_command(spec, _fresh(folder / "compiling.db")), "--limit", "200"], variables)
    store = _fresh(folder / "regional.db")
    course = followed(_command(spec, store), variables)
    print(_report(course, _moments(store, trials), trials))
    print(f"store: {store.stat().st_size / 1e6:,.0f} MB; {_machine()}")


def _command(spec: Path, store: Path) -> list[str]:
    command = [sys.executable, "-m", "auditor", "run", str(spec), "--store", str(store)]
    return [*command, "--no-probe", "--yes"]


def _fresh(store: Path) -> Path:
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    return store


def _spec(arguments: argparse.Namespace) -> str:
    calls = arguments.concurrency
    targets = "".join(
        _TARGET.format(number=number, strength=1.0 + number) for number in range(arguments.targets)
    )
    return _SPEC.format(
        seed=arguments.seed,
        concurrency=f"concurrency = {calls}" if calls else "",
        targets=targets,
        repetitions=arguments.repetitions,
    )


def _moments(store: Path, trials: int) -> Moments:
    database = sqlite3.connect(store)
    try:
        of_kind = {
            kind: (first, last, count)
            for kind, first, last, count in database.execute(
                "SELECT k.kind, min(e.at), max(e.at), count(*) FROM events e"
                " JOIN event_kinds k ON k.id = e.kind GROUP BY k.kind"
            )
        }
        responses, judged = (of_kind[kind][2] for kind in ("response", "annotation"))
        if (responses, judged) != (trials, trials):
            raise RuntimeError(f"{responses} responses, {judged} annotations of {trials} trials")
        parts = [
            database.execute(
                "SELECT e.at FROM events e JOIN event_kinds k ON k.id = e.kind"
                " WHERE k.kind = 'response' ORDER BY e.seq LIMIT 1 OFFSET ?",
                (trials * part // PARTS - 1,),
            ).fetchone()[0]
            for part in range(1, PARTS + 1)
        ]
    finally:
        database.close()
    return Moments(
        first_call=of_kind["dispatched"][0],
        judged=of_kind["annotation"][1],
        computed=of_kind["statistics"][1],
        parts=parts,
    )


def _report(course: Course, moments: Moments, trials: int) -> str:
    found = [f"{'phase':<22}{'CPU s':>9}{'ms a trial':>12}{'wall s':>9}{'most MB':>9}{'RSS':>7}"]
    since, spent = course.started_at, 0.0
    ends = (moments.first_call, moments.judged, moments.computed, course.ended_at)
    for phase, end in zip(_PHASES, ends, strict=True):
        used = course.cpu_seconds if end == course.ended_at else course.cpu_at(end)
        found.append(_line(phase, used - spent, trials, end - since, course.between(since, end)))
        since, spent = end, used
    whole = course.ended_at - course.started_at
    found.append(_line("all", course.cpu_seconds, trials, whole, course.samples))
    sizes = [course.last_before(at) for at in moments.parts]
    shown = ", ".join("?" if size is None else f"{size.pss_mb:,.0f}" for size in sizes)
    return "\n".join([*found, f"MB after each of {PARTS} equal parts of the trials: {shown}"])


def _line(
    phase: str, cpu_seconds: float, trials: int, seconds: float, samples: Sequence[Sample]
) -> str:
    # Pages that several processes share count once in the first, in each of them in the second.
    pss, rss = (
        max((getattr(sample, field) for sample in samples), default=0.0)
        for field in ("pss_mb", "rss_mb")
    )
    return (
        f"{phase:<22}{cpu_seconds:>9.1f}{cpu_seconds * 1000 / trials:>12.3f}"
        f"{seconds:>9.1f}{pss:>9,.0f}{rss:>7,.0f}"
    )


def _machine() -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, load {load}"


if __name__ == "__main__":
    main()
