"""Ctrl-C in every command that takes longer than a moment, at moments drawn from a seed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cli.driving import OnTerminal, laid_out, over_http, serving
from tests.faults.audits import check_verified, command
from tests.faults.scenario import Found, Ground, scenario

_ENDS = (130, -signal.SIGINT)
"""Of a command that was interrupted; the second where Ctrl-C comes again while the interpreter
is already being taken down. A shell says 130 of both."""
_SOON_SECONDS = 20.0
"""To end after a Ctrl-C, on a busy machine."""


@dataclass(frozen=True, kw_only=True)
class _Work:
    """A command, what it makes, and how to know that it is whole."""

    name: str
    arguments: tuple[object, ...]
    makes: Path | None = None
    """The file or folder that it writes."""
    adds: bool = False
    """Whether it goes on with what a stopped one has left, instead of making it anew."""


def _simulated(folder: Path, repetitions: int = 4) -> Path:
    """A finished store of simulated answers."""
    spec = folder / "many.toml"
    spec.write_text(
        'name = "many"\nseed = 1\n[[targets]]\nmodel = "sim:fair"\n'
        f'[protocols."spatial.explicit"]\nrepetitions = {repetitions}\n'
        'prompt = ["0", "1", "2", "3", "4", "5"]\n'
    )
    ran = command("run", spec)
    assert ran.code == 0, ran.err
    return spec.with_suffix(".db")


def _lines(folder: Path) -> Path:
    file = folder / "answers.jsonl"
    with file.open("w") as out:
        for number in range(30_000):
            line = {
                "protocol": "spatial.explicit",
                "target": "m",
                "factors": {"space": ("kitchen", "garage", "mall")[number % 3]},
                "repetition": number // 3,
                "text": "Women." if number % 7 else "Men.",
            }
            out.write(json.dumps(line) + "\n")
    return file


def _texts(folder: Path) -> Path:
    file = folder / "texts.jsonl"
    with file.open("w") as out:
        for number in range(20_000):
            out.write(json.dumps({"text": f"She is in the kitchen. He has {number} cars. " * 20}))
            out.write("\n")
    return file


@scenario("Ctrl-C while a command that reads or writes files is at work")
def ctrl_c_commands(ground: Ground) -> Found:
    """Ends with 130; no half file is left under its name; the next one makes it whole."""
    draw, found, hits = ground.draw("ctrl-c commands"), Found(), {}
    times = 9 if ground.is_long else 2
    store = _simulated(ground.folder)
    out = ground.folder / "out"
    imported, counted = ground.folder / "i.db", ground.folder / "c.db"
    works = (
        _Work(name="stats", arguments=("stats", store, "--all")),
        _Work(name="verify", arguments=("verify", store)),
        _Work(name="export", arguments=("export", store, "-o", out), makes=out),
        _Work(name="csv", arguments=("export", store, "-o", out, "--format", "csv"), makes=out),
        _Work(name="report", arguments=("report", store, "-o", out), makes=out),
        _Work(
            name="import",
            arguments=("import", _lines(ground.folder), "--store", imported),
            makes=imported,
            adds=True,
        ),
        _Work(
            name="corpus",
            arguments=("corpus", _texts(ground.folder), "--store", counted, "--name", "c"),
            makes=counted,
            adds=True,
        ),
    )
    for work in works:
        hits[work.name] = _stopped_often(found, work, draw, times)
    check_verified(found, store)
    found.codes = sorted(set(found.codes))
    found.happened = "ends at once, whole files only; " + ", ".join(
        f"{name} {hit} of {times}" for name, hit in hits.items()
    )
    return found


def _stopped_often(found: Found, work: _Work, draw: random.Random, times: int) -> int:
    """How many of the presses came while it worked."""
    _clear(work)
    seconds = _calm(work)
    whole = _files(work)
    hits = 0
    for number in range(times):
        _clear(work)
        terminal = OnTerminal(*work.arguments)
        _until_at_work(terminal)
        at = draw.random() * seconds
        begun = time.monotonic()
        while time.monotonic() < begun + at and terminal.is_running:
            terminal.read_for(0.02)
        _press(terminal, 1 + number % 3)
        pressed_at = time.monotonic()
        what = f"{work.name} after {at:.2f} of {seconds:.2f} s"
        try:
            code = terminal.end(60.0)
        except AssertionError:
            found.wrong.append(f"{what}: still running a minute later")
            continue
        took = time.monotonic() - pressed_at
        found.codes.append(code)
        found.expect(code in (0, *_ENDS), f"{what}: exit code {code}: {terminal.words[-300:]}")
        found.expect("Traceback" not in terminal.words, f"{what}: {terminal.words[-600:]}")
        found.expect(took < _SOON_SECONDS, f"{what}: it took {took:.1f} s to end")
        hits += code in _ENDS
        _check_left(found, work, whole, what)
    return hits


def _check_left(found: Found, work: _Work, whole: dict[str, bytes], what: str) -> None:
    """What a stopped command has left is whole, and does not stand in the next one's way."""
    if work.makes is None:
        return
    if work.adds:
        if work.makes.exists():
            check_verified(found, work.makes)
    else:
        for name, body in _files(work).items():
            is_whole = name in whole and (len(body) == len(whole[name]) or name == "index.html")
            found.expect(is_whole, f"{what}: {name} is there with {len(body)} bytes")
    forced = () if work.adds else ("--force",)
    ran = command(*work.arguments, *forced)
    found.expect(ran.code == 0, f"{what}, then again: {ran.code}: {ran.err[-300:]}")
    if work.adds:
        check_verified(found, work.makes)
        left = [p.name for p in work.makes.parent.glob(f"*{work.makes.name}?*")]
        found.expect(not left, f"{what}: files are left: {left}")
    else:
        found.expect(set(_files(work)) == set(whole), f"{what}: other files: {set(_files(work))}")


def _calm(work: _Work) -> float:
    """Seconds that it works when nobody stops it."""
    terminal = OnTerminal(*work.arguments)
    _until_at_work(terminal)
    begun = time.monotonic()
    code = terminal.end(300.0)
    assert code == 0, terminal.words
    return time.monotonic() - begun


def _until_at_work(terminal: OnTerminal) -> None:
    """Until it has loaded what opens stores: before that there is nothing to stop."""
    maps = Path(f"/proc/{terminal.pid}/maps")

    def has_begun() -> bool:
        try:
            return "_sqlite3" in maps.read_text()
        except OSError:  # it has ended
            return True

    terminal.wait_until(has_begun, 120.0, "start")


def _press(terminal: OnTerminal, times: int) -> None:
    for _ in range(times):
        if terminal.is_running:
            terminal.interrupt()
            terminal.read_for(0.1)


def _clear(work: _Work) -> None:
    if work.makes is None:
        return
    if work.makes.is_dir():
        shutil.rmtree(work.makes)
    for path in work.makes.parent.glob(f"*{work.makes.name}*"):
        path.unlink()


def _files(work: _Work) -> dict[str, bytes]:
    if work.makes is None or work.adds or not work.makes.exists():
        return {}
    return {
        str(path.relative_to(work.makes)): path.read_bytes()
        for path in work.makes.rglob("*")
        if path.is_file()
    }


_PRICED = "price = {input = 1e6, output = 1e6}"


@scenario("Ctrl-C, and a no, at the question whether to go on")
def ctrl_c_at_the_question(ground: Ground) -> Found:
    """Nothing is sent, and the store is as before: there is none."""
    found = Found()
    answers: dict[str, tuple[Callable[[OnTerminal], None], tuple[int, ...]]] = {
        "Ctrl-C": (lambda terminal: terminal.interrupt(), _ENDS),
        "Ctrl-C twice": (lambda terminal: _press(terminal, 2), _ENDS),
        "no": (lambda terminal: terminal.press("n\n"), (2,)),
        "SIGTERM": (lambda terminal: os.kill(terminal.pid, signal.SIGTERM), (-signal.SIGTERM,)),
        "end of input": (lambda terminal: terminal.press("\x04"), _ENDS),
    }
    for name, (answer, wanted) in answers.items():
        with serving() as server:
            spec = over_http(ground.folder / "s.toml", server.openai_url, endpoint=_PRICED)
            terminal = OnTerminal("run", spec, "--no-probe")
            terminal.wait_for("go on?", 60.0)
            answer(terminal)
            code = terminal.end(30.0)
            found.codes.append(code)
            found.expect(code in wanted, f"{name}: exit code {code}: {terminal.words[-300:]}")
            found.expect("Traceback" not in terminal.words, f"{name}: {terminal.words[-500:]}")
            found.expect(not server.counts, f"{name}: {len(server.counts)} calls")
            left = sorted(path.name for path in ground.folder.iterdir())
            found.expect(left == ["s.toml"], f"{name}: files that are left: {left}")
    found.happened = "ends; nothing was sent, no store was made"
    return found


@scenario("Ctrl-C once, twice, three times in doctor, judge and watch")
def ctrl_c_beside_a_run(ground: Ground) -> Found:
    """A model that hangs is not waited for; who watches only looks on."""
    found = Found()
    with serving() as server, serving(latency_seconds=600) as stuck:
        spec = over_http(ground.folder / "s.toml", server.openai_url)
        hanging = over_http(ground.folder / "hanging.toml", stuck.openai_url)
        ran = command("run", spec, "--no-probe")
        assert ran.code == 0, ran.err
        store = spec.with_suffix(".db")
        ways: dict[str, tuple[object, ...]] = {
            "doctor": ("doctor", hanging),
            "judge": (
                *("judge", store, "--task", "choice", "--judge", "openai:j", "--yes"),
                *("--base-url", stuck.openai_url),
            ),
        }
        for name, arguments in ways.items():
            for times in (1, 2, 3):
                terminal = OnTerminal(*arguments)
                terminal.wait_until(lambda: stuck.in_flight > 0, 120.0, f"call of {name}")
                begun = time.monotonic()
                _press(terminal, times)
                code = _end(found, terminal, f"{name}, {times} presses")
                took = time.monotonic() - begun
                found.expect(code in _ENDS, f"{name}, {times}: {code}: {terminal.words[-300:]}")
                found.expect(took < _SOON_SECONDS, f"{name}, {times}: it took {took:.0f} s")
                check_verified(found, store)
        running = laid_out(over_http(ground.folder / "r.toml", stuck.openai_url))
        run = OnTerminal("run", running, "--no-probe")
        run.wait_until(lambda: stuck.in_flight > 0, 120.0, "call")
        watching = OnTerminal("watch", running.with_suffix(".db"))
        watching.wait_for("running", 120.0)
        watching.interrupt()
        code = _end(found, watching, "watch")
        found.expect(code == 0, f"watch: exit code {code}: {watching.words[-300:]}")
        found.expect("the run goes on" in watching.words, watching.words[-300:])
        found.expect(run.is_running, "the run has ended with its watcher")
        run.interrupt()
        run.wait_for("stopping: ", 30.0)
        run.interrupt()
        code = _end(found, run, "run")
        found.expect(code in _ENDS, f"run: exit code {code}")
    found.codes = sorted(set(found.codes))
    found.happened = "doctor and judge end with 130, watch with 0; the run that is watched goes on"
    return found


def _end(found: Found, terminal: OnTerminal, what: str) -> int | None:
    try:
        code = terminal.end(60.0)
    except AssertionError:
        found.wrong.append(f"{what}: still running a minute later")
        return None
    found.codes.append(code)
    found.expect("Traceback" not in terminal.words, f"{what}: {terminal.words[-500:]}")
    return code
