"""The store that an import writes: opened when there is something to write, then concluded."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from agents import statistician
from agents.judge import JudgeAgent
from agents.judges.command_process import kill_all
from auditor.importing.report import Say
from auditor.importing.run import ImportRun
from auditor.scheduler import spec_place
from auditor.scheduler.opening import last_ending, ready_store
from auditor.scheduler.plan import OfflineWork
from auditor.scheduler.readiness import left_out, remarks
from auditor.scheduler.refresh import append_statistics
from auditor.store import plan as stored
from auditor.store import sources
from auditor.store.connection import connect
from auditor.store.plan_record import PlannedJudge
from auditor.store.records import Imported, ImportedLine
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
        self.stopped: list[str] = []
        """A sentence for each judge that had to end before it was through."""
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
        # In a thread: judges read word lists and hash tables, and the loop has others to serve.
        try:
            offline_judges = await asyncio.to_thread(self._run.offline_judges, protocols)
        except asyncio.CancelledError:
            # A command that is being tried would keep its thread, and so this process.
            kill_all()
            raise
        judges = [
            work
            for work in offline_judges
            if not any((name, work.record.task) in annotated for name in work.record.protocols)
        ]
        for work in judges:
            if not work.record.reads_origin("imported"):
                self._say(f"note: judge {left_out(work)}")
        judges = [work for work in judges if work.record.reads_origin("imported")]
        await self._plan_judges(store, judges)
        for sentence in remarks(tuple(work for work in judges if _has_to_read(store, work))):
            self._say(f"note: {sentence}")
        await self._judge_all(store, judges)
        if not is_current(store.reader):
            rows = await asyncio.to_thread(self._statistics, protocols)
            await append_statistics(store, rows)

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
        is_broken = self._store.has_failed or self.stopped
        await self._store.close("incomplete" if is_broken else ending)

    def _opened(self, protocols: Iterable[str]) -> Store:
        if self._store is not None:
            return self._store
        if stored.exists(self._path):
            self._former_ending = last_ending(self._path)
        with ready_store(self._path, say=self._say) as epoch:
            if not self._run.is_stored:
                record = self._run.record(protocols)
                if record.spec_path is not None:
                    place = spec_place.kept(record.spec_path, self._path)
                    record = replace(record, spec_path=place)
                stored.write_plan(self._path, epoch, record, ())
            self._store = Store(self._path, epoch)
        return self._store

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

    async def _judge_all(self, store: Store, judges: Sequence[OfflineWork]) -> None:
        """Run all judges side by side; one that reads annotations ends after those it reads."""
        ended = {work.record.hash: asyncio.Event() for work in judges}
        try:
            async with asyncio.TaskGroup() as group:
                for work in judges:
                    made_by = [w.record.hash for w in judges if w.record.task == work.reads]
                    upstream_done = asyncio.Event()
                    group.create_task(_set_after([ended[key] for key in made_by], upstream_done))
                    group.create_task(
                        self._judge(store, work, upstream_done, ended[work.record.hash])
                    )
        except ExceptionGroup as errors:
            # One cause ends everything else; the first one is what the user must read.
            raise errors.exceptions[0] from errors

    async def _judge(
        self, store: Store, work: OfflineWork, upstream_done: asyncio.Event, ended: asyncio.Event
    ) -> None:
        agent = JudgeAgent(
            work.judge,
            name=work.record.label,
            judge_id=_judge_id(store, work),
            store=store,
            reads=work.reads,
            upstream_done=upstream_done,
        )
        try:
            await agent.run()
        finally:
            ended.set()
        if agent.stopped_by is not None:
            record, error = work.record, agent.stopped_by
            self.stopped.append(f"judge {record.task}/{record.label}: stopped: {error.message}")
            self._say(self.stopped[-1])

    def _statistics(self, protocols: Iterable[str]) -> list[ResultRow]:
        connection = connect(self._path, read_only=True)
        try:
            spec = self._run.spec_of(protocols)
            return statistician.compute(
                connection,
                spec.protocols,
                {**self._run.materials(protocols), **sources.materials(connection)},
                bases=spec.bases,
            )
        finally:
            connection.close()


def _has_to_read(store: Store, work: OfflineWork) -> bool:
    """Whether a judge will read anything; one that reads annotations may do so, once they come."""
    if work.reads is not None:
        return True
    judge_id = _judge_id(store, work)
    return sources.unjudged(store.reader, judge_id, origin="imported", reads=None, most=1) > 0


def _judge_id(store: Store, work: OfflineWork) -> int:
    query = "SELECT id FROM judges WHERE hash = ?"
    (number,) = store.reader.execute(query, (work.record.hash,)).fetchone()
    return int(number)


async def _set_after(events: Iterable[asyncio.Event], then: asyncio.Event) -> None:
    for event in events:
        await event.wait()
    then.set()
