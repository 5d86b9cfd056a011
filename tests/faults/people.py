"""What people do: Ctrl-C at any phase, signals, narrow terminals, readers that leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from struct import pack

from tests.cli.driving import OnTerminal, begin, laid_out, over_http, rows, serving
from tests.faults.audits import check_verified, command, ended, state
from tests.faults.scenario import Found, Ground, scenario
from tests.mock_server import Faults

_SECONDS = 15.0


def _check_stopped(found: Found, terminal: OnTerminal, what: str, *, seconds: float) -> None:
    """130 within a time, and no traceback."""
    begun = time.monotonic()
    try:
        code = terminal.end(seconds=seconds + _SECONDS)
    except AssertionError:
        found.wrong.append(f"{what}: still running after {seconds + _SECONDS:.0f} s")
        return
    took = time.monotonic() - begun
    found.codes.append(code)
    found.expect(code == 130, f"{what}: exit code {code}: {terminal.words[-300:]}")
    found.expect("Traceback" not in terminal.words, f"{what}: {terminal.words[-500:]}")
    found.expect(took < seconds, f"{what}: it took {took:.1f} s")


def _press(terminal: OnTerminal, times: int) -> None:
    answers = ("stopping: ", "cancelling", "left at once")
    for answer in answers[:times]:
        terminal.interrupt()
        if answer != answers[-1]:
            try:
                terminal.wait_for(answer, 5.0)
            except AssertionError:  # it has ended before it could be pressed again
                return


def _finish(found: Found, store: Path, trials: int, what: str) -> None:
    """Whatever was pressed, resuming completes the run."""
    check_verified(found, store)
    ran = command("resume", store, "--no-probe", "--json")
    found.expect(ran.code == 0, f"{what}: resume ended with {ran.code}: {ran.err[-300:]}")
    if ran.code == 0:
        done = json.loads(ran.out)["responses"]
        found.expect(done == trials, f"{what}: {done} of {trials} responses")


@scenario("Ctrl-C once, twice, three times while models are probed")
def ctrl_c_probing(ground: Ground) -> Found:
    found = Found()
    for times in (1, 2, 3):
        with serving(latency_seconds=600) as server:
            spec = laid_out(over_http(ground.folder / f"{times}.toml", server.openai_url))
            terminal = OnTerminal("run", spec)
            terminal.wait_until(lambda: server.in_flight > 0, 60.0, "call")
            _press(terminal, times)
            _check_stopped(found, terminal, f"{times} presses", seconds=5)
            server.latency_seconds = 0.0
            _finish(found, spec.with_suffix(".db"), 6, f"{times} presses")
    found.happened = "ends at once; nothing is left in flight"
    return found


@scenario("Ctrl-C once, twice, three times while it waits to try again")
def ctrl_c_waiting(ground: Ground) -> Found:
    """A 503 with a Retry-After of minutes is not waited for."""
    found = Found()
    for times in (1, 2, 3):
        with serving(faults=Faults(rate=1.0, kinds=("503", "reset"))) as server:
            spec = laid_out(over_http(ground.folder / f"{times}.toml", server.openai_url))
            terminal = OnTerminal("run", spec, "--no-probe")
            terminal.wait_until(lambda: sum(server.counts.values()) > 12, 60.0, "retries")
            _press(terminal, times)
            _check_stopped(found, terminal, f"{times} presses", seconds=5)
            server.faults = Faults()
            _finish(found, spec.with_suffix(".db"), 6, f"{times} presses")
    found.happened = "ends at once; what waited is open again"
    return found


@scenario("Ctrl-C once, twice, three times while a model judge hangs")
def ctrl_c_judging(ground: Ground) -> Found:
    found = Found()
    for times in (1, 2, 3):
        with serving() as server, serving(latency_seconds=600) as stuck:
            top = (
                'judges = [{task = "choice", name = "m", model = "openai:j", endpoint = "j"}]\n'
                f"[endpoints.j]\nprovider = 'openai'\nbase_url = '{stuck.openai_url}'"
            )
            spec = laid_out(over_http(ground.folder / f"{times}.toml", server.openai_url, top=top))
            store = spec.with_suffix(".db")
            terminal = OnTerminal("run", spec, "--no-probe")
            terminal.wait_until(lambda: stuck.in_flight >= 6, 60.0, "judgement")
            if times == 1:
                terminal.interrupt()
                terminal.wait_for("stopping: ", 5.0)
                stuck.latency_seconds = 0.0  # too late for those under way
                terminal.interrupt()
            else:
                _press(terminal, times)
            _check_stopped(found, terminal, f"{times} presses", seconds=5)
            stuck.latency_seconds = 0.0
            _finish(found, store, 6, f"{times} presses")
            asked = sum(server.counts.values())
            found.expect(asked == 6, f"{times} presses: {asked} calls to the target instead of 6")
    found.happened = "first drains, second cancels, third leaves; answers kept"
    return found


def _many(path: Path) -> Path:
    """A simulated plan of 1,116 cells: a moment of statistics to hit."""
    path.write_text(
        'name = "many"\nseed = 1\n[[targets]]\nmodel = "sim:fair"\n'
        '[protocols."spatial.explicit"]\nrepetitions = 1\n'
        'prompt = ["0", "1", "2", "3", "4", "5"]\ntemperature = [0.0, 0.5, 1.0]\n'
    )
    return laid_out(path)


def _at_statistics(ground: Ground, name: str) -> tuple[OnTerminal, Path]:
    spec = _many(ground.folder / f"{name}.toml")
    store = spec.with_suffix(".db")
    terminal = OnTerminal("run", spec)
    count = "SELECT count(*) FROM _annotations"
    terminal.wait_until(lambda: rows(store, count) == [(1116,)], 60.0, "annotations")
    return terminal, store


@scenario("Ctrl-C twice and three times, SIGTERM, SIGHUP during the statistics")
def stopped_in_statistics(ground: Ground) -> Found:
    """Once is in the suite."""
    found = Found()
    ways: dict[str, Callable[[OnTerminal], None]] = {
        "two presses": lambda terminal: _press(terminal, 2),
        "three presses": lambda terminal: _press(terminal, 3),
        "SIGTERM": lambda terminal: os.kill(terminal.pid, signal.SIGTERM),
        "closed terminal": lambda terminal: terminal.hang_up(),
    }
    for name, way in ways.items():
        terminal, store = _at_statistics(ground, name)
        way(terminal)
        _check_stopped(found, terminal, name, seconds=8)
        _finish(found, store, 1116, name)
    found.happened = "ends at once; every answer kept; statistics made by the resume"
    return found


def _hears_a_closed_terminal() -> None:
    """However these scenarios were started."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _is_deaf_to_a_closed_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@scenario("the terminal closes (SIGHUP) on a run under `nohup`")
def under_nohup(ground: Ground) -> Found:
    found = Found()
    with serving(latency_seconds=0.2) as server:
        spec = over_http(
            ground.folder / "s.toml",
            server.openai_url,
            repetitions=8,
            endpoint="concurrency = 2",
        )
        process = begin("run", spec, "--no-probe", preexec_fn=_is_deaf_to_a_closed_terminal)
        while server.in_flight == 0 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        ran = ended(process, 60)
    found.codes.append(ran.code)
    found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect(state(spec.with_suffix(".db")) == "complete", "it is not complete")
    found.happened = "goes on and completes"
    return found


@scenario("SIGTERM and SIGHUP while the program loads, and while it probes")
def stopped_early(ground: Ground) -> Found:
    """Ended by the signal or with 130; no file is left that stands in the way."""
    found = Found()
    for number in (signal.SIGTERM, signal.SIGHUP):
        for moment in (0.05, 0.4, 0.8, 1.2):
            with serving(latency_seconds=600) as server:
                spec = over_http(ground.folder / "s.toml", server.openai_url)
                store = spec.with_suffix(".db")
                process = begin("run", spec, preexec_fn=_hears_a_closed_terminal)
                time.sleep(moment)
                process.send_signal(number)
                ran = ended(process, 30)
                what = f"{number.name} after {moment} s"
                found.codes.append(ran.code)
                found.expect(ran.code in (130, -number), f"{what}: exit code {ran.code}")
                found.expect("Traceback" not in ran.err, f"{what}: {ran.err[-400:]}")
                server.latency_seconds = 0.0
                again = command("run", spec, "--no-probe")
                found.expect(again.code == 0, f"{what}, then run: {again.err[-300:]}")
                left = [p.name for p in ground.folder.iterdir() if p not in (spec, store)]
                found.expect(not left, f"{what}: files are left: {left}")
                for path in ground.folder.iterdir():
                    path.unlink()
    found.codes = sorted(set(found.codes))
    found.happened = "ends at once; the next run starts as if nothing had been"
    return found


@scenario("terminal of 20 columns, and resized while the view is drawn")
def narrow_terminal(ground: Ground) -> Found:
    found = Found()
    with serving(latency_seconds=0.3) as server:
        for columns, later in ((20, 20), (120, 20), (20, 120), (1, 1), (60, 1)):
            spec = laid_out(
                over_http(
                    ground.folder / f"{columns}-{later}.toml",
                    server.openai_url,
                    repetitions=8,
                    endpoint="concurrency = 2",
                )
            )
            terminal = OnTerminal("run", spec, "--no-probe", columns=columns)
            terminal.wait_until(lambda: server.in_flight > 0, 60.0, "call")
            ioctl(terminal._terminal, termios.TIOCSWINSZ, pack("HHHH", 40, later, 0, 0))
            os.kill(terminal.pid, signal.SIGWINCH)
            code = terminal.end(60)
            what = f"{columns}, then {later} columns"
            found.codes.append(code)
            found.expect(code == 0, f"{what}: exit code {code}: {terminal.words[-400:]}")
            found.expect("Traceback" not in terminal.words, f"{what}: {terminal.words[-400:]}")
            for name in ("status", "stats", "watch"):
                shown = OnTerminal(name, spec.with_suffix(".db"), columns=later)
                ended_with = shown.end(30)
                found.expect(ended_with == 0, f"{name}, {later} columns: {shown.words[-300:]}")
                found.expect("Traceback" not in shown.words, f"{name}: {shown.words[-400:]}")
    found.happened = "the view is cut; the run completes"
    return found


@scenario("the reader of stdout leaves (`auditor run SPEC | head -1`)")
def reader_leaves(ground: Ground) -> Found:
    """The suite has the commands that only print; this is a run, whose work counts."""
    found = Found()
    with serving() as server:
        for more in ((), ("--json",)):
            spec = over_http(ground.folder / f"s{len(more)}.toml", server.openai_url)
            process = begin("run", spec, "--no-probe", *more)
            process.stdout.close()
            words = process.stderr.read()
            process.stderr.close()
            code = process.wait()
            found.codes.append(code)
            found.expect("Traceback" not in words, words[-400:])
            found.expect(state(spec.with_suffix(".db")) == "complete", "the run is not complete")
    found.happened = "the run completes; only its printing ends"
    return found


@scenario("the terminal is suspended with Ctrl-Z and taken up again (fg)")
def ctrl_z(ground: Ground) -> Found:
    found = Found()
    with serving(latency_seconds=0.2) as server:
        spec = laid_out(
            over_http(
                ground.folder / "s.toml",
                server.openai_url,
                repetitions=8,
                endpoint="concurrency = 2",
            )
        )
        terminal = OnTerminal("run", spec, "--no-probe")
        terminal.wait_until(lambda: server.in_flight > 0, 60.0, "call")
        terminal.press("\x1a")
        time.sleep(7)
        subprocess.run(["kill", "-CONT", str(terminal.pid)], check=True)
        code = terminal.end(60)
        found.codes.append(code)
        found.expect(code == 0, f"exit code {code}: {terminal.words[-400:]}")
        repeated = sum(server.counts.values()) - len(server.counts)
        found.repeated = repeated
        _finish(found, spec.with_suffix(".db"), 24, "Ctrl-Z")
    found.happened = "goes on where it was"
    return found
