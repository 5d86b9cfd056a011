"""Carrying out a plan: starts the agents, waits for them, and says how it ended."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agents.generator import Generator, TrialLimit
from agents.jobs import Assignment
from agents.judges.model.appointment import RunMeans
from agents.shutdown import Ending, Shutdown
from auditor.endpoints import Budget, Endpoint, Prices
from auditor.errors import UsageError
from auditor.scheduler.abandonable import unless
from auditor.scheduler.gauges import post_gauges, report_gauges
from auditor.scheduler.interrupts import EXIT_INTERRUPTED, Interrupts, leave_at_once
from auditor.scheduler.judging import Judging
from auditor.scheduler.left_out import (
    Reasons,
    check_any_left,
    found_out,
    said_once,
    sentences,
)
from auditor.scheduler.opening import open_endpoint
from auditor.scheduler.part import Part
from auditor.scheduler.plan import Plan
from auditor.scheduler.profiles import check_judges, check_parameters, probe_targets
from auditor.scheduler.refresh import append_statistics, compute_statistics
from auditor.scheduler.unknown_calls import record_unknown_calls
from auditor.spec.model import Budget as SpecBudget
from auditor.spec.model import Target
from auditor.store.calls import recent_calls, spent
from auditor.store.connection import connect
from auditor.store.plan import SCHEDULER
from auditor.store.progress import snapshot
from auditor.store.records import LeftOut
from auditor.store.status import Snapshot
from auditor.store.store import Store
from auditor.types import Cell

EXIT_CODES = {
    Ending.COMPLETE: 0,
    Ending.INCOMPLETE: 1,
    Ending.BUDGET: 3,
    Ending.INTERRUPTED: EXIT_INTERRUPTED,
}


@dataclass(frozen=True, kw_only=True)
class AuditEnd:
    """How a run's process ended."""

    ending: Ending
    progress: Snapshot
    excess: str | None
    """A call used more than was reserved for it; None if none did."""
    stopped: tuple[str, ...] = ()
    """A sentence for each judge that had to end before it was through."""

    @property
    def exit_code(self) -> int:
        """0 complete, 1 failures above the tolerance, 3 budget, 130 interrupted."""
        return EXIT_CODES[self.ending]


class Audit:
    """One process's work on one store. The caller holds the store's lock (`epoch`)."""

    def __init__(
        self,
        plan: Plan,
        path: Path,
        epoch: int,
        *,
        say: Callable[[str], None],
        part: Part | None = None,
        probes: bool = True,
        purse: SpecBudget | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`purse`: limits for this process alone; None: the run's, what was spent counted in."""
        self.shutdown = Shutdown()
        self._plan = plan
        self._path = path
        self._epoch = epoch
        self._say = say
        self._part = part or Part()
        self._probes = probes
        self._environ = environ
        self._endpoints: dict[str, Endpoint] = {}
        self._prices: dict[str, Prices] = {}
        self._has_purse = purse is not None
        limits = purse or plan.spec.budget
        self._budget = Budget(usd=limits.usd, calls=limits.calls, tokens=limits.tokens)
        self._caps_output = limits.needs_cap
        self._generators: list[Generator] = []
        self._workers: list[asyncio.Task[None]] = []
        self._left_out: Reasons = {}
        self._judging: Judging | None = None

    async def run(self) -> AuditEnd:
        """Carry the plan out as far as it goes. Raises StoreError if the store fails."""
        store = Store(self._path, self._epoch)
        ending = Ending.INCOMPLETE
        # Heard until the store is closed: its last commit may wait for another program's lock.
        with Interrupts(
            self.shutdown,
            cancel=self._cancel,
            say=self._say,
            longest_seconds=self._longest_seconds,
            hurry=self._hurry,
            leave=leave_at_once,
        ) as interrupts:
            try:
                await self._prepare(store)
                await self._work(store)
                ending = self._ending(snapshot(store.reader))
                if not await self._write_statistics(store, interrupts.pressed):
                    ending = Ending.INTERRUPTED
            finally:
                try:
                    for endpoint in self._endpoints.values():
                        await endpoint.close()
                finally:
                    # Whatever happens, the lock is given back and the writer's thread ends.
                    await store.close(ending)
        return AuditEnd(
            ending=ending,
            progress=_progress(self._path),
            excess=self.shutdown.excess,
            stopped=tuple(self._judging.stopped) if self._judging else (),
        )

    # -- before the first call ---------------------------------------------------------------

    async def _prepare(self, store: Store) -> None:
        await record_unknown_calls(store, self._epoch)
        if not self._has_purse:
            usd, calls, tokens = spent(store.reader)
            self._budget.restore(calls=calls, tokens=tokens, usd=usd)
        spec = self._plan.spec
        for name in self._part.endpoints_of(spec):
            config = spec.endpoints[name]
            endpoint = open_endpoint(
                config, seed=spec.seed, environ=self._environ, connection=store.reader
            )
            endpoint.seed_history(
                recent_calls(store.reader, store.endpoint_id(name), now=time.time())
            )
            self._endpoints[name] = endpoint
            self._prices[name] = Prices(config)
        if self._probes:
            await self._probe(store)
        if not self.shutdown.is_draining:
            if self._part.judges is None:
                await self._leave_out(store)
            work = (
                (target, self._cells(target, 0))
                for target in self._part.targets_of(self._plan.spec)
            )
            check_parameters(self._plan.spec.source, work, store.reader)
            judges = self._part.judges_of(self._plan.spec)
            check_judges(self._plan.spec.source, judges, store.reader)

    async def _leave_out(self, store: Store) -> None:
        """Pass over targets that give nothing that a protocol could read, and say so.

        Raises UsageError where nothing would be left of what this process is to do.
        """
        plan, part = self._plan, self._part
        protocols = [
            protocol
            for name, (protocol, _) in plan.protocols.items()
            if part.protocols is None or name in part.protocols
        ]
        targets = part.targets_of(plan.spec)
        found = found_out(targets, protocols, store.reader)
        asked = {(target.name, protocol.name) for target in targets for protocol in protocols}
        reasons = {pair: why for pair, why in {**plan.left_out, **found}.items() if pair in asked}
        check_any_left(plan.spec.source, targets, protocols, reasons)
        self._left_out = found
        for message in said_once(reasons):
            self._say(message)
        for (target, name), message in sentences(reasons).items():
            await store.append(
                LeftOut(
                    agent_id=store.agent_id(SCHEDULER),
                    target=target,
                    protocol=name,
                    message=message,
                )
            )

    async def _probe(self, store: Store) -> None:
        """Ask models what they take; a user who has had enough need not wait for it.

        Raises UsageError where one that is to run in this process cannot be loaded.
        """
        probing = asyncio.ensure_future(
            probe_targets(
                self._part.targets_of(self._plan.spec),
                self._endpoints,
                self._prices,
                self._budget,
                store,
                say=self._say,
                judges=self._part.judges_of(self._plan.spec),
            )
        )
        draining = asyncio.ensure_future(self.shutdown.draining.wait())
        try:
            await asyncio.wait((probing, draining), return_when=asyncio.FIRST_COMPLETED)
            if probing.done():
                absent = [found.error for found in probing.result() if found.is_absent]
                if absent:
                    raise UsageError(f"{self._plan.spec.source}: {'; '.join(map(str, absent))}")
        finally:
            draining.cancel()
            probing.cancel()
            await asyncio.wait((probing,))

    # -- the work ----------------------------------------------------------------------------

    async def _work(self, store: Store) -> None:
        judging = self._judging = Judging(
            self._plan, self._means(store), self._endpoints, self._prices, self._part.judges
        )
        await judging.load()
        generated = asyncio.Event()
        gauges = asyncio.create_task(report_gauges(store, self._endpoints.values()))
        draining = asyncio.create_task(self._drain_endpoints())
        try:
            async with asyncio.TaskGroup() as group:
                self._generators = self._make_generators(store)
                self._workers = [group.create_task(g.run()) for g in self._generators]
                judging.start(group, generated)
                if self._workers:
                    await asyncio.wait(self._workers)
                generated.set()
        except ExceptionGroup as errors:
            # One cause ends everything else; the first one is what the user must read.
            raise _first(errors) from errors
        finally:
            gauges.cancel()
            draining.cancel()
            if not store.has_failed:
                post_gauges(store, self._endpoints.values())

    def _make_generators(self, store: Store) -> list[Generator]:
        trials = self._part.trials
        limit = None if trials is None else TrialLimit(trials)
        return [
            self._generator(store, target, limit)
            for target in self._part.targets_of(self._plan.spec)
        ]

    def _means(self, store: Store) -> RunMeans:
        return RunMeans(
            store=store,
            budget=self._budget,
            caps_output=self._caps_output,
            shutdown=self.shutdown,
            seed=self._plan.spec.seed,
        )

    def _cells(self, target: Target, place: int) -> Iterator[Cell]:
        wanted = self._part.protocols
        cells = self._plan.cells(target, place)
        out = {name for left, name in self._left_out if left == target.name}
        if wanted is None and not out:
            return cells
        return (
            cell
            for cell in cells
            if (wanted is None or cell.protocol in wanted) and cell.protocol not in out
        )

    def _generator(self, store: Store, target: Target, limit: TrialLimit | None) -> Generator:
        plan = self._plan
        return Generator(
            Assignment(
                target=target.name,
                endpoint_name=target.endpoint,
                cells=lambda place: self._cells(target, place),
                simulate=plan.simulate if target.simulated else None,
                samples_per_request=target.samples_per_request,
                default_max_tokens=plan.default_max_tokens,
                seed=plan.spec.seed,
            ),
            store=store,
            endpoint=self._endpoints[target.endpoint],
            budget=self._budget,
            caps_output=plan.caps_output,
            prices=self._prices[target.endpoint],
            shutdown=self.shutdown,
            limit=limit,
        )

    async def _drain_endpoints(self) -> None:
        await self.shutdown.draining.wait()
        for endpoint in self._endpoints.values():
            endpoint.drain()

    def _cancel(self) -> None:
        for task in self._workers:
            task.cancel()
        if self._judging is not None:
            self._judging.cancel()

    def _hurry(self) -> list[str]:
        """Give programs of judges a short grace; what they are asked, in phrases."""
        if self._judging is None:
            return []
        waiting = self._judging.waiting
        self._judging.hurry()
        return waiting

    def _longest_seconds(self) -> float:
        """How long a call that is under way may still take; 0 where there is none."""
        busy = [e for e in self._endpoints.values() if e.gauge().in_flight]
        return max((endpoint.config.longest_seconds for endpoint in busy), default=0.0)

    # -- after the last call -----------------------------------------------------------------

    def _ending(self, progress: Snapshot) -> Ending:
        if self.shutdown.ending is not None:
            return self.shutdown.ending
        if self._judging is not None and self._judging.stopped:
            return Ending.INCOMPLETE
        if self._part.judges is not None:
            failed = self._part.judges.undone(progress.judges)
            planned = self._part.judges.planned(progress.judges)
            is_good = failed <= self._plan.spec.max_failure_rate * planned
            return Ending.COMPLETE if is_good else Ending.INCOMPLETE
        # What a part leaves out is not missing, unless a target had to stop.
        is_cut_short = self._part.is_whole or any(g.stopped_by for g in self._generators)
        missing = progress.planned - progress.responses if is_cut_short else progress.failures
        failed = missing + sum(judge.failed + judge.lag for judge in progress.judges)
        tolerated = self._plan.spec.max_failure_rate * progress.planned
        if failed <= tolerated:
            return Ending.COMPLETE
        return Ending.INCOMPLETE

    async def _write_statistics(self, store: Store, interrupted: asyncio.Event) -> bool:
        """Whether they were computed; they are left where the user has had enough."""
        rows = await unless(
            interrupted, lambda: compute_statistics(self._path, self._plan), name="statistics"
        )
        if rows is None:
            return False
        await append_statistics(store, rows)
        return True


def _progress(path: Path) -> Snapshot:
    """How far the run is, read after its lock was given back: nobody runs it any more."""
    connection = connect(path, read_only=True)
    try:
        return snapshot(connection)
    finally:
        connection.close()


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
