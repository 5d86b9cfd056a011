"""Drives the command line from outside: in this process, as a process, and on a terminal."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from struct import pack
from typing import Any

from auditor.cli.app import run as run_command
from auditor.store.connection import connect
from auditor.store.plan import lay_out
from tests.mock_server import MockServer

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).parent / "auditor"
SPACES = ("kitchen", "garage", "mall")
PATIENCE_SECONDS = 120.0
"""For whatever is sure to come: only a fault lasts as long, on the busiest machine."""
_TAKE_TERMINAL = (
    sys.executable,
    "-c",
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " os.execv(sys.argv[1], sys.argv[1:])",
)
"""Makes the pseudo-terminal the one that Ctrl-C comes from, then becomes the command."""
STANDS_STILL = "it stands still"
_STANDING = f"""
import os, sys, threading, time
event, word, thread, *sys.argv[1:] = sys.argv[1:]
reached = []
def stand_still(name, arguments):
    if name != event or word not in str(arguments[0]) or reached:
        return
    if thread and threading.current_thread().name != thread:
        return
    reached.append(name)
    os.write(2, b"{STANDS_STILL}\\n")
    while True:  # A signal just before a sleep is taken up behind it.
        time.sleep(0.01)
sys.addaudithook(stand_still)
from auditor.__main__ import main
main()
"""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """stdout as JSON."""
        return json.loads(self.out)

    @property
    def problem(self) -> dict[str, Any]:
        """The last line of stderr as an error object."""
        return json.loads(self.err.splitlines()[-1])


def auditor(*arguments: object) -> Ran:
    """A command in this process, off a terminal."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command([str(argument) for argument in arguments])
    return Ran(code=code, out=out.getvalue(), err=err.getvalue())


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with changes; None takes a variable out."""
    names = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return {name: value for name, value in names.items() if value is not None}


def as_process(*arguments: object, **options: Any) -> Ran:
    """`python -m auditor` in a process of its own."""
    done = begin(*arguments, **options)
    out, err = done.communicate(timeout=PATIENCE_SECONDS)
    return Ran(code=done.returncode, out=out, err=err)


def begin(
    *arguments: object,
    env: Mapping[str, str | None] | None = None,
    command: Sequence[str] = (sys.executable, "-m", "auditor"),
    **options: Any,
) -> subprocess.Popen[str]:
    """A command that goes on in a process of its own."""
    return subprocess.Popen(
        [*command, *(str(argument) for argument in arguments)],
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def standing_still_at(event: str, word: str, *, thread: str = "") -> tuple[str, ...]:
    """The command, which does not go on from an event of Python's own ("import", "os.link").

    It stands at the first one whose first argument holds the word, in the thread of this name if
    one is given, and says so (STANDS_STILL): whatever is sent to it then reaches it there, however
    late it comes.
    """
    return (sys.executable, "-c", _STANDING, event, word, thread)


class OnTerminal:
    """A command on a pseudo-terminal of its own."""

    def __init__(
        self,
        *arguments: object,
        columns: int = 100,
        command: Sequence[str] = (sys.executable, "-m", "auditor"),
    ) -> None:
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, pack("HHHH", 40, columns, 0, 0))
        self.seen = ""
        self._terminal = ours
        self._process = subprocess.Popen(
            [*_TAKE_TERMINAL, *command, *(str(argument) for argument in arguments)],
            env=environment(TERM="xterm-256color", COLUMNS=None, LINES=None),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    @property
    def words(self) -> str:
        """What has been printed, without control sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", self.seen)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def read_for(self, seconds: float) -> None:
        """Take up what it prints, for a time or as long as it runs."""
        until = time.monotonic() + seconds
        while self.is_running and (left := until - time.monotonic()) > 0:
            self._read(min(left, 0.02))

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._terminal, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C, by way of the terminal."""
        self.press("\x03")

    def terminate(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self._terminal)
        self._terminal = -1

    def wait_for(self, words: str, seconds: float = PATIENCE_SECONDS) -> float:
        """Until the terminal has shown these words; the seconds that took."""
        return self.wait_until(lambda: words in self.words, seconds, repr(words))

    def wait_until(
        self, holds: Callable[[], bool], seconds: float = PATIENCE_SECONDS, what: str = ""
    ) -> float:
        """Until something holds, reading the terminal meanwhile."""
        begun = time.monotonic()
        while not holds():
            self._read(0.01)
            took = time.monotonic() - begun
            if took > seconds or (self._process.poll() is not None and not self._read(0.05)):
                if holds():
                    break
                self.kill()
                raise AssertionError(f"no {what} after {took:.1f} s in:\n{self.words}")
        return time.monotonic() - begun

    def end(self, seconds: float = PATIENCE_SECONDS) -> int:
        """The exit code, once it has ended."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            self._read(0.02)
        if self._process.poll() is None:
            self.kill()
            raise AssertionError(f"still running after {seconds} s:\n{self.words}")
        while self._read(0.02):
            pass
        if self._terminal >= 0:
            os.close(self._terminal)
        return self._process.returncode

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self, seconds: float) -> bool:
        if self._terminal < 0:
            time.sleep(seconds)
            return False
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self._terminal, 65536)
        except OSError:  # the other side is closed
            return False
        self.seen += read.decode("utf-8", "replace")
        return bool(read)


@contextmanager
def serving(**settings: Any) -> Iterator[MockServer]:
    """A mock server in a thread of its own."""
    server = MockServer(**settings)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def simulated(
    path: Path, *, repetitions: int = 2, top: str = "", body: str = "men = 0.5", targets: str = ""
) -> Path:
    """A spec of a few simulated trials."""
    return write(
        path,
        top=top,
        targets=targets or f'[[targets]]\nmodel = "sim:fair"\nextra_body = {{{body}}}\n',
        repetitions=repetitions,
    )


def over_http(
    path: Path,
    url: str,
    *,
    models: Sequence[str] = ("a",),
    repetitions: int = 2,
    top: str = "",
    endpoint: str = "",
    target: str = "",
    protocol: str = "",
    spaces: Sequence[str] = SPACES,
) -> Path:
    """A spec of a few trials at a server that speaks OpenAI's chat completions."""
    targets = "".join(
        f'[[targets]]\nname = "{model}"\nmodel = "openai:{model}"\nendpoint = "mock"\n{target}\n'
        for model in models
    )
    return write(
        path,
        top=f"{top}\n[endpoints.mock]\nprovider = 'openai'\nbase_url = '{url}'\n{endpoint}",
        targets=targets,
        repetitions=repetitions,
        protocol=protocol,
        spaces=spaces,
    )


def write(
    path: Path,
    *,
    targets: str,
    top: str = "",
    repetitions: int = 2,
    protocol: str = "",
    spaces: Sequence[str] = SPACES,
) -> Path:
    path.write_text(
        f'name = "tiny"\nseed = 1\n{top}\n{targets}\n[protocols."spatial.explicit"]\n'
        f"repetitions = {repetitions}\nspaces = {json.dumps(list(spaces))}\n{protocol}\n"
    )
    return path


def laid_out(spec: Path) -> Path:
    """The spec, with an empty store beside it: a process need not load what makes one."""
    lay_out(spec.with_suffix(".db"))
    return spec


def rows(store: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a query finds in a store."""
    connection = connect(store, read_only=True)
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, byte for byte, but what SQLite lays beside a store to read it."""
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".db-shm"
    }
    return {name: body for name, body in found.items() if body or not name.endswith(".db-wal")}
