"""A terminal whose window is closed while a command prints, with no signal that comes in time."""

from __future__ import annotations

import os
import pty
from contextlib import redirect_stderr, redirect_stdout, suppress

import pytest

from auditor.cli.app import run
from tests.cli.driving import auditor, simulated


def on_closed_terminal(*arguments: object) -> int:
    """The exit code of a command whose terminal is gone."""
    ours, theirs = pty.openpty()
    streams = [os.fdopen(number, "w") for number in (theirs, os.dup(theirs))]
    os.close(ours)
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            return run([str(argument) for argument in arguments])
    finally:
        for stream in streams:
            with suppress(OSError):
                stream.close()


@pytest.mark.parametrize("more", [(), ("--json",)], ids=str)
def test_what_prints_ends_as_if_it_had_been_interrupted(more):
    assert on_closed_terminal("list", "protocols", *more) == 130


@pytest.mark.parametrize("more", [(), ("--json",)], ids=str)
def test_an_error_that_nobody_sees_keeps_its_exit_code(more, tmp_path):
    assert on_closed_terminal("status", tmp_path / "nowhere.db", *more) == 2


def test_a_run_whose_terminal_goes_in_its_last_moment_is_stored(tmp_path):
    spec = simulated(tmp_path / "s.toml", repetitions=1)
    assert on_closed_terminal("run", spec) == 130
    status = auditor("status", spec.with_suffix(".db"), "--json").data
    assert (status["state"], status["responses"]) == ("complete", 3)
