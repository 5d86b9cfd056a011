"""The processes that count: one a core, each with its own matcher, all stopped by one flag."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from auditor.corpus.counting import PartCounter, PartCounts
from auditor.corpus.parts import Part
from auditor.corpus.sharing import blocks_in_hand
from auditor.corpus.words import CorpusWords
from auditor.errors import AuditorError

_Result = TypeVar("_Result")


class _Flag(Protocol):
    def is_set(self) -> bool: ...
    def set(self) -> None: ...


class _Here:
    """The counter of a worker process."""

    counter: PartCounter | None = None


class Workers:
    """Counts parts side by side. A single worker is a thread: it needs no process of its own."""

    def __init__(self, words: CorpusWords, processes: int) -> None:
        """Raises UsageError where a library is missing."""
        self.processes = max(1, processes)
        self.room = asyncio.Semaphore(blocks_in_hand(self.processes))
        """For blocks of files that are shared."""
        self._bytes = 0
        self._own: PartCounter | None = None
        self._shared: Any = None
        self._executor: Executor
        self._stop: _Flag
        if processes <= 1:
            self._stop = threading.Event()
            self._own = PartCounter(words, noted=self.note, is_stopped=self._stop.is_set)
            self._executor = ThreadPoolExecutor(1, thread_name_prefix="corpus")
            return
        PartCounter(words)  # what is missing is said here, not by a process that dies of it
        # Forking a process that has threads may leave locks behind that nobody holds.
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        self._shared = context.Value("Q", 0)
        self._executor = ProcessPoolExecutor(
            processes,
            mp_context=context,
            initializer=_begin,
            initargs=(words, self._stop, self._shared),
        )

    @property
    def bytes_read(self) -> int:
        """Bytes of files that have been read so far, by all of them."""
        return self._bytes if self._shared is None else int(self._shared.value)

    async def count(self, part: Part, field: str, quotas: Sequence[int] | None) -> PartCounts:
        """What a part holds; see `PartCounter.count`."""
        return await self._run(_counted, self._own, part, field, quotas)

    async def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
        """What whole lines of a part hold; see `PartCounter.count_lines`."""
        return await self._run(_counted_lines, self._own, part, lines, field)

    async def digest(self, part: Part) -> str:
        """The hash of a part, which is not counted."""
        return await self._run(_digest, self._own, part)

    def close(self) -> None:
        """End all of them; what is being counted is given up within a moment."""
        self._stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)

    async def _run(self, function: Callable[..., _Result], *given: Any) -> _Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor, function, *given
            )
        except BrokenProcessPool:
            raise AuditorError(
                "a process that counted has ended without a word",
                hint="see whether the machine ran out of memory; counted files stay counted",
            ) from None

    def note(self, size: int) -> None:
        """Take the bytes of a block of a file that was read in this process."""
        if self._shared is None:
            self._bytes += size
            return
        with self._shared.get_lock():
            self._shared.value += size

    def is_stopped(self) -> bool:
        """Whether counting has been given up."""
        return self._stop.is_set()


def _begin(words: CorpusWords, stop: _Flag, read: Any) -> None:
    """Make a worker process ready."""
    # Ctrl-C reaches every process of a terminal; the flag is what ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def note(size: int) -> None:
        with read.get_lock():
            read.value += size

    _Here.counter = PartCounter(words, noted=note, is_stopped=stop.is_set)


def _end_with_parent() -> None:
    # Where the parent is killed, nobody closes the queue that an idle worker waits at.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _counted(
    own: PartCounter | None, part: Part, field: str, quotas: Sequence[int] | None
) -> PartCounts:
    return _counter(own).count(part, field, quotas)


def _counted_lines(own: PartCounter | None, part: Part, lines: bytes, field: str) -> PartCounts:
    return _counter(own).count_lines(part, lines, field)


def _digest(own: PartCounter | None, part: Part) -> str:
    return _counter(own).digest(part)


def _counter(own: PartCounter | None) -> PartCounter:
    counter = own or _Here.counter
    assert counter is not None
    return counter
