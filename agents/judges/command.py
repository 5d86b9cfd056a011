"""A judge that is any command: found, hashed and tried before a run, then spoken to in lines.

See `command_lines` for what the program has to speak.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path

from agents.judges.command_judge import START_SECONDS, TIMEOUT_SECONDS, Bench, LineJudge
from agents.judges.command_lines import VERSION, Garbage, Hello, parse_line, shown
from agents.judges.command_process import Launch, LineProcess, ProcessGone, ended, kill_group
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.types import JSON
from auditor.waiting import speaker

TRIAL_WORDS_SECONDS = 2.0
"""Of a trial, before it is said that one is under way."""

_LONGEST_HELLO = 64 * 1024
_ALLOWED = "a program that reads requests from stdin and ends when it does"


def open_command(
    command: Sequence[str],
    *,
    folder: Path,
    bench: Bench,
    name: str,
    timeout_seconds: float | None = None,
    words_after_seconds: float = TRIAL_WORDS_SECONDS,
) -> LineJudge:
    """The judge that a command is.

    A program with a folder in its name ("./my-judge") is looked up from `folder`, the spec's;
    one without is looked up in PATH; it runs in that folder. It is tried once, with nothing on
    its stdin, to hear its hello and to see that it starts at all. Its configuration is the
    command line, the SHA-256 of its program and of every word that names a file in the folder,
    and its hello. A trial that takes more than `words_after_seconds` is told to whoever waits.
    Raises UsageError where it is not found or does not start.
    """
    program = _found(command[0], folder)
    launch = Launch(argv=[str(program), *command[1:]], folder=folder)
    waits = TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
    hello = _Trial(launch, command[0], waits).hello(words_after_seconds)
    files = {command[0]: _sha256(program)}
    for word in command[1:]:
        place = folder / word
        if place.is_file():
            files[word] = _sha256(place)
    return LineJudge(
        name=name,
        bench=bench,
        launch=launch,
        configuration={
            "judge": "command",
            "lines": VERSION,
            "command": list(command),
            "files": files,
            "hello": hello,
        },
        hello=hello,
        timeout_seconds=waits,
    )


def _found(word: str, folder: Path) -> Path:
    if os.sep not in word and "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise UsageError(
                f"command: there is no program {word!r} in PATH; allowed: {_ALLOWED}",
                hint=f'a program beside the spec is written "./{word}"',
            )
        return Path(found)
    # Of a relative folder the program would be looked for from itself.
    place = Path(os.path.abspath(folder / word))
    if not place.is_file():
        said = "is a folder" if place.is_dir() else "is not there"
        raise UsageError(f"command: {folder / word} {said}; allowed: {_ALLOWED}")
    if not os.access(place, os.X_OK):
        raise UsageError(
            f"command: {folder / word} may not be executed; allowed: {_ALLOWED}",
            hint=f"chmod +x {folder / word}",
        )
    return place


def _sha256(place: Path) -> str:
    stat = place.stat()
    return _digest(place, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest(place: Path, _size: int, _changed_ns: int) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Trial:
    """One start of a program with nothing on its stdin."""

    def __init__(self, launch: Launch, word: str, timeout_seconds: float) -> None:
        self._launch = launch
        self._word = word
        self._longest_seconds = max(START_SECONDS, timeout_seconds)
        self._process: LineProcess | None = None

    def hello(self, words_after_seconds: float) -> JSON:
        """The program's hello, None without one. Raises UsageError where it does not work."""
        # In a thread with a loop of its own: a plan is made with and without one running.
        with ThreadPoolExecutor(1) as pool:
            trial = pool.submit(asyncio.run, self._run())
            try:
                if not wait([trial], words_after_seconds).done:
                    speaker()(
                        f"command: {self._word} is tried without any request: waiting for it to"
                        f" end, {self._longest_seconds:g} s at most"
                    )
                return trial.result()
            except KeyboardInterrupt:
                # Else the thread, and so this process, would wait for it.
                if self._process is not None:
                    kill_group(self._process.pid)
                raise

    async def _run(self) -> JSON:
        try:
            process = self._process = await LineProcess.start(self._launch)
        except OSError as error:
            raise UsageError(
                f"command: {self._word} cannot be started: {error.strerror}; allowed: {_ALLOWED}"
            ) from error
        process.send_end()
        hello: JSON = None
        wrong = None
        code: int | None = 0
        try:
            async with asyncio.timeout(self._longest_seconds):
                while wrong is None:
                    line = await process.receive()
                    if hello is not None:
                        wrong = f"said more than its hello without any request: {shown(line)}"
                        break
                    hello, wrong = _hello(self._launch, line)
        except ProcessGone:
            code = await process.end()
            wrong = None if code == 0 else f"{ended(code)} when it was tried without any request"
        except TimeoutError:
            wrong = f"did not end in {self._longest_seconds:g} s when its stdin ended"
        except (Garbage, ValueError) as error:
            wrong = str(error)
        finally:
            await process.end(0.0)
        if wrong is None:
            return hello
        tail = process.tail()
        words = f"; its last words: {tail}" if tail else ""
        said = f"{self._word} {self._launch.scrub(wrong)}{words}"
        raise UsageError(f"command: {said}; allowed: {_ALLOWED}")


def _hello(launch: Launch, line: bytes) -> tuple[JSON, str | None]:
    """What a first line says, and what is wrong with it."""
    said = parse_line(line)
    if not isinstance(said, Hello) or said.configuration is None:
        return None, f"answered without any request: {shown(line)}"
    if len(line) > _LONGEST_HELLO:
        return None, f"said a hello of more than {_LONGEST_HELLO:,} bytes"
    try:
        text = canonical_json(said.configuration)
    except (ValueError, TypeError, RecursionError):
        return None, "said a hello that is not JSON"
    if launch.is_given_away(text):
        return None, "said a hello that holds a key: it would be stored"
    return said.configuration, None
