"""A signal that comes after the last step of Python's own and before a wait of the system."""

from __future__ import annotations

import subprocess
import sys

from tests.cli.driving import PATIENCE_SECONDS, environment

_PROGRAM = """
import asyncio, ctypes, itertools, selectors, signal
from auditor.scheduler.stoppable import run_stoppable

# Waits by a function in C that asks each descriptor for its number.
selectors.DefaultSelector = selectors.SelectSelector

class Stdin:
    # C code that C code calls: Python takes no step in which it could take up the signal.
    fileno = itertools.chain(
        map(ctypes.CDLL(None)["raise"], [signal.SIGINT]), itertools.repeat(0)
    ).__next__

async def wait_for_ever():
    asyncio.get_running_loop()._selector._readers.add(Stdin())
    await asyncio.Event().wait()

try:
    run_stoppable(wait_for_ever())
except KeyboardInterrupt:
    print("given up")
"""


def test_work_that_waits_for_nothing_else_is_given_up_all_the_same():
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            process.wait(PATIENCE_SECONDS)
        finally:
            process.kill()
        assert process.stdout.read() == b"given up\n"
