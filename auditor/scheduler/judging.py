"""Starting a run's judges: each follows what it reads, and ends after all that makes it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from agents.judge import JudgeAgent
from agents.judges.model.appointment import Appointment, RunMeans
from agents.model_judge import ModelJudgeAgent
from auditor.endpoints import Endpoint, Prices
from auditor.errors import EndpointError
from auditor.scheduler.judge_plan import JudgeWork, ModelWork
from auditor.scheduler.plan import Plan
from auditor.store.store import Store


class Follower(Protocol):
    """An agent that works until what it follows has ended."""

    async def run(self) -> None:
        """Work to the end."""
        ...


class Judging:
    """The judges of one run."""

    def __init__(
        self,
        plan: Plan,
        means: RunMeans,
        endpoints: Mapping[str, Endpoint],
        prices: Mapping[str, Prices],
    ) -> None:
        self._plan = plan
        self._means = means
        self._endpoints = endpoints
        self._prices = prices
        self._models: list[ModelJudgeAgent] = []
        self._calling: list[asyncio.Task[None]] = []

    @property
    def stopped_by(self) -> list[EndpointError]:
        """Errors that ended judges before they were through."""
        return [agent.stopped_by for agent in self._models if agent.stopped_by is not None]

    async def load(self) -> None:
        """Load what judges that are models need, while nothing else waits for the event loop."""
        if self._plan.model_judges:
            await asyncio.to_thread(import_module, "agents.judges.model.asking")

    def start(self, group: asyncio.TaskGroup, generated: asyncio.Event) -> None:
        """Start every judge; one that reads a task ends after all judges of that task."""
        done: dict[str, list[asyncio.Event]] = defaultdict(list)
        for work in self._plan.judges:
            own = asyncio.Event()
            upstream = generated if work.reads is None else _all_of(group, done[work.reads])
            done[work.record.task].append(own)
            agent = self._agent(work, upstream)
            task = group.create_task(_then_set(agent, own))
            if isinstance(agent, ModelJudgeAgent):
                self._models.append(agent)
                self._calling.append(task)

    def cancel(self) -> None:
        """Cut off what is in flight; its outcome is recorded as unknown."""
        for task in self._calling:
            task.cancel()

    def _agent(self, work: JudgeWork, upstream_done: asyncio.Event) -> Follower:
        judge_id = _judge_id(self._means.store, work)
        if isinstance(work, ModelWork):
            return ModelJudgeAgent(
                Appointment(
                    judge=work.judge,
                    name=work.record.name,
                    judge_id=judge_id,
                    judge_hash=work.record.hash,
                    endpoint=self._endpoints[work.endpoint],
                    prices=self._prices[work.endpoint],
                    reads=work.reads,
                    truth=work.truth,
                ),
                self._means,
                upstream_done=upstream_done,
            )
        return JudgeAgent(
            work.judge,
            name=work.record.name,
            judge_id=judge_id,
            store=self._means.store,
            reads=work.reads,
            upstream_done=upstream_done,
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
