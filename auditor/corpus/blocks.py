"""The bytes of one part of a file, in blocks: hashed, counted and stoppable on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import IO

from auditor.corpus.parts import Packing, Part
from auditor.corpus.unpacking import BrokenOff, unpacked

_BLOCK = 1024 * 1024


class Stopped(Exception):
    """The user has had enough; nothing of the part is kept."""


class PartBytes:
    """Reads one part once. `noted` takes the number of bytes of each block as they lie there."""

    def __init__(
        self,
        part: Part,
        *,
        noted: Callable[[int], None] = lambda _: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._part = part
        self._noted = noted
        self._is_stopped = is_stopped
        self._hash = hashlib.blake2b(digest_size=16)

    @property
    def digest(self) -> str:
        """Hash of what was read of the part."""
        return self._hash.hexdigest()

    def pass_over(self) -> None:
        """Read the part for its hash alone. Raises BrokenOff where that cannot be done."""
        for _ in self._guarded(self._raw):
            pass

    def blocks(self) -> Iterator[bytes]:
        """Unpacked blocks; of a plain part the lines that begin in it.

        Raises BrokenOff where the file cannot be read on.
        """
        if self._part.packing is Packing.PLAIN:
            yield from self._guarded(self._lines_of_part)
        else:
            yield from unpacked(self._guarded(self._raw), self._part.packing)

    def _guarded(self, read: Callable[[IO[bytes]], Iterator[bytes]]) -> Iterator[bytes]:
        try:
            with self._part.path.open("rb") as file:
                yield from read(file)
        except OSError as error:
            raise BrokenOff(f"cannot be read ({error.strerror or error})") from None

    def _raw(self, file: IO[bytes]) -> Iterator[bytes]:
        file.seek(self._part.start)
        left = self._part.stop - self._part.start
        while left > 0:
            if self._is_stopped():
                raise Stopped
            block = file.read(min(_BLOCK, left))
            if not block:
                raise BrokenOff("became shorter while it was read")
            left -= len(block)
            self._hash.update(block)
            self._noted(len(block))
            yield block

    def _lines_of_part(self, file: IO[bytes]) -> Iterator[bytes]:
        is_within = False
        if self._part.start:
            file.seek(self._part.start - 1)
            is_within = file.read(1) != b"\n"
        last = b""
        for block in self._raw(file):
            last = block
            if not is_within:
                yield block
                continue
            # A line that began before belongs to the part before.
            _, end, rest = block.partition(b"\n")
            is_within = not end
            yield rest
        if is_within or last.endswith(b"\n"):
            return
        while tail := file.read(_BLOCK):
            line, end, _ = tail.partition(b"\n")
            yield line + end
            if end:
                return
