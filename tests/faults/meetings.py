"""Runs that meet one another, or a spec that has been edited meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
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
    write_spec,
)
from tests.faults.scenario import Found, Ground, scenario
from tests.killing import SLOW, counts, mock_server


@scenario("four runs of one spec are started at once on a store that is not there yet")
def started_at_once(ground: Ground) -> Found:
    """One makes the store and works; the others are told who does."""
    found = Found()
    with mock_server("--latency-ms", "100", "--jitter", "0.5") as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=4)
        store = spec.with_suffix(".db")
        processes = [begin("run", spec, "--no-probe") for _ in range(4)]
        ran = [ended(process, 300) for process in processes]
        found.repeated = repeats(counts(url)["by_trial"])
    for each in ran:
        said = check_said(found, each, codes=[0, 2])
        found.expect(each.code == 0 or "being written by" in said, said)
    codes = sorted(each.code for each in ran)
    found.expect(codes == [0, 2, 2, 2], f"exit codes {codes}")
    found.expect(found.repeated == 0, f"{found.repeated} calls again")
    left = sorted(path.name for path in ground.folder.iterdir())
    found.expect(left == ["s.db", "s.toml"], f"files that are left: {left}")
    check_whole(found, store, TRIALS * 4)
    found.happened = "one works and completes, three are refused, naming it"
    return found


@scenario("four resumes at once of a store whose run was killed")
def resumed_at_once(ground: Ground) -> Found:
    """One takes the lock over."""
    found = Found()
    with mock_server("--latency-ms", "100", "--jitter", "0.5") as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=4)
        store = spec.with_suffix(".db")
        process = started(spec, store, 100)
        process.kill()
        process.communicate()
        held, before = Held.of(store), counts(url)["by_trial"]
        ran = [
            ended(each, 300) for each in [begin("resume", store, "--no-probe") for _ in range(4)]
        ]
        after = counts(url)["by_trial"]
        found.repeated = repeats(after)
    codes = sorted(each.code for each in ran)
    found.codes += codes
    found.expect(codes == [0, 2, 2, 2], f"exit codes {codes}: {[r.err[-200:] for r in ran]}")
    fresh = repeats({key: calls for key, calls in after.items() if key not in before})
    found.expect(fresh == 0, f"{fresh} calls were made twice by the resumes")
    found.lost = held.lost_in(store)
    check_whole(found, store, TRIALS * 4)
    found.happened = "one goes on and completes, three are refused, naming it"
    return found


_EDITS: dict[str, tuple[Callable[[str], str], str | None]] = {
    "repetitions": (lambda text: text.replace("repetitions = 2", "repetitions = 3"), None),
    "concurrency": (lambda text: text.replace("concurrency = 8", "concurrency = 4"), None),
    "a target more": (
        lambda text: text.replace(
            "[protocols",
            '[[targets]]\nname = "c"\nmodel = "openai:model-c"\nendpoint = "mock"\n[protocols',
        ),
        None,
    ),
    "params": (
        lambda text: text.replace(
            'model = "openai:model-a"', 'model = "openai:model-a"\nparams = {max_tokens = 7}'
        ),
        "params",
    ),
    "seed": (lambda text: text.replace("seed = 1", "seed = 2"), None),
}
_NAMED = {"params": "targets.a.params", "a target more": "targets.c", "seed": "seed"}


@scenario("a spec that is edited between a run and its resume, and its next run")
def spec_edited(ground: Ground) -> Found:
    """Resume goes by the stored spec and names the fields; run takes what is no other request."""
    found = Found()
    for name, (edit, refused) in _EDITS.items():
        folder = ground.folder / name.replace(" ", "-")
        folder.mkdir()
        _edited(found, folder, name, edit, refused)
    found.codes = sorted(set(found.codes))
    found.happened = (
        "resume goes by the stored spec, naming the edited fields; run adds what is more, and"
        " refuses another request under an old name, with field, old and new value"
    )
    return found


def _edited(
    found: Found, folder: Path, name: str, edit: Callable[[str], str], refused: str | None
) -> None:
    with mock_server(*SLOW) as url:
        spec = write_spec(folder / "s.toml", url, repetitions=2)
        store = spec.with_suffix(".db")
        ran = command("run", spec, "--no-probe", "--limit", "100")
        found.expect(ran.code == 0, f"{name}: {ran.code}: {ran.err[-300:]}")
        text = spec.read_text()
        spec.write_text(edit(text))
        found.expect(spec.read_text() != text, f"{name}: not edited")
        held = Held.of(store)
        ran = command("resume", store, "--no-probe")
        found.codes.append(ran.code)
        said = " ".join(ran.err.split())
        found.expect(ran.code == 0, f"{name}: resume: {ran.err[-300:]}")
        field = _NAMED.get(name, name)
        found.expect(f"{field}; `auditor run" in said, f"{name}: not named in: {said[:300]}")
        check_whole(found, store, TRIALS * 2)
        ran = command("run", spec, "--no-probe")
        found.codes.append(ran.code)
        if refused is None:
            found.expect(ran.code == 0, f"{name}: run: {ran.code}: {ran.err[-300:]}")
        else:
            said = " ".join(ran.err.split())
            found.expect(ran.code == 2, f"{name}: run: {ran.code}: {ran.err[-300:]}")
            found.expect(f"{refused}: " in said and "in the store" in said, f"{name}: {said}")
        found.repeated += repeats(counts(url)["by_trial"])
        found.lost += held.lost_in(store)
    found.expect(found.repeated == 0, f"{name}: {found.repeated} calls again")


@scenario("the writer's thread ends amid a run: a bug, no memory")
def writer_dies(ground: Ground) -> Found:
    """One error; the resume goes on behind what was acknowledged."""
    import sys

    found, said = Found(), ""
    for number, raised in enumerate(("RuntimeError('a bug')", "MemoryError()", "SystemExit(3)")):
        code = (
            "import runpy, auditor.store.batch as b; write, left = b.Batch.write, [60]\n"
            "def failing(self):\n"
            "    left[0] -= 1\n"
            f"    if left[0] < 0: raise {raised}\n"
            "    return write(self)\n"
            "b.Batch.write = failing\n"
            "runpy.run_module('auditor', run_name='__main__', alter_sys=True)"
        )
        with mock_server(*SLOW) as url:
            spec = write_spec(ground.folder / f"{number}.toml", url, repetitions=2)
            store = spec.with_suffix(".db")
            begun = time.monotonic()
            ran = command("run", spec, "--no-probe", command=(sys.executable, "-c", code))
            took = time.monotonic() - begun
            said = check_said(found, ran, codes=[1])
            found.expect("writer failed" in said, f"{raised}: {said}")
            found.expect(took < 60, f"{raised}: it took {took:.0f} s")
            held = Held.of(store)
            found.expect(held.rows > 0, f"{raised}: nothing was stored before")
            ran = command("resume", store, "--no-probe")
            found.expect(ran.code == 0, f"{raised}: resume: {ran.err[-300:]}")
            found.repeated += repeats(counts(url)["by_trial"])
            found.lost += held.lost_in(store)
        check_whole(found, store, TRIALS * 2)
    found.happened, found.left = f"stops: {said}", "resume"
    return found
