"""Commands as processes that are forked from one in which everything is loaded.

To start one takes a hundredth of a second instead of seconds of loading: tests that start many can
afford it. What is forked has imported modules and done nothing else.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

DOOMED = -signal.SIGKILL
"""The exit code of a process that died of its doom."""
_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload(
    [
        "agents.judges.model.asking",
        "agents.judges.model.choice",
        "agents.statistician",
        "auditor.cli.results",
        "auditor.cli.running",
        "auditor.live",
        "auditor.protocols.spatial_explicit.statistics",
        "auditor.providers.openai_chat",
        "auditor.scheduler.launch",
        "genai_prices.data",
    ]
)


@dataclass(frozen=True, kw_only=True)
class Doom:
    """When a process dies: so long after something that it does.

    The system ends it by a timer of the process's own. Whoever waited for the moment from outside
    would come too late on a busy machine.
    """

    seconds: float
    after_event: int | None = None
    """The commit that holds this event of the store."""
    in_statistics: bool = False
    """The beginning of the statistics. With neither: its own beginning."""


class Forked:
    """`auditor` with some arguments, its words in the file `said`; it may be doomed."""

    def __init__(self, *arguments: object, said: Path, doom: Doom | None = None) -> None:
        self._said = said
        self._process = _FORKING.Process(
            target=_carry_out, args=([str(each) for each in arguments], said, doom)
        )
        self._process.start()

    def end(self) -> int:
        """Wait for its end; the exit code, DOOMED where it died. Raises AssertionError where it
        said an error."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        words = self._said.read_text() if self._said.exists() else ""
        assert "error" not in words, words
        return code


def _carry_out(arguments: list[str], said: Path, doom: Doom | None) -> None:
    if doom is not None:
        _foredoom(doom)
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    from auditor.cli.app import run

    sys.exit(run(arguments))


def _foredoom(doom: Doom) -> None:
    """Have this process die in time."""
    from auditor.scheduler import audit
    from auditor.store.writer import Writer

    left = [doom.seconds]

    def begin() -> None:
        if left:
            _kill_in(left.pop())

    if doom.in_statistics:
        compute = audit.compute_statistics

        def compute_doomed(*given: Any) -> Any:
            begin()
            return compute(*given)

        audit.compute_statistics = compute_doomed
    elif doom.after_event is not None:
        commit = Writer._commit

        def commit_doomed(writer: Writer, *given: Any, **more: Any) -> int:
            seq = commit(writer, *given, **more)
            if seq >= doom.after_event:
                begin()
            return seq

        Writer._commit = commit_doomed
    else:
        begin()


class _Event(ctypes.Structure):
    """`struct sigevent`: what a timer does when its time has come; its rest is room to spare."""

    _fields_ = [
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("rest", ctypes.c_byte * 48),
    ]


class _Time(ctypes.Structure):
    """`struct itimerspec`."""

    _fields_ = [
        (name, ctypes.c_long)
        for name in ("every_seconds", "every_nanoseconds", "seconds", "nanoseconds")
    ]


def _kill_in(seconds: float) -> None:
    """Have the system send this process SIGKILL, by a timer that no thread of it can delay."""
    libc = ctypes.CDLL(None, use_errno=True)
    timer = ctypes.c_void_p()
    event = _Event(signal=signal.SIGKILL, notify=0)
    whole, part = divmod(max(seconds, 1e-6), 1)
    until = _Time(seconds=int(whole), nanoseconds=int(part * 1e9))
    if libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) or (
        libc.timer_settime(timer, 0, ctypes.byref(until), None)
    ):
        raise OSError(ctypes.get_errno(), "no timer")
