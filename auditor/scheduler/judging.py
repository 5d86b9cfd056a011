"""Starting a run's judges: each follows what it reads, and ends after all that makes it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from agents.judge import JudgeAgent
from agents.judges.command_judge import GRACE_SECONDS
from agents.judges.model.appointment import Appointment, RunMeans
from agents.model_judge import ModelJudgeAgent
from auditor.endpoints import Endpoint, Prices
from auditor.errors import AuditorError
from auditor.scheduler.judge_plan import JudgeWork, ModelWork
from auditor.scheduler.part import JudgePart
from auditor.scheduler.plan import Plan
from auditor.store.store import Store


class Follower(Protocol):
    """An agent that works until what it follows has ended."""

    @property
    def stopped_by(self) -> AuditorError | None:
        """The error that ended it before it was through, or None."""
        ...

    async def run(self) -> None:
        """Work to the end."""
        ...


class Judging:
    """The judges of one run, or (`part`) some of them."""

    def __init__(
        self,
        plan: Plan,
        means: RunMeans,
        endpoints: Mapping[str, Endpoint],
        prices: Mapping[str, Prices],
        part: JudgePart | None = None,
    ) -> None:
        self._works = plan.judges if part is None else part.works
        self._means = means
        self._endpoints = endpoints
        self._prices = prices
        self._part = part
        self._agents: list[tuple[str, Follower]] = []
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def stopped(self) -> list[str]:
        """A sentence for each judge that had to end before it was through."""
        return [
            f"judge {name}: stopped: {agent.stopped_by.message}"
            for name, agent in self._agents
            if agent.stopped_by is not None
        ]

    async def load(self) -> None:
        """Load what judges that are models need, while nothing else waits for the event loop."""
        if any(isinstance(work, ModelWork) for work in self._works):
            await asyncio.to_thread(import_module, "agents.judges.model.asking")

    def start(self, group: asyncio.TaskGroup, generated: asyncio.Event) -> None:
        """Start every judge; one that reads a task ends after all judges of that task."""
        done: dict[str, list[asyncio.Event]] = defaultdict(list)
        for work in self._works:
            own = asyncio.Event()
            upstream = generated if work.reads is None else _all_of(group, done[work.reads])
            done[work.record.task].append(own)
            agent = self._agent(work, upstream)
            self._tasks.append(group.create_task(_then_set(agent, own)))
            self._agents.append((f"{work.record.task}/{work.record.label}", agent))

    @property
    def waiting(self) -> list[str]:
        """What judges with programs of their own are waiting for, a phrase for each."""
        return [
            f"judge {name}, which is waiting for {agent.waits_for}, has up to {GRACE_SECONDS:g} s"
            for name, agent in self._agents
            if isinstance(agent, JudgeAgent) and agent.waits_for is not None
        ]

    def hurry(self) -> None:
        """Let no program of a judge keep a user who wants to stop; what it leaves stays open."""
        for _, agent in self._agents:
            if isinstance(agent, JudgeAgent):
                agent.hurry(GRACE_SECONDS)

    def cancel(self) -> None:
        """Cut off every judge. The outcome of calls in flight is recorded as unknown."""
        for task in self._tasks:
            task.cancel()

    def _agent(self, work: JudgeWork, upstream_done: asyncio.Event) -> Follower:
        judge_id = _judge_id(self._means.store, work)
        limit = None if self._part is None else self._part.limit_of(work)
        if isinstance(work, ModelWork):
            return ModelJudgeAgent(
                Appointment(
                    judge=work.judge,
                    name=work.record.label,
                    judge_id=judge_id,
                    judge_hash=work.record.hash,
                    endpoint=self._endpoints[work.endpoint],
                    prices=self._prices[work.endpoint],
                    reads=work.reads,
                    truth=work.truth,
                    limit=limit,
                ),
                self._means,
                upstream_done=upstream_done,
            )
        return JudgeAgent(
            work.judge,
            name=work.record.label,
            judge_id=judge_id,
            store=self._means.store,
            reads=work.reads,
            upstream_done=upstream_done,
            limit=limit,
            # What a run has paid for is judged in any case; this is cheap work by itself.
            stop=None if self._part is None else self._means.shutdown.draining,
        )


def _judge_id(store: Store, work: JudgeWork) -> int:
    row = store.reader.execute(
        "SELECT id FROM judges WHERE hash = ?", (work.record.hash,)
    ).fetchone()
    return int(row[0])


async def _then_set(agent: Follower, done: asyncio.Event) -> None:
    try:
        await agent.run()
    finally:
        # Also when it is cut off: those that read it must not wait for ever.
        done.set()


def _all_of(group: asyncio.TaskGroup, events: list[asyncio.Event]) -> asyncio.Event:
    """An event that is set once all of these are."""
    combined = asyncio.Event()

    async def wait() -> None:
        for event in events:
            await event.wait()
        combined.set()

    group.create_task(wait())
    return combined
