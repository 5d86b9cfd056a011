"""Where a store cannot be written: a clear error, nothing half-written, and it can go on."""

from __future__ import annotations

import sys

import pytest

from tests.cli.driving import as_process, auditor, laid_out, over_http, rows, simulated


@pytest.mark.parametrize("place", ["/proc/s.db", "/dev/null/s.db"])
def test_a_place_that_takes_no_files_is_said(place, tmp_path):
    ran = auditor("run", simulated(tmp_path / "s.toml"), "--store", place)
    assert ran.code in (1, 2)
    assert ran.err.count("error: ") == 1
    assert place in ran.err
    assert "Traceback" not in ran.err


def with_room(size: int) -> tuple[str, ...]:
    """The command under a limit: past so many bytes a write to a file fails, as on a full disk."""
    limit = (
        f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    return (sys.executable, "-c", limit, "-m", "auditor")


def test_a_disk_that_fills_up_ends_the_run_and_loses_nothing(tmp_path, mock):
    spec = laid_out(over_http(tmp_path / "s.toml", mock.openai_url, repetitions=200))
    store = spec.with_suffix(".db")
    room = 350_000
    ran = as_process("run", spec, "--no-probe", command=with_room(room))
    assert ran.code == 1, ran.err
    assert "Traceback" not in ran.err
    said = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert len(said) == 1
    assert str(store) in said[0]
    assert "disk" in said[0]
    assert "resume" in ran.err
    before = dict(rows(store, "SELECT trial, text FROM responses"))
    assert 0 < len(before) < 600
    assert auditor("verify", store).code == 0
    assert auditor("status", store, "--json").data["state"] == "interrupted"
    done = auditor("resume", store, "--no-probe", "--json")
    assert done.code == 0, done.err
    after = dict(rows(store, "SELECT trial, text FROM responses"))
    assert len(after) == 600
    assert before.items() <= after.items()
    assert auditor("verify", store).code == 0


@pytest.mark.parametrize("room", [0, 40_000], ids=["for nothing", "for a part of it"])
def test_a_disk_without_room_for_a_store_leaves_nothing_behind(room, tmp_path):
    spec = simulated(tmp_path / "s.toml")
    ran = as_process("run", spec, command=with_room(room))
    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert "disk" in ran.err
    assert str(spec.with_suffix(".db")) in ran.err
    assert list(tmp_path.iterdir()) == [spec]
