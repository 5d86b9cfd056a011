"""A process beside this one that loads a heavy library once and answers batches.

Loading such a library holds the interpreter for seconds, in a thread too; here it stalls nobody.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from agents.worker_process import HEADER, frame
from auditor.errors import JudgeError, JudgeStopped
from auditor.types import JSON

MOST_RESTARTS = 2
_LONGEST_SECONDS = 600.0
"""For loading and for one batch: far more than either takes, so that a hang comes to an end."""
_PATIENCE_SECONDS = 10.0
"""For a process that has let its pipes go to tell how it ended."""
_PROGRAM = """
import sys
sys.path[:] = sys.argv[1].split(sys.argv[2])
from agents.worker_process import main
main()
"""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Worker:
    """Answers batches, one after the other, in a process that starts with the first of them.

    A crash loses the batch that was under way (JudgeError); the next one has a fresh process.
    After `MOST_RESTARTS` of those, or where the library cannot be loaded, every call raises
    JudgeStopped. The process has a session of its own, so that Ctrl-C in the terminal does not
    reach it, and it ends by itself when this process is gone.

    Args:
        place: "module:factory"; called there with the settings, the factory gives a function
            from a list of JSON values to as many.
        settings: keyword arguments of the factory.
        name: what messages call it.
        longest_seconds: for one batch; one that takes longer counts as a crash.
    """

    def __init__(
        self,
        place: str,
        settings: Mapping[str, JSON] | None = None,
        *,
        name: str,
        longest_seconds: float = _LONGEST_SECONDS,
    ) -> None:
        self._start = {"place": place, "settings": dict(settings or {})}
        self._name = name
        self._longest_seconds = longest_seconds
        self._lock = asyncio.Lock()
        self._process: Process | None = None
        self._crashes = 0
        self._stopped: JudgeStopped | None = None

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process, if there is none, and wait until it has loaded.

        Raises JudgeStopped where it cannot.
        """
        async with self._lock:
            await self._ready()

    async def answer(self, values: Sequence[JSON]) -> list[JSON]:
        """The answers to one batch, in its order. Raises JudgeError; JudgeStopped for good."""
        async with self._lock:
            await self._ready()
            try:
                reply = await self._exchange(list(values), self._longest_seconds)
            except (OSError, EOFError, TimeoutError) as error:
                raise await self._crashed(error, "while it answered a batch") from error
        if "error" in reply:
            raise JudgeError(f"{self._name}: {reply['error']}")
        answers: list[JSON] = reply["values"]
        return answers

    async def close(self) -> None:
        """End the process. A later call starts another one."""
        async with self._lock:
            await self._end()

    async def _ready(self) -> None:
        if self._stopped is not None:
            raise self._stopped
        while self._process is None:
            try:
                self._process = await self._spawn()
                reply = await self._exchange(self._start, _LONGEST_SECONDS)
            except (OSError, EOFError, TimeoutError) as error:
                crash = await self._crashed(error, "while it loaded")
                if isinstance(crash, JudgeStopped):
                    raise crash from error
                continue
            if "error" in reply:
                await self._end()
                self._stopped = JudgeStopped(f"{self._name}: {reply['error']}")
                raise self._stopped

    async def _spawn(self) -> Process:
        # The same modules as here, and no others of the same name from the current folder.
        path = os.pathsep.join(entry or os.curdir for entry in sys.path)
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-c", _PROGRAM, path, os.pathsep),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,
            env={**_ONE_THREAD, **os.environ},
        )

    async def _exchange(self, message: JSON, longest_seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(longest_seconds):
                process.stdin.write(frame(message))
                await process.stdin.drain()
                (length,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
                reply: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
        except asyncio.CancelledError:
            # The answer to come would be taken for that to the next batch.
            await self._end()
            raise
        return reply

    async def _crashed(self, error: Exception, when: str) -> JudgeError:
        """The error for a process that is gone, or has to go."""
        is_late = isinstance(error, TimeoutError)
        code = await self._end(patience_seconds=0.0 if is_late else _PATIENCE_SECONDS)
        self._crashes += 1
        said = f"the process of {self._name} {'took too long' if is_late else _ended(code)} {when}"
        if self._crashes <= MOST_RESTARTS:
            return JudgeError(said)
        self._stopped = JudgeStopped(
            f"{said}, after {MOST_RESTARTS} restarts",
            hint="`auditor resume` starts it again for what it has not judged",
        )
        return self._stopped

    async def _end(self, patience_seconds: float = 0.0) -> int | None:
        """See the process out, if there is one: it has nothing to finish, so it may be killed.

        Gives its exit code; None where it had to be killed.
        """
        process, self._process = self._process, None
        if process is None:
            return None
        code = None
        try:
            async with asyncio.timeout(patience_seconds):
                code = await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        await process.stdout.read()
        await process.wait()
        return code


def _ended(code: int | None) -> str:
    if code is None:
        return "had to be ended"
    if code < 0:
        return f"was ended by signal {-code}"
    return f"ended with exit code {code}"
