"""The store that an import writes: opened when there is something to write, then concluded."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from agents import statistician
from agents.judge import JudgeAgent
from auditor.importing.report import Say
from auditor.importing.run import ImportRun
from auditor.scheduler.opening import hold_store, let_go, remove_store
from auditor.scheduler.plan import OfflineWork, versions
from auditor.store import plan as stored
from auditor.store import sources
from auditor.store.connection import connect
from auditor.store.lock import last_holder
from auditor.store.plan import STATISTICIAN, PlannedJudge
from auditor.store.records import Imported, ImportedLine, Results
from auditor.store.results import ResultRow, is_current
from auditor.store.store import Store

_AGENT = "import"


class ImportStore:
    """Writes blocks of lines, then lets judges and statistics run.

    Nothing is created and no lock is taken before the first block, or the conclusion.
    """

    def __init__(self, run: ImportRun, path: Path, *, say: Say) -> None:
        self.is_done = False
        """Whether everything that was to be done is done."""
        self._run = run
        self._path = path
        self._say = say
        self._store: Store | None = None
        self._known: set[str] = set()
        self._former_ending: str | None = None
        self._pending: asyncio.Future[int] | None = None

    async def write(
        self,
        source: str,
        lines: Sequence[ImportedLine],
        *,
        judges: Sequence[PlannedJudge],
        protocols: Collection[str],
    ) -> None:
        """Store one block of a file; `protocols` are those of all lines until here."""
        store = self._opened(protocols)
        has_come = set(protocols) - self._known
        self._known |= has_come
        await self._settle()
        # Committed while the next lines are read; they may add to these trials only then.
        self._pending = store.append(
            Imported(
                agent=f"{_AGENT}:{source}",
                lines=lines,
                judges=judges,
                materials=self._run.materials(has_come),
                spec=self._grown_spec(store, protocols) if has_come else None,
            )
        )

    async def _settle(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            await pending

    async def conclude(
        self, protocols: Collection[str], *, annotated: Collection[tuple[str, str]]
    ) -> None:
        """Run the offline judges, but of tasks that the files brought, and the statistics."""
        store = self._opened(protocols)
        await self._settle()
        judges = [
            work
            for work in self._run.offline_judges(protocols)
            if not any((name, work.record.task) in annotated for name in work.record.protocols)
        ]
        await self._plan_judges(store, judges)
        for work in judges:
            await self._judge(store, work)
        if not is_current(store.reader):
            rows = await asyncio.to_thread(self._statistics, protocols)
            agent = store.agent_id(STATISTICIAN)
            await store.append(Results(agent_id=agent, rows=rows, versions=versions()))

    async def close(self) -> None:
        """Give the lock back, if it was taken; how a run of the store ended stays as it was."""
        if self._store is None:
            return
        if self.is_done:
            await self._settle()
        elif self._pending is not None:
            # The store's own failure is raised below; this is not a second one.
            self._pending.add_done_callback(lambda commit: commit.cancelled() or commit.exception())
        ending = (self._former_ending or "complete") if self.is_done else "interrupted"
        await self._store.close("incomplete" if self._store.has_failed else ending)

    def _opened(self, protocols: Iterable[str]) -> Store:
        if self._store is not None:
            return self._store
        is_new = not stored.exists(self._path)
        if not is_new:
            self._former_ending = self._ending()
        epoch = hold_store(self._path, say=self._say)
        try:
            if not self._run.is_stored:
                stored.write_plan(self._path, epoch, self._run.record(protocols), ())
            self._store = Store(self._path, epoch)
        except BaseException:
            let_go(self._path, epoch, "incomplete")
            if is_new:
                remove_store(self._path)
            raise
        return self._store

    def _ending(self) -> str | None:
        connection = connect(self._path, read_only=True)
        try:
            holder = last_holder(connection)
        finally:
            connection.close()
        return None if holder is None else holder.ending

    def _grown_spec(self, store: Store, protocols: Iterable[str]) -> str | None:
        """The spec with the protocols that have come, where it is made of defaults."""
        if self._run.spec is not None:
            return None
        text = self._run.spec_of(protocols).text
        (before,) = store.reader.execute("SELECT spec FROM runs").fetchone()
        return None if text == before else text

    async def _plan_judges(self, store: Store, judges: Iterable[OfflineWork]) -> None:
        planned = set(
            store.reader.execute(
                "SELECT p.protocol, j.hash FROM planned_judges p"
                " JOIN judges j ON j.id = p.judge_id WHERE p.origin = 'imported'"
            )
        )
        missing = [
            work.record
            for work in judges
            if not {(name, work.record.hash) for name in work.record.protocols} <= planned
        ]
        if missing:
            await store.append(Imported(agent=_AGENT, judges=missing))

    async def _judge(self, store: Store, work: OfflineWork) -> None:
        (number,) = store.reader.execute(
            "SELECT id FROM judges WHERE hash = ?", (work.record.hash,)
        ).fetchone()
        # Nothing more comes: all answers are there, and a judge that is read ran before.
        everything_is_there = asyncio.Event()
        everything_is_there.set()
        await JudgeAgent(
            work.judge,
            name=work.record.name,
            judge_id=number,
            store=store,
            reads=work.reads,
            upstream_done=everything_is_there,
        ).run()

    def _statistics(self, protocols: Iterable[str]) -> list[ResultRow]:
        connection = connect(self._path, read_only=True)
        try:
            return statistician.compute(
                connection,
                self._run.spec_of(protocols).protocols,
                {**self._run.materials(protocols), **sources.materials(connection)},
            )
        finally:
            connection.close()
