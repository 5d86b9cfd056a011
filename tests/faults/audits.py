"""The audits that meet the faults: over HTTP, two targets, two judges, statistics."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from auditor.store.connection import connect
from tests.cli.driving import Ran, begin
from tests.faults.scenario import Found

CONCURRENCY = 8
CELLS = 62
TARGETS = ("a", "b")
TRIALS = CELLS * len(TARGETS)
"""Of one repetition."""
_SPEC = """
name = "faults"
seed = 1
judges = [
  {{task = "choice", judge = "rules"}},
  {{task = "choice", name = "model", model = "openai:judge", endpoint = "mock"}},
]
[endpoints.mock]
provider = "openai"
base_url = "{url}/v1"
concurrency = {concurrency}
{endpoint}
{targets}
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""
_TARGET = '[[targets]]\nname = "{name}"\nmodel = "openai:model-{name}"\nendpoint = "mock"\n'
CONTENT = {
    "trials": (
        "SELECT lower(hex(t.key)), lower(hex(c.key)), t.repetition FROM trials t"
        " JOIN cells c ON c.id = t.cell_id"
    ),
    "responses": "SELECT trial, outcome, text, reasoning, finish_reason, model FROM responses",
    "annotations": "SELECT trial, task, judge, repeat, valid, value, reason FROM annotations",
    "statistics": "SELECT * FROM statistics",
}
"""What two stores of one run have in common, whenever and in whatever order it was made."""


def write_spec(
    path: Path, url: str, *, repetitions: int, endpoint: str = "", concurrency: int = CONCURRENCY
) -> Path:
    """A spec of 124 trials a repetition, each judged by rules and by a model."""
    path.write_text(
        _SPEC.format(
            url=url,
            concurrency=concurrency,
            endpoint=endpoint,
            targets="".join(_TARGET.format(name=name) for name in TARGETS),
            repetitions=repetitions,
        )
    )
    return path


def content(store: Path) -> dict[str, Counter[tuple[object, ...]]]:
    """Everything of a run that does not depend on when its parts were made."""
    connection = connect(store, read_only=True)
    try:
        return {
            name: Counter(connection.execute(query).fetchall()) for name, query in CONTENT.items()
        }
    finally:
        connection.close()


@dataclass(frozen=True, kw_only=True)
class Held:
    """What was committed at one moment: rows that may never go or change again."""

    responses: Counter[tuple[object, ...]]
    annotations: Counter[tuple[object, ...]]

    @classmethod
    def of(cls, store: Path) -> Held:
        """What a store holds now."""
        found = content(store)
        return cls(responses=found["responses"], annotations=found["annotations"])

    def lost_in(self, store: Path) -> int:
        """So many of its rows are not in a store."""
        later = Held.of(store)
        gone = (self.responses - later.responses) + (self.annotations - later.annotations)
        return gone.total()

    @property
    def rows(self) -> int:
        return self.responses.total() + self.annotations.total()


def events(store: Path) -> int:
    """The last sequence number; 0 for a store that is not there or is being laid out."""
    return _number(store, "SELECT coalesce(max(seq), 0) FROM events")


def _number(store: Path, query: str) -> int:
    try:
        connection = connect(store, read_only=True)
    except Exception:
        return 0
    try:
        return int(connection.execute(query).fetchone()[0])
    except Exception:
        return 0
    finally:
        connection.close()


def until(holds: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 120) -> bool:
    """Wait for something while a process runs; whether it came about."""
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return holds()


def started(spec: Path, store: Path, at_event: int, **options: object) -> subprocess.Popen[str]:
    """A run that has stored so many events."""
    process = begin("run", spec, "--store", store, "--no-probe", **options)
    if not until(lambda: events(store) >= at_event, process):
        process.kill()
        _, err = process.communicate()
        raise AssertionError(f"the run ended before event {at_event}: {err}")
    return process


def command(*arguments: object, seconds: float = 1800, **options: object) -> Ran:
    """A whole command in a process of its own, which may take minutes."""
    return ended(begin(*arguments, **options), seconds)


def ended(process: subprocess.Popen[str], seconds: float = 180) -> Ran:
    """How a process ended, once it has."""
    out, err = process.communicate(timeout=seconds)
    return Ran(code=process.returncode, out=out, err=err)


def check_said(found: Found, ran: Ran, *, codes: Iterable[int], errors: int = 1) -> str:
    """Note a traceback, more or fewer errors than one, another exit code; give the error."""
    found.codes.append(ran.code)
    said = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    found.expect(ran.code in set(codes), f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect("Traceback" not in ran.err, f"a traceback: {ran.err[-300:]}")
    found.expect("unexpected" not in ran.err, f"an unexpected error: {ran.err[-300:]}")
    if ran.code in (1, 2):
        found.expect(len(said) == errors, f"{len(said)} errors instead of {errors}: {said}")
    return said[0].removeprefix("error: ") if said else ""


def check_resumes(found: Found, store: Path, held: Held, trials: int) -> None:
    """Resume to the end: everything is there, once, and what was there before as it was."""
    ran = command("resume", store, "--no-probe", "--json")
    found.expect(ran.code == 0, f"resuming ended with {ran.code}: {ran.err[-300:]}")
    found.lost += held.lost_in(store)
    check_whole(found, store, trials)


def check_whole(found: Found, store: Path, trials: int) -> None:
    """A finished store: every trial and judgement once, and `verify` finds nothing."""
    have = content(store)
    for name, planned in (("responses", trials), ("annotations", 2 * trials)):
        rows = have[name].total()
        found.expect(rows == planned, f"{rows} {name} instead of {planned}")
        found.expect(len(have[name]) == rows, f"{name} that are there twice")
    check_verified(found, store)


def check_verified(found: Found, store: Path) -> None:
    ran = command("verify", store, "--json")
    found.expect(ran.code == 0, f"verify ended with {ran.code}: {ran.out[-300:]}{ran.err[-300:]}")


def repeats(by_trial: dict[str, int]) -> int:
    """Calls beyond the first."""
    return sum(by_trial.values()) - len(by_trial)


def state(store: Path) -> str:
    """What `status` calls the run."""
    ran = command("status", store, "--json")
    return str(json.loads(ran.out)["state"]) if ran.code == 0 else f"error {ran.code}: {ran.err}"
