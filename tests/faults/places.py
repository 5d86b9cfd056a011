"""Folders that cannot be written, disks that are read-only, homes that are not there."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cli.driving import laid_out
from tests.faults.audits import (
    TRIALS,
    Held,
    check_resumes,
    check_said,
    check_verified,
    command,
    write_spec,
)
from tests.faults.scenario import Found, Ground, scenario
from tests.faults.storage import as_nobody, small_disk
from tests.killing import mock_server

_READING = (
    ("status",),
    ("stats", "--json"),
    ("verify",),
    ("show", "-n", "2"),
)


def _half_done(folder: Path, url: str) -> tuple[Path, Path]:
    """A spec, and its store with 100 of its answers."""
    spec = write_spec(folder / "s.toml", url, repetitions=1)
    store = spec.with_suffix(".db")
    ran = command("run", spec, "--no-probe", "--limit", "100")
    assert ran.code == 0, ran.err
    return spec, store


def _read_only(found: Found, store: Path, program: tuple[str, ...] | None) -> None:
    options = {} if program is None else {"command": program}
    for name, *more in _READING:
        ran = command(name, store, *more, **options)
        found.expect(ran.code == 0, f"{name} on it: {ran.code}: {ran.err[-300:]}")


@scenario("a store in a folder that may not be written, nor the store")
def read_only_folder(ground: Ground) -> Found:
    """Readers work; a run says so and sends nothing."""
    program, found = as_nobody(), Found()
    ground.folder.chmod(0o755)
    with mock_server() as url:
        spec, store = _half_done(ground.folder, url)
        held = Held.of(store)
        _read_only(found, store, program)
        before = {path.name: path.stat().st_mtime_ns for path in ground.folder.iterdir()}
        said = check_said(found, command("run", spec, "--no-probe", command=program), codes=[1, 2])
        check_said(found, command("resume", store, "--no-probe", command=program), codes=[1, 2])
        fresh = command("run", spec, "--store", ground.folder / "new.db", command=program)
        check_said(found, fresh, codes=[1, 2])
        after = {path.name: path.stat().st_mtime_ns for path in ground.folder.iterdir()}
        found.expect(before == after, f"files have changed: {set(after) ^ set(before)}")
        check_resumes(found, store, held, TRIALS)
    where = str(ground.folder)
    found.happened = f"readers work; run and resume stop: {said.replace(where, '')}"
    found.left = "mend the permissions"
    return found


@scenario("a store on a disk that is mounted read-only")
def read_only_disk(ground: Ground) -> Found:
    """As above, for root too."""
    found = Found()
    with mock_server() as url, small_disk(ground.folder / "disk", "64m") as disk:
        spec, store = _half_done(disk, url)
        held = Held.of(store)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        _read_only(found, store, None)
        check_said(found, command("run", spec, "--no-probe"), codes=[1, 2])
        said = check_said(found, command("resume", store, "--no-probe"), codes=[1, 2])
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        check_resumes(found, store, held, TRIALS)
    where = str(ground.folder)
    found.happened = f"readers work; run and resume stop: {said.replace(where, '')}"
    found.left = "mount it for writing"
    return found


@scenario("no HOME, LANG=C, in a current folder that may not be written")
def bare_surroundings(ground: Ground) -> Found:
    """Nothing is written but the store and its log."""
    program, found = as_nobody(), Found()
    ground.folder.chmod(0o755)
    mine = ground.folder / "mine"
    mine.mkdir()
    bare = {"HOME": None, "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "TMPDIR": "/nowhere"}
    with mock_server() as url:
        spec = laid_out(write_spec(mine / "s.toml", url, repetitions=1))
        store = spec.with_suffix(".db")
        for path in (mine, spec, store):
            path.chmod(0o777)
        ran = command("run", spec, "--no-probe", command=program, env=bare, cwd="/")
        found.codes.append(ran.code)
        found.expect(ran.code == 0, f"exit code {ran.code}: {ran.err[-500:]}")
        for arguments in (("stats", store), ("export", store, "-o", mine / "out")):
            read = command(*arguments, command=program, env=bare, cwd="/")
            found.expect(read.code == 0, f"{arguments[0]}: {read.code}: {read.err[-500:]}")
        check_verified(found, store)
    found.happened = "run, stats and export complete"
    return found
