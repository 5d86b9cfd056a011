"""`import`: answers that were collected elsewhere, taken into a store, judged and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path

from auditor.errors import UsageError
from auditor.importing.holding import ImportStore
from auditor.importing.lines import CheckedLine, LineReader, Selection
from auditor.importing.report import ImportReport, Rejection, Say
from auditor.importing.run import ImportRun, import_run
from auditor.importing.seen import SeenLines
from auditor.importing.source import ImportSource
from auditor.importing.values import Rejected
from auditor.scheduler.stoppable import run_stoppable
from auditor.spec.model import Spec
from auditor.store.connection import connect
from auditor.store.plan_record import PlannedJudge
from auditor.store.records import ImportedLine

__all__ = ["ImportReport", "Rejection", "import_file", "import_files"]

_BLOCK_LINES = 500
_BLOCK_CHARACTERS = 8_000_000
_BEFORE_OTHERS = 25
"""Lines read in one go, so that nobody else on the event loop waits for long."""


def import_file(
    file: Path,
    store: Path,
    *,
    spec: Spec | None = None,
    only: Collection[str] | None = None,
    limit: int | None = None,
    strict: bool = False,
    judge: bool = True,
    say: Say = lambda _: None,
) -> ImportReport:
    """Take one file's lines into a store; see `import_files`."""
    return import_files(
        [file], store, spec=spec, only=only, limit=limit, strict=strict, judge=judge, say=say
    )


def import_files(
    files: Sequence[Path],
    store: Path,
    *,
    spec: Spec | None = None,
    only: Collection[str] | None = None,
    limit: int | None = None,
    strict: bool = False,
    judge: bool = True,
    say: Say = lambda _: None,
) -> ImportReport:
    """Take the lines of files, one after the other, into a store, made if there is none.

    Then the default offline judges of their protocols and the statistics run to the end. Lines
    that do not fit are counted, and the first of them told to `say`.

    Args:
        files: files with one JSON object a line, plain or gzip; `-` is standard input.
        store: where to.
        spec: what a store goes by that is made here; None: the defaults of the protocols that
            come. A store that holds a run goes by its own.
        only: protocols and targets that are wanted; None: all.
        limit: how many lines are taken at most.
        strict: take nothing unless every line fits.
        judge: whether judges and statistics run.
        say: takes a sentence for the user.

    Raises UsageError where a file cannot be read, holds no line, or has a target that the store's
    own run plans; StoreMismatch and StoreLocked as a run does.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(closing(ImportSource(file))) for file in files]
        run = import_run(store, spec, files[0])
        selection = Selection.of(only)
        importing = _Import(run=run, path=store, sources=sources, selection=selection, say=say)
        if strict:
            found = importing.validated()
            if found.rejected:
                return found
        elif run.planned_targets:
            importing.check_targets()
        return run_stoppable(importing.carry_out(limit=limit, judge=judge))


class _Block:
    """Lines that are stored in one transaction."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: list[ImportedLine] = []
        self.judges: dict[tuple[str, bytes], PlannedJudge] = {}
        self._characters = 0

    @property
    def is_full(self) -> bool:
        return len(self.lines) >= _BLOCK_LINES or self._characters >= _BLOCK_CHARACTERS

    def add(self, line: ImportedLine, judge: PlannedJudge | None) -> None:
        self.lines.append(line)
        if line.response is not None and line.response.text is not None:
            self._characters += len(line.response.text)
        if judge is not None and line.annotations:
            self.judges[line.protocol, judge.hash] = judge


class _Import:
    """One import at work."""

    def __init__(
        self,
        *,
        run: ImportRun,
        path: Path,
        sources: Sequence[ImportSource],
        selection: Selection,
        say: Say,
    ) -> None:
        self._run = run
        self._path = path
        self._sources = sources
        self._reader = LineReader(
            selection=selection,
            planned_targets=run.planned_targets,
            materials_of=run.protocol_materials,
        )
        self._say = say
        self._report = ImportReport(store=path)
        self._protocols: dict[str, None] = {}
        """Protocols of all lines that fit, in the order in which they came."""
        self._annotated: set[tuple[str, str]] = set()
        """(protocol, task) of all annotations that the files bring."""

    def validated(self) -> ImportReport:
        """What would be rejected of the whole; nothing is written."""
        report = ImportReport(store=self._path)
        try:
            for _ in self._checked(report, limit=None):
                pass
        finally:
            report.say_rest(self._say)
        report.taken = 0
        return report

    def check_targets(self) -> None:
        """Raise UsageError for the first line with a target that the store's own run plans."""
        for source, number, raw in self._lines():
            try:
                self._reader.wanted(raw)
            except Rejected:
                continue
            except UsageError as error:
                raise _at(source, number, error) from None

    async def carry_out(self, *, limit: int | None, judge: bool) -> ImportReport:
        """Take the lines, judge and count."""
        store = ImportStore(self._run, self._path, say=self._say)
        try:
            await self._take(store, limit)
            if judge and self._protocols:
                await store.conclude(self._protocols, annotated=self._annotated)
                self._report.stopped = store.stopped
            store.is_done = True
        finally:
            await store.close()
        return self._report

    def _lines(self) -> Iterator[tuple[ImportSource, int, bytes | None]]:
        found = ((source, *line) for source in self._sources for line in source.lines())
        first = next(found, None)
        if first is None:
            names = ", ".join(source.name for source in self._sources)
            raise UsageError(f"{names}: no line to import; allowed: one JSON object a line")
        yield from chain([first], found)

    def _checked(
        self, report: ImportReport, *, limit: int | None
    ) -> Iterator[tuple[str, CheckedLine, ImportedLine | None] | None]:
        """(file, line, what of it is new) of each line that fits; None for one that does not.

        Lines that do not fit are reported, those that are not wanted are counted.
        """
        before = connect(self._path, read_only=True) if self._run.has_imports else None
        try:
            with closing(SeenLines(before)) as seen:
                for source, number, raw in self._lines():
                    if limit is not None and report.taken >= limit:
                        return
                    try:
                        checked = self._reader.read(number, raw)
                        fresh = seen.what_is_new(checked, source.name) if checked else None
                    except Rejected as error:
                        report.reject(source.name, number, error, self._say)
                        yield None
                        continue
                    except UsageError as error:
                        raise _at(source, number, error) from None
                    if checked is None:
                        report.left_out += 1
                        yield None
                        continue
                    report.taken += fresh is not None
                    report.known += fresh is None
                    yield source.name, checked, fresh
        finally:
            if before is not None:
                before.close()

    async def _take(self, store: ImportStore, limit: int | None) -> None:
        block = _Block("")
        try:
            for count, line in enumerate(self._checked(self._report, limit=limit), start=1):
                if count % _BEFORE_OTHERS == 0:
                    await asyncio.sleep(0)
                if line is None:
                    continue
                source, checked, fresh = line
                self._note(checked)
                if fresh is None:
                    continue
                if block.is_full or (block.lines and block.source != source):
                    await self._write(store, block)
                    block = _Block(source)
                block.source = source
                block.add(fresh, checked.judge)
        finally:
            self._report.say_rest(self._say)
        if block.lines:
            await self._write(store, block)

    async def _write(self, store: ImportStore, block: _Block) -> None:
        await store.write(
            block.source,
            block.lines,
            judges=list(block.judges.values()),
            protocols=self._protocols,
        )

    def _note(self, checked: CheckedLine) -> None:
        self._protocols.setdefault(checked.line.protocol)
        if checked.task is not None:
            self._annotated.add((checked.line.protocol, checked.task))
        self._report.note_unknown(checked.unknown_fields)


def _at(source: ImportSource, number: int, error: UsageError) -> UsageError:
    where = f"{source.name}:{number}"
    return UsageError(f"{where}: {error.message}", where=where, hint=error.hint)
