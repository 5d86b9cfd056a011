"""`corpus`: files of text counted into a store, side by side, and each of them once."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from auditor.corpus.counting import PartCounts
from auditor.corpus.former import Former
from auditor.corpus.holding import Before, CorpusStore, look_before
from auditor.corpus.lists import corpus_words
from auditor.corpus.parts import CorpusFile, content_digest, corpus_file
from auditor.corpus.quotas import Documents, Quotas, counts_of, documents_of
from auditor.corpus.report import CorpusReport, Say
from auditor.corpus.sharing import count_shared
from auditor.corpus.words import CorpusWords
from auditor.corpus.workers import Workers
from auditor.protocols.spatial_corpus import figures
from auditor.scheduler.launch import stored_plan
from auditor.scheduler.refresh import append_statistics, compute_statistics
from auditor.scheduler.stoppable import run_stoppable
from auditor.store.corpus import StoredCorpus, StoredFile, read_corpus
from auditor.store.records import CountedFile
from auditor.store.results import is_current
from auditor.store.store import Store

KEPT_REJECTIONS = 20
"""Rejected lines of a file whose number and reason the store keeps."""
_PROGRESS_SECONDS = 0.25

Progress = Callable[[int, int], None]
"""Takes bytes that were read, and files that are done with."""


def count_corpus(
    paths: Sequence[Path],
    store: Path,
    *,
    name: str,
    field: str = "text",
    per_space: int | None = None,
    processes: int | None = None,
    say: Say = lambda _: None,
    progress: Progress = lambda _bytes, _files: None,
    begun: Callable[[int, int], None] = lambda _bytes, _files: None,
) -> CorpusReport:
    """Count files into a store, made if there is none, then compute its statistics.

    A file whose content has been counted before adds nothing; one that has changed is counted
    anew, in place of what it was. Each file is stored in one transaction when it is through: what
    is stopped in the middle is counted from its beginning the next time.

    Args:
        paths: JSON lines, text with blank lines between documents, or parquet; plain, gzip, zstd.
        store: where to.
        name: what the corpus is called: the target of its statistics.
        field: what holds the text of a JSON object or a parquet row.
        per_space: take the first so many documents of each space, by the order of the files.
        processes: how many count; None: one a core that this process may use.
        say: takes a sentence for the user.
        progress: called several times a second.
        begun: called once, with the bytes and the files that are to be counted.

    Raises UsageError for a file that is no corpus, and StoreMismatch and StoreLocked as a run does.
    """
    found = _distinct([corpus_file(path) for path in paths])
    before = look_before(store, name)
    before.check_size(per_space, store)
    words = corpus_words(before.materials)
    report = CorpusReport(store=store, corpus=name)
    most = sum(each.processes for each in found)
    workers = Workers(words, min(processes or _cores(), most))
    try:
        counting = _Counting(
            workers=workers,
            words=words,
            before=before,
            name=name,
            field=field,
            per_space=per_space,
            report=report,
            say=say,
            begun=begun,
            progress=progress,
        )
        run_stoppable(counting.carry_out(found, store))
    finally:
        workers.close()
        report.bytes_read = workers.bytes_read
    return report


def stored_report(store: Path, name: str) -> CorpusReport:
    """What a store holds of a corpus, with nothing counted."""
    before = look_before(store, name)
    report = CorpusReport(store=store, corpus=name)
    _fill(report, before.corpus, corpus_words(before.materials))
    return report


def _fill(report: CorpusReport, corpus: StoredCorpus | None, words: CorpusWords) -> None:
    report.standing = corpus
    if corpus is not None:
        report.figures = figures(words.spaces, corpus.counts)


def _distinct(found: Sequence[CorpusFile]) -> list[CorpusFile]:
    """Each file once, however often it was named."""
    return list({each.place: each for each in found}.values())


def _cores() -> int:
    # A container may use fewer than the machine has.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class _Counting:
    """One call of the command at work."""

    def __init__(
        self,
        *,
        workers: Workers,
        words: CorpusWords,
        before: Before,
        name: str,
        field: str,
        per_space: int | None,
        report: CorpusReport,
        say: Say,
        begun: Callable[[int, int], None],
        progress: Progress,
    ) -> None:
        self._workers = workers
        self._words = words
        self._before = before
        self._name = name
        self._field = field
        self._per_space = per_space
        self._report = report
        self._say = say
        self._begun = begun
        self._progress = progress
        self._done = 0
        self._left = 0

    async def carry_out(self, found: Sequence[CorpusFile], path: Path) -> None:
        holding = CorpusStore(path, self._name, self._before, say=self._say)
        is_done = False
        started = time.monotonic()
        try:
            former = Former(holding.store.reader, self._name, self._field, self._workers)
            fresh = await self._fresh(found, former)
            self._begun(sum(each.size for each in fresh), len(fresh))
            reporting = asyncio.create_task(self._tell())
            try:
                await self._count_all(fresh, holding.store, former)
            finally:
                reporting.cancel()
            self._progress(self._workers.bytes_read, self._done)
            self._report.seconds = time.monotonic() - started
            await self._compute(holding.store, path)
            _fill(self._report, read_corpus(holding.store.reader, self._name), self._words)
            is_done = True
        finally:
            # The workers give up what they have in hand before the lock goes back.
            self._workers.close()
            await holding.close(is_done=is_done)

    async def _compute(self, store: Store, path: Path) -> None:
        """All statistics of the store, where something has come since they were made."""
        if is_current(store.reader):
            return
        rows = await asyncio.to_thread(compute_statistics, path, stored_plan(path).plan)
        await append_statistics(store, rows)

    async def _fresh(self, found: Sequence[CorpusFile], former: Former) -> list[CorpusFile]:
        """The files that have to be counted; what is known of the others is told again."""
        fresh = []
        for file, same in await former.same(found):
            if same is None:
                fresh.append(file)
            else:
                self._known(file, same)
        return fresh

    def _known(self, file: CorpusFile, same: StoredFile | CorpusFile) -> None:
        self._report.known += 1
        if same.place != file.place:
            self._say(f"{file.name}: the same content as {same.name}, which is counted")
        elif isinstance(same, StoredFile):
            self._note(file, same.rejected, same.rejections, same.problem)
            self._say_if_empty(file, same.documents, same.rejected, same.problem)

    async def _tell(self) -> None:
        while True:
            self._progress(self._workers.bytes_read, self._done)
            await asyncio.sleep(_PROGRESS_SECONDS)

    async def _count_all(self, found: Sequence[CorpusFile], store: Store, former: Former) -> None:
        """A few more files at a time than there are cores, so that all of them have work."""
        room = asyncio.Semaphore(_cores() + 1)
        quotas = None
        if self._per_space is not None:
            taken = former.documents()
            quotas = Quotas(self._words.spaces, self._per_space, taken)
        self._left = len(found)
        turn: asyncio.Event | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for each in found:
                    await room.acquire()
                    after, turn = turn, asyncio.Event()
                    task = group.create_task(self._file(each, store, former, quotas, after, turn))
                    task.add_done_callback(lambda _: room.release())
        except ExceptionGroup as errors:
            # One cause ends everything else; the first one is what the user must read.
            raise errors.exceptions[0] from errors

    async def _file(
        self,
        file: CorpusFile,
        store: Store,
        former: Former,
        quotas: Quotas | None,
        after: asyncio.Event | None,
        done: asyncio.Event,
    ) -> None:
        """Count one file. `after` is set when the one before it is through."""
        if quotas is None:
            counted: list[PartCounts] | None = await self._parts(file, None)
        else:
            counted = await self._in_turn(file, quotas, former.taken(file), after)
        if counted is None:
            self._report.unneeded += 1
        elif await self._keep(file, counted, store, former) and quotas is not None:
            quotas.take(documents_of(counted), instead_of=former.taken(file))
        self._done += 1
        self._left -= 1
        done.set()

    async def _in_turn(
        self, file: CorpusFile, quotas: Quotas, own: Documents, after: asyncio.Event | None
    ) -> list[PartCounts] | None:
        """Take the first documents of each space: which those are depends on the files before.

        `own` are those that its former state has given. None where enough have been taken of all
        spaces.
        """
        then = quotas.left(instead_of=own)
        counted = await self._parts(file, then) if any(then) else []
        if after is not None:
            await after.wait()
        left = quotas.left(instead_of=own)
        if not any(left):
            return None
        # Files before have taken some meanwhile, or given back.
        if counted and quotas.hold(documents_of(counted), then, left):
            return counted
        counted = []
        for part in file.parts:
            counted.append(await self._workers.count(part, self._field, left))
            left = quotas.left(documents_of(counted), instead_of=own)
        return counted

    async def _parts(self, file: CorpusFile, quotas: Sequence[int] | None) -> list[PartCounts]:
        # Files side by side cost less than one that is shared: only where cores would be idle.
        if quotas is None and file.is_shared and self._left < self._workers.processes:
            return [await count_shared(self._workers, file.parts[0], self._field)]
        counting = (self._workers.count(part, self._field, quotas) for part in file.parts)
        return list(await asyncio.gather(*counting))

    async def _keep(
        self, file: CorpusFile, counted: Sequence[PartCounts], store: Store, former: Former
    ) -> bool:
        """Store a file's counts, unless they are there; gives whether they were stored."""
        rejections: list[tuple[int, str]] = []
        lines = 0
        for part in counted:
            rejections += [(lines + number, reason) for number, reason in part.rejections]
            lines += part.lines
        problem = next((part.problem for part in counted if part.problem), None)
        rejected = sum(part.rejected for part in counted)
        content = content_digest([part.digest for part in counted])
        copied = former.standing(file, content)
        if copied is not None:
            self._known(file, copied)
            return False
        documents = sum(part.documents for part in counted)
        self._note(file, rejected, rejections, problem)
        self._say_if_empty(file, documents, rejected, problem)
        if former.breaks_off_as_before(file, content, problem):
            self._report.known += 1
            return False
        self._report.counted += 1
        former.add(file, content)
        await store.append(
            CountedFile(
                corpus=self._name,
                place=file.place,
                file=file.name,
                size=file.size,
                modified_ns=file.modified_ns,
                content=content,
                words=self._words.hash,
                text_field=former.field_of(file),
                per_space=self._per_space,
                documents=documents,
                rejected=rejected,
                rejections=rejections[:KEPT_REJECTIONS],
                problem=problem,
                counts=counts_of(counted),
                materials=self._before.materials,
            )
        )
        return True

    def _note(
        self,
        file: CorpusFile,
        rejected: int,
        rejections: Sequence[tuple[int, str]],
        problem: str | None,
    ) -> None:
        self._report.reject(file.name, rejected, rejections, self._say)
        if problem is not None:
            self._report.problems.append((file.name, problem))
            self._say(f"{file.name}: {problem}; what comes before is counted")

    def _say_if_empty(
        self, file: CorpusFile, documents: int, rejected: int, problem: str | None
    ) -> None:
        if not documents and not rejected and problem is None:
            self._say(f"{file.name}: holds no document")
