"""One packed file of JSON lines counted by several processes: unpacked here, counted there.

What is packed cannot be cut where it lies. But unpacking is many times faster than counting, so one
thread unpacks and hands blocks of whole lines to the processes that count.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from auditor.corpus.blocks import PartBytes
from auditor.corpus.counting import NAMED, PartCounts
from auditor.corpus.documents import LONGEST_LINE
from auditor.corpus.parts import Part
from auditor.corpus.quotas import counts_of
from auditor.corpus.unpacking import BrokenOff

BLOCK_BYTES = 4 * 1024 * 1024
"""Unpacked bytes that are counted at a time."""
_WAITING = 2
"""Blocks that wait beside those that are being counted, so that no process waits for one."""


class Counters(Protocol):
    """What counts blocks, as `Workers` does."""

    processes: int
    room: asyncio.Semaphore
    """For `blocks_in_hand`, whichever files they are of."""

    def note(self, size: int) -> None:
        """Take the bytes of a block of the file that was read."""

    def is_stopped(self) -> bool:
        """Whether counting has been given up."""

    async def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
        """What a block of whole lines holds."""


def blocks_in_hand(processes: int) -> int:
    """How many blocks are held at a time for so many processes, of all files together."""
    return processes + _WAITING


@dataclass(frozen=True, slots=True)
class _End:
    problem: str | None


async def count_shared(
    counters: Counters, part: Part, field: str, *, block_bytes: int = BLOCK_BYTES
) -> PartCounts:
    """What a packed part of JSON lines holds: the same as `PartCounter.count` gives without quotas.

    Memory holds as many blocks as there is room for, and one more a file. Raises what the counters
    raise.
    """
    read = PartBytes(part, noted=counters.note, is_stopped=counters.is_stopped)
    blocks = _whole_lines(read.blocks(), block_bytes)
    counted = PartCounts(
        digest="", lines=0, documents=0, rejected=0, rejections=(), problem=None, counts={}
    )
    waiting: deque[asyncio.Task[PartCounts]] = deque()
    try:
        while isinstance(block := await asyncio.to_thread(next, blocks), bytes):
            await counters.room.acquire()
            task = asyncio.create_task(counters.count_lines(part, block, field))
            task.add_done_callback(lambda _: counters.room.release())
            waiting.append(task)
            if len(waiting) >= blocks_in_hand(counters.processes):
                counted = _joined(counted, await waiting.popleft())
        while waiting:
            counted = _joined(counted, await waiting.popleft())
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    problem = None if block.problem is None else f"{block.problem}, after line {counted.lines}"
    return replace(counted, digest=read.digest, problem=problem)


def _whole_lines(blocks: Iterable[bytes], size: int) -> Iterator[bytes | _End]:
    """Blocks that end with a line, of at least this size but for the last, then how it ended.

    What a file breaks off in is no line. Of a line that is too long to be read a beginning is kept
    that is as well.
    """
    held: list[bytes] = []
    length = line = 0  # of all that is held, and of the line at its end
    try:
        for piece in _pieces(blocks, size):
            end = piece.rfind(b"\n") + 1
            if not end and line > LONGEST_LINE:
                continue
            rest = piece
            if end and length + end >= size:
                yield b"".join([*held, piece[:end]])
                rest = piece[end:]
                held, length = [], 0
            held.append(rest)
            length += len(rest)
            line = len(piece) - end if end else line + len(piece)
    except BrokenOff as error:
        whole = b"".join(held)
        yield whole[: whole.rfind(b"\n") + 1]
        yield _End(str(error))
    else:
        yield b"".join(held)
        yield _End(None)


def _pieces(blocks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes, never more than so many at a time: what packs well is large unpacked."""
    for block in blocks:
        for start in range(0, len(block), size):
            yield block[start : start + size]


def _joined(before: PartCounts, after: PartCounts) -> PartCounts:
    """What two stretches of one file hold together, the lines of the second behind the first's."""
    room = max(0, NAMED - len(before.rejections))
    later = [(before.lines + number, reason) for number, reason in after.rejections[:room]]
    return PartCounts(
        digest="",
        lines=before.lines + after.lines,
        documents=before.documents + after.documents,
        rejected=before.rejected + after.rejected,
        rejections=[*before.rejections, *later],
        problem=None,
        counts=counts_of([before, after]),
    )
