"""Ctrl-C while a judge's program hangs: said, and nothing is left running or lost."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from auditor.cli.app import run as run_command
from auditor.scheduler import judging
from tests.cli.driving import PATIENCE_SECONDS, auditor, simulated

HANGS = """
import os, sys, time
for line in sys.stdin:
    with open("asking", "w") as file:
        file.write(str(os.getpid()))
    os.rename("asking", "asked")
    time.sleep(600)
"""


def eventually(holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def ctrl_c(asked: Path, words: io.StringIO) -> threading.Thread:
    """Presses it once the program has been asked, and again once that has been answered."""

    def press() -> None:
        for reached in (asked.exists, lambda: "stopping: " in words.getvalue()):
            if eventually(reached):
                os.kill(os.getpid(), signal.SIGINT)

    presses = threading.Thread(target=press, daemon=True)
    presses.start()
    return presses


def test_ctrl_c_names_the_program_that_hangs_and_pressed_again_ends_it(tmp_path, monkeypatch):
    assert judging.GRACE_SECONDS == 5.0
    # However late the second one comes, it comes within the grace.
    monkeypatch.setattr(judging, "GRACE_SECONDS", 600.0)
    (tmp_path / "hangs.py").write_text(HANGS)
    command = [sys.executable, "-SE", "hangs.py"]
    judges = f'judges = [{{task = "choice", name = "mine", command = {command}}}]'
    spec, words = simulated(tmp_path / "s.toml", top=judges), io.StringIO()
    presses = ctrl_c(tmp_path / "asked", words)
    with redirect_stdout(io.StringIO()), redirect_stderr(words):
        code = run_command(["run", str(spec)])
    presses.join()
    assert code == 130, words.getvalue()
    waiting = r"judge choice/mine, which is waiting for \d lines?, has up to 600 s \(Ctrl-C again"
    assert re.search(f"stopping: nothing new is sent; {waiting}", words.getvalue())
    assert "cancelling what is in flight" in words.getvalue()
    assert "left at once" not in words.getvalue()
    pid = int((tmp_path / "asked").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    counted = auditor("status", spec.with_suffix(".db"), "--json").data["annotations"]["choice"]
    assert counted == {"done": 0, "invalid": 0, "failed": 0, "planned": 6}
