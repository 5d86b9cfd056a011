"""A watchman over a judge's program: ends it when this process is gone, however it went.

A program that reads its stdin sees the end of it and ends by itself. One that hangs in its own
work would live on after `kill -9` of this process. So beside each program stands a shell that
waits for one pipe to close, which the system does for every dead process, and then kills the
program's process group.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress

_SHELL = "/bin/sh"
_WATCH = 'read -r _; kill -s KILL -- "-$1"'


class Lifeline:
    """Stands from its making until it is cut; where there is no shell there is none."""

    def __init__(self, group: int) -> None:
        """`group`: the process group that ends with this process."""
        self._watchman: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._watchman = subprocess.Popen(
                [_SHELL, "-c", _WATCH, _SHELL, str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C in the terminal is not for it.
                start_new_session=True,
            )

    def cut(self) -> None:
        """Dismiss the watchman; the group is left alone."""
        watchman, self._watchman = self._watchman, None
        if watchman is None:
            return
        # Before its pipe closes: that is what it waits for.
        watchman.kill()
        watchman.wait()
        assert watchman.stdin is not None
        watchman.stdin.close()
