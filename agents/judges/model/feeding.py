"""From what a judge reads to the exchanges that its workers take: in order, in blocks, bounded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

from agents.following import first_of
from agents.job_queue import JobQueue
from agents.judges.model.calls import JudgeCalls
from agents.judges.model.exchange import Exchange
from agents.judges.model.journal import JudgeJournal
from agents.judges.model.progress import Frontier
from agents.shutdown import Shutdown
from auditor.endpoints import Budget
from auditor.store.sources import Source, sources_to_judge
from auditor.store.store import Store

_BUDGET_POLL_SECONDS = 0.1


class SourceFeed:
    """Takes up sources, reserves their first call, journals them, and queues their exchanges.

    Sources at which an earlier run failed come first.

    Args:
        block: sources taken up at once: the calls that the endpoint allows.
        longest: characters of a text that is sent; `refuse` settles a longer one without a call.
        stopped: set when the judge takes up nothing more.
    """

    def __init__(
        self,
        jobs: JobQueue[Exchange],
        frontier: Frontier,
        calls: JudgeCalls,
        journal: JudgeJournal,
        *,
        store: Store,
        judge_id: int,
        reads: str | None,
        block: int,
        longest: int,
        refuse: Callable[[Source], Awaitable[None]],
        budget: Budget,
        shutdown: Shutdown,
        stopped: asyncio.Event,
        upstream_done: asyncio.Event,
    ) -> None:
        self._jobs = jobs
        self._frontier = frontier
        self._calls = calls
        self._journal = journal
        self._store = store
        self._judge_id = judge_id
        self._reads = reads
        self._block = block
        self._longest = longest
        self._refuse = refuse
        self._budget = budget
        self._shutdown = shutdown
        self._stopped = stopped
        self._upstream_done = upstream_done

    async def run(self) -> None:
        """Feed until those that make sources have ended, or nothing more is to be sent."""
        try:
            await self._feed_failed(until=self._frontier.checkpoint)
            await self._follow()
        finally:
            self._jobs.close()

    async def _feed_failed(self, *, until: int) -> None:
        after = 0
        while not self._is_over:
            sources = self._sources(after, failed_until=until)
            if not sources:
                return
            after = sources[-1].seq
            await self._hand_over(sources)

    async def _follow(self) -> None:
        woken = self._store.follow()
        after = self._frontier.checkpoint
        while not self._is_over:
            # The order matters: whatever was committed before the end was told is found below.
            is_last_look = self._upstream_done.is_set()
            woken.clear()
            sources = self._sources(after)
            if sources:
                after = sources[-1].seq
                self._frontier.begin(source.seq for source in sources)
                await self._hand_over(sources)
            elif is_last_look:
                return
            else:
                await first_of(woken, self._upstream_done, self._shutdown.draining, self._stopped)

    def _sources(self, after: int, *, failed_until: int | None = None) -> list[Source]:
        return sources_to_judge(
            self._store.reader,
            self._judge_id,
            after=after,
            limit=self._block,
            reads=self._reads,
            failed_until=failed_until,
        )

    @property
    def _is_over(self) -> bool:
        return self._shutdown.is_draining or self._stopped.is_set()

    async def _hand_over(self, sources: Sequence[Source]) -> None:
        """Take up sources as far as the budget reaches."""
        block: list[Exchange] = []
        for source in sources:
            if len(source.text) > self._longest:
                await self._refuse(source)
                continue
            exchange = self._calls.open(source)
            if not self._calls.reserve(exchange):
                await self._queue(block)
                block = []
                if not await self._reserve_later(exchange):
                    return
            block.append(exchange)
        await self._queue(block)

    async def _reserve_later(self, exchange: Exchange) -> bool:
        """Wait until calls under way give back enough of their reservations; False if never."""
        while self._budget.open_reservations and not self._is_over:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_BUDGET_POLL_SECONDS):
                    await first_of(self._shutdown.draining, self._stopped)
            if self._calls.reserve(exchange):
                return True
        if not self._is_over:
            self._shutdown.budget_spent(self._budget.excess)
        return False

    async def _queue(self, block: Sequence[Exchange]) -> None:
        """Journal a block, then give it to the workers as they come free."""
        taken = 0
        try:
            if block and not self._is_over:
                await self._journal.announce(block)
                while taken < len(block) and await self._jobs.put(block[taken]):
                    taken += 1
        finally:
            # Stopped or cancelled: what no worker will get is not in flight.
            self._calls.withdraw(block[taken:])
