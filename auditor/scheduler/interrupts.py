"""Ctrl-C in three steps: drain, cancel, leave. SIGTERM and a closed terminal count as the first.

Under `nohup` a closed terminal counts as nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
from collections.abc import Callable, Sequence
from types import TracebackType

from agents.judges.command_process import kill_all
from agents.shutdown import Ending, Shutdown

EXIT_INTERRUPTED = 130
_SHOW_CURSOR = b"\x1b[?25h"


class Interrupts:
    """Listens for signals while its block runs, and answers each at once with a line.

    First: nothing new is sent, what is in flight may finish, programs of judges in a short grace.
    Second: what is in flight is cancelled and recorded as unknown, programs are killed. Third: the
    process leaves without waiting for anything.
    """

    def __init__(
        self,
        shutdown: Shutdown,
        *,
        cancel: Callable[[], None],
        say: Callable[[str], None],
        longest_seconds: Callable[[], float],
        hurry: Callable[[], Sequence[str]] = tuple,
        leave: Callable[[int], None] = os._exit,
    ) -> None:
        """`longest_seconds`: what calls under way may take; 0 for none, infinite for no limit.

        `hurry` sets a grace for what else is under way, and says what that is.
        """
        self._shutdown = shutdown
        self._hurry = hurry
        self._cancel = cancel
        self._say = say
        self._longest_seconds = longest_seconds
        self._leave = leave
        self._presses = 0
        self._listened: list[signal.Signals] = []
        self.pressed = asyncio.Event()
        """Set by the first one."""

    def __enter__(self) -> Interrupts:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.press)
        self._listened = [signal.SIGINT]
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # `nohup` starts a program that is to go on when its terminal closes.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self.terminate)
                self._listened.append(number)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in self._listened:
            loop.remove_signal_handler(number)

    def terminate(self) -> None:
        """Asked to end from outside: as the first Ctrl-C, and nothing more if repeated."""
        if self._presses == 0:
            self.press()

    def press(self) -> None:
        """One Ctrl-C."""
        self._presses += 1
        if self._presses == 1:
            seconds = self._longest_seconds()
            self._shutdown.drain(Ending.INTERRUPTED)
            self.pressed.set()
            parts = [_in_flight(seconds), *self._hurry()] if seconds else [*self._hurry()]
            rest = (
                f"{'; '.join(parts)} (Ctrl-C again to cancel it)"
                if parts
                else "nothing is in flight"
            )
            self._say(f"stopping: nothing new is sent; {rest}")
        elif self._presses == 2:
            self._say(
                "cancelling what is in flight; its outcome is recorded as unknown"
                " (Ctrl-C again to leave at once)"
            )
            self._cancel()
        else:
            self._say("left at once; what was acknowledged is stored")
            self._leave(EXIT_INTERRUPTED)


def leave_at_once(code: int) -> None:
    """End this process at once, and programs of judges with it; a view's cursor comes back."""
    kill_all()
    with contextlib.suppress(OSError):  # stderr may be closed
        if os.isatty(2) and os.environ.get("TERM") not in (None, "dumb"):
            os.write(2, _SHOW_CURSOR)
    os._exit(code)


def _in_flight(seconds: float) -> str:
    if math.isinf(seconds):
        return "what is in flight may take as long as the models here need"
    return f"what is in flight has up to {seconds:.0f} s to finish"
