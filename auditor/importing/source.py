"""Files to import, line by line: opened once, read as often as needed, never held in memory."""

from __future__ import annotations

import gzip
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

from auditor.errors import UsageError
from auditor.harmless import harmless

STDIN = Path("-")
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that is still read; a longer one is reported and passed over."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_SQLITE = b"SQLite format 3\x00"

Line = tuple[int, bytes | None]
"""1-based number and bytes; None where it is longer than LONGEST_LINE."""


class ImportSource:
    """One file of JSON lines, plain or gzip. What cannot be read twice is copied to disk first."""

    def __init__(self, path: Path) -> None:
        self.name = "standard input" if path == STDIN else harmless(path.name)
        """What messages and the store call it; the folder it lies in is nobody's business."""
        self._copy: IO[bytes] | None = None
        self._where = self.name if path == STDIN else harmless(str(path))
        try:
            self._open = self._opener(path)
            with self._open() as file:
                if file.read(len(_SQLITE)) == _SQLITE:
                    raise self._refusal(
                        "a store", hint="`auditor export` writes lines that can be imported"
                    )
        except OSError as error:
            raise self._unreadable(error) from None

    def lines(self) -> Iterator[Line]:
        """All lines that hold anything, without a byte order mark.

        Raises UsageError where the file cannot be read on.
        """
        try:
            with self._open() as file:
                if file.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
                    file.seek(0)
                yield from _lines(file)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from None

    def close(self) -> None:
        """Take away the copy, if there is one."""
        if self._copy is not None:
            self._copy.close()

    def _opener(self, path: Path) -> Callable[[], IO[bytes]]:
        if path == STDIN:
            return self._copied(sys.stdin.buffer)
        if path.is_dir():
            raise self._refusal("a folder")
        if not path.exists():
            raise self._refusal("no such file")
        kind = path.stat().st_mode
        if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
            raise self._refusal("neither a regular file nor a pipe")
        if not stat.S_ISREG(kind):
            with path.open("rb") as pipe:
                return self._copied(pipe)
        with path.open("rb") as file:
            is_compressed = file.read(len(_GZIP)) == _GZIP
        if is_compressed:
            return lambda: cast(IO[bytes], gzip.open(path, "rb"))
        return lambda: path.open("rb")

    def _copied(self, stream: IO[bytes]) -> Callable[[], IO[bytes]]:
        copy = tempfile.NamedTemporaryFile(prefix="auditor-import-")  # noqa: SIM115 - see close
        self._copy = cast(IO[bytes], copy)
        shutil.copyfileobj(stream, copy)
        copy.flush()
        return lambda: Path(copy.name).open("rb")

    def _unreadable(self, error: Exception) -> UsageError:
        reason = getattr(error, "strerror", None) or str(error)
        return self._refusal(f"cannot be read ({reason})")

    def _refusal(self, said: str, hint: str | None = None) -> UsageError:
        return UsageError(
            f"{self._where}: {said}; allowed: a file with one JSON object a line",
            where=self._where,
            hint=hint,
        )


def _lines(file: IO[bytes]) -> Iterator[Line]:
    for number, raw in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), start=1):
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            _pass_over(file)
            yield number, None
        elif not raw.isspace():
            yield number, raw


def _pass_over(file: IO[bytes]) -> None:
    for rest in iter(partial(file.readline, LONGEST_LINE), b""):
        if rest.endswith(b"\n"):
            return
