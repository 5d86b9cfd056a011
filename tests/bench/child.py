"""One candidate as a process of its own: what it used, by the kernel's own account."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROWS, _COLUMNS = 40, 120


@dataclass(frozen=True, kw_only=True)
class Child:
    """A process that has ended."""

    started_at: float
    """Unix seconds."""
    ended_at: float
    cpu_seconds: float
    """User and system time of all its threads."""
    peak_mb: float
    """Most memory that was resident at once, in 2**20 bytes."""
    output: bytes
    """What it wrote: to stdout, or to its terminal."""


def environment(cache: Path) -> dict[str, str]:
    """This process's variables, but compiled modules are kept in `cache` whatever they say."""
    left = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**left, "PYTHONPYCACHEPREFIX": str(cache)}


def run_piped(command: Sequence[str], variables: Mapping[str, str]) -> Child:
    """Run a command and keep its stdout. Raises RuntimeError unless it ends with 0."""
    started_at = time.time()
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    return _ended(process, started_at, output)


def run_on_terminal(command: Sequence[str], variables: Mapping[str, str]) -> Child:
    """Run a command on a pseudo-terminal of 120 x 40, which is read all the time."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    parts: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(master, parts))
    started_at = time.time()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**variables, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    reader.start()
    try:
        # The terminal closes with its last user, so the reader ends with the process.
        reader.join()
        return _ended(process, started_at, b"".join(parts))
    finally:
        os.close(master)


def _drain(master: int, parts: list[bytes]) -> None:
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            return
        if not part:
            return
        parts.append(part)


def _ended(process: subprocess.Popen[bytes], started_at: float, output: bytes) -> Child:
    _, status, usage = os.wait4(process.pid, 0)
    ended_at = time.time()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        shown = output[-2000:].decode("utf-8", "replace")
        raise RuntimeError(f"{process.args!r} ended with {process.returncode}:\n{shown}")
    return Child(
        started_at=started_at,
        ended_at=ended_at,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        output=output,
    )
