"""Wall clocks that jump: what takes time is measured on a clock that does not."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.cli.driving import begin
from tests.faults.audits import (
    TRIALS,
    Held,
    check_said,
    check_whole,
    command,
    ended,
    repeats,
    started,
    state,
    write_spec,
)
from tests.faults.scenario import Found, Ground, scenario
from tests.killing import SLOW, counts, mock_server

_HOUR = 3600.0
_WITH_A_CLOCK = """
import runpy, sys, time
from pathlib import Path
place, real = Path(sys.argv.pop(1)), time.time
def shifted():
    try:
        return real() + float(place.read_text())
    except (OSError, ValueError):
        return real()
time.time = shifted
runpy.run_module("auditor", run_name="__main__", alter_sys=True)
"""
"""The program with a wall clock that a file sets forward or back."""


def _clock(place: Path) -> tuple[str, ...]:
    return (sys.executable, "-c", _WITH_A_CLOCK, str(place))


def _jumped(ground: Ground, seconds: float) -> Found:
    """Amid a run with retries; a second run meets it with the clock of before, and is refused."""
    found, trials = Found(), TRIALS * 4
    place = ground.folder / "clock"
    faults = ("--fault-rate", "0.05", "--fault-kinds", "503", "--fault-last-attempt", "1")
    with mock_server("--latency-ms", "400", *faults) as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=4)
        store = spec.with_suffix(".db")
        process = started(spec, store, 100, command=_clock(place))
        place.write_text(str(seconds))
        held, begun = Held.of(store), time.monotonic()
        time.sleep(6)  # a heartbeat with the other clock
        second = command("run", spec, "--no-probe")
        said = check_said(found, second, codes=[2])
        found.expect("being written by" in said, f"the second run: {said}")
        found.expect(state(store) == "running", f"state {state(store)}")
        ran = ended(process, 300)
        took = time.monotonic() - begun
        found.lost = held.lost_in(store)
    found.codes.append(ran.code)
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect(state(store) == "complete", f"state {state(store)}")
    check_whole(found, store, trials)
    found.happened = f"completes {took:.0f} s later; a second run is refused all the same"
    return found


@scenario("the wall clock is set back by an hour amid a run")
def clock_set_back(ground: Ground) -> Found:
    return _jumped(ground, -_HOUR)


@scenario("the wall clock is set forward by an hour amid a run")
def clock_set_forward(ground: Ground) -> Found:
    return _jumped(ground, _HOUR)


@scenario("killed, then resumed with the wall clock an hour back; a limit a minute")
def clock_back_at_resume(ground: Ground) -> Found:
    """What was called lies in the future: it counts for a minute, not for an hour."""
    found, place = Found(), ground.folder / "clock"
    with mock_server(*SLOW) as url:
        limit = "requests_per_minute = 300"
        spec = write_spec(ground.folder / "s.toml", url, repetitions=1, endpoint=limit)
        store = spec.with_suffix(".db")
        process = begin("run", spec, "--store", store, "--no-probe")
        while sum(counts(url)["by_trial"].values()) < 120 and process.poll() is None:
            time.sleep(0.05)
        process.kill()
        process.communicate()
        held = Held.of(store)
        place.write_text(str(-_HOUR))
        begun = time.monotonic()
        ran = command("resume", store, "--no-probe", command=_clock(place))
        took = time.monotonic() - begun
        found.repeated = repeats(counts(url)["by_trial"])
        found.lost = held.lost_in(store)
    found.codes.append(ran.code)
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect(took < 150, f"it took {took:.0f} s")
    check_whole(found, store, TRIALS)
    found.happened = f"completes after {took:.0f} s"
    return found
