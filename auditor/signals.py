"""Signals that come just before a wait.

Python takes up a signal between two steps of its own. One that comes after the last of them and
before a wait of the system leaves the wait waiting: Ctrl-C would go unnoticed before the next key,
answer or timer. A descriptor that signals write to ends the wait.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def told_of_signals() -> Iterator[int]:
    """A descriptor that can be read once a signal has come that this process hears.

    Only in the main thread.
    """
    told, tells = os.pipe()
    try:
        for end in (told, tells):
            os.set_blocking(end, False)
        before = signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
        try:
            yield told
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(told)
        os.close(tells)


def take_up(told: int) -> None:
    """Empty the descriptor; Python itself has the signal taken up before its next step."""
    with suppress(BlockingIOError):
        os.read(told, 4096)
