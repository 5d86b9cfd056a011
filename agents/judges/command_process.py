"""A judge's program as a process: lines go in, lines come out, its stderr is kept in part."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from agents.judges.command_lines import LONGEST_LINE
from agents.judges.lifeline import Lifeline
from auditor.canonical import canonical_json
from auditor.harmless import harmless
from auditor.providers.address import Scrubber

_KEPT_BYTES = 4096
_LONGEST_TAIL = 500
_LAST_LINES = 5
PATIENCE_SECONDS = 2.0
"""For a program whose stdin has ended to end by itself."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL")
_SHORTEST_SECRET = 8
_FLUSHED = {"PYTHONUNBUFFERED": "1"}
"""A Python program that forgets to flush would look as if it hung."""
_running: set[int] = set()
"""Process groups of the programs that run: a program's id is its group's."""


class ProcessGone(Exception):
    """The program has ended, or its output has."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How a program is started."""

    argv: Sequence[str]
    folder: Path | None = None
    """The folder that it runs in; None: the current one."""
    opening: bytes = b""
    """What is written to its stdin first."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The keys in its environment, which the program may repeat and nobody may keep."""
        return tuple(
            value
            for name, value in self.environ.items()
            if _SECRET_NAME.search(name.upper()) and len(value) >= _SHORTEST_SECRET
        )

    @property
    def scrub(self) -> Scrubber:
        """Takes keys out of what the program prints."""
        return Scrubber(*self.secrets)

    def is_given_away(self, text: str) -> bool:
        """Whether a JSON text holds a key: it is data, of which nothing can be taken out."""
        return any(spelt in text for spelt in self._spelt_secrets)

    @cached_property
    def _spelt_secrets(self) -> tuple[str, ...]:
        return tuple(canonical_json(secret)[1:-1] for secret in self.secrets)


class LineProcess:
    """One run of a program. It has a session of its own, so that Ctrl-C does not reach it.

    It ends with this process at the latest, and its own children, where they stay in its process
    group, with it.
    """

    def __init__(self, launch: Launch, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._launch = launch
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._kept = b""
        _running.add(process.pid)
        self._lifeline = Lifeline(process.pid)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, launch: Launch) -> LineProcess:
        """Start the program. Raises OSError where it cannot be."""
        process = await asyncio.create_subprocess_exec(
            *launch.argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=launch.folder,
            env={**_FLUSHED, **launch.environ},
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        started = cls(launch, process)
        if launch.opening:
            started.send(launch.opening)
        return started

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def send(self, line: bytes) -> None:
        """Write a line. A program that is gone is noticed by `receive`."""
        # Not waited for: a program that answers before it reads on would wait for us.
        with suppress(OSError):
            self._stdin.write(line)

    def send_end(self) -> None:
        """Say that nothing more comes."""
        self._stdin.close()

    async def receive(self) -> bytes:
        """The next line. Raises ProcessGone; ValueError for a line that is too long."""
        try:
            line = await self._stdout.readline()
        except ValueError:
            raise ValueError(f"printed a line of more than {LONGEST_LINE:,} bytes") from None
        if not line:
            raise ProcessGone
        return line

    async def end(self, patience_seconds: float = PATIENCE_SECONDS) -> int | None:
        """See the program out. Gives its exit code; None where it had to be killed.

        Whoever is cancelled while it waits has the program killed at once.
        """
        self._stdin.close()
        code = None
        try:
            async with asyncio.timeout(patience_seconds):
                await self._read_out()
                code = await self._process.wait()
        except TimeoutError:
            pass
        except BaseException:
            self._listening.cancel()
            raise
        finally:
            # What it started itself and left behind goes too.
            if self._process.pid in _running:
                kill_group(self._process.pid)
            self._lifeline.cut()
            _running.discard(self._process.pid)
        # A child that has left the group may hold the pipes; nobody waits for it.
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._process.wait()
                await self._listening
                await self._read_out()
        self._listening.cancel()
        return code

    def tail(self) -> str:
        """The last lines of its stderr, in one line, without keys and control characters."""
        text = self._launch.scrub(self._kept.decode("utf-8", "replace"))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return harmless(" | ".join(lines[-_LAST_LINES:])[-_LONGEST_TAIL:])

    async def _listen(self) -> None:
        while piece := await self._stderr.read(_KEPT_BYTES):
            self._kept = (self._kept + piece)[-_KEPT_BYTES:]

    async def _read_out(self) -> None:
        while await self._stdout.read(LONGEST_LINE):
            pass


def kill_group(group: int) -> None:
    """Kill a program and what it has started; one that is gone is left alone."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(group, signal.SIGKILL)
        else:
            os.kill(group, signal.SIGTERM)


def kill_all() -> None:
    """Kill every program that runs: for a process that leaves without waiting for anything."""
    for group in list(_running):
        kill_group(group)


def ended(code: int | None) -> str:
    """How a program ended, in words."""
    if code is None:
        return "had to be ended"
    if code < 0:
        return f"was ended by signal {-code}"
    return f"ended with exit code {code}"
