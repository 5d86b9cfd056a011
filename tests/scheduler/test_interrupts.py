"""What each Ctrl-C says and does."""

from __future__ import annotations

import asyncio
import math
import signal

from agents.shutdown import Ending, Shutdown
from auditor.scheduler.interrupts import EXIT_INTERRUPTED, Interrupts

WAITING = "judge choice/mine, which is waiting for 3 lines, has up to 5 s"


class Pressed:
    """Notes what is said and done, in order."""

    def __init__(self, seconds: float, *waiting: str) -> None:
        self.done: list[str] = []
        self.shutdown = Shutdown()
        self.interrupts = Interrupts(
            self.shutdown,
            cancel=lambda: self.done.append("cancel"),
            say=self.done.append,
            longest_seconds=lambda: seconds,
            hurry=lambda: waiting,
            leave=lambda code: self.done.append(f"leave {code}"),
        )


async def test_the_first_one_says_what_is_waited_for_and_how_long():
    both, judge = Pressed(120.0, WAITING), Pressed(0.0, WAITING)
    calls, nothing, local = Pressed(120.0), Pressed(0.0), Pressed(math.inf)
    again = " (Ctrl-C again to cancel it)"
    in_flight = "what is in flight has up to 120 s to finish"
    for pressed, rest in (
        (both, f"{in_flight}; {WAITING}{again}"),
        (judge, f"{WAITING}{again}"),
        (calls, f"{in_flight}{again}"),
        (nothing, "nothing is in flight"),
        (local, f"what is in flight may take as long as the models here need{again}"),
    ):
        pressed.interrupts.press()
        assert pressed.done == [f"stopping: nothing new is sent; {rest}"]
        assert pressed.shutdown.ending is Ending.INTERRUPTED


async def test_the_second_cancels_and_the_third_leaves():
    pressed = Pressed(120.0)
    for _ in range(3):
        pressed.interrupts.press()
    assert pressed.done[2] == "cancel"
    assert pressed.done[-1] == f"leave {EXIT_INTERRUPTED}"


async def test_a_closed_terminal_counts_as_the_first_but_under_nohup():
    """`nohup` starts a program with the signal ignored, and it is to stay so."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Pressed(0.0).interrupts:
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        pressed = Pressed(0.0)
        with pressed.interrupts:
            signal.raise_signal(signal.SIGHUP)
            await asyncio.wait_for(pressed.interrupts.pressed.wait(), 60)
        assert pressed.done == ["stopping: nothing new is sent; nothing is in flight"]
    finally:
        signal.signal(signal.SIGHUP, before)
