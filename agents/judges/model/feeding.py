"""From what a judge reads to the exchanges that its workers take: in order, in blocks, bounded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

from agents.following import first_of
from agents.job_queue import JobQueue
from agents.judges.base import Verdict
from agents.judges.model.calls import JudgeCalls
from agents.judges.model.exchange import Exchange
from agents.judges.model.journal import JudgeJournal
from agents.judges.model.judge import ModelJudge
from agents.judges.model.pairs import Pairs
from agents.judges.model.progress import Frontier
from agents.judges.model.subject import Subject, alone
from agents.shutdown import Shutdown
from auditor.endpoints import Budget
from auditor.store.sources import Source, sources_to_judge
from auditor.store.store import Store
from auditor.store.subjects import stored_parts

_BUDGET_POLL_SECONDS = 0.1


class SourceFeed:
    """Takes up sources, reserves their first call, journals them, and queues their exchanges.

    Sources at which an earlier run failed come first. A judge of pairs takes up both with the one
    that came last.

    Args:
        block: sources taken up at once: the calls that the endpoint allows.
        refuse: settles what the judge does not send, as a text that is too long.
        pass_by: settles a source that is taken up with the other one of its pair.
        miss: counts sources whose other one has not come.
        limit: sources taken up at most, both of a pair counted; None: all.
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
        judge: ModelJudge,
        refuse: Callable[[Sequence[tuple[Source, Verdict]]], Awaitable[None]],
        pass_by: Callable[[Source], None],
        miss: Callable[[Sequence[Source]], Awaitable[None]],
        budget: Budget,
        shutdown: Shutdown,
        stopped: asyncio.Event,
        upstream_done: asyncio.Event,
        limit: int | None = None,
    ) -> None:
        self._jobs = jobs
        self._frontier = frontier
        self._calls = calls
        self._journal = journal
        self._store = store
        self._judge_id = judge_id
        self._reads = reads
        self._block = block
        self._judge = judge
        self._pairs = None if judge.pairing is None else Pairs(store, judge, judge_id)
        self._refuse = refuse
        self._pass_by = pass_by
        self._miss = miss
        self._budget = budget
        self._shutdown = shutdown
        self._stopped = stopped
        self._upstream_done = upstream_done
        self._left = limit

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
            elif is_last_look or self._left == 0:
                await self._leave_lone()
                return
            else:
                await first_of(woken, self._upstream_done, self._shutdown.draining, self._stopped)

    def _sources(self, after: int, *, failed_until: int | None = None) -> list[Source]:
        sources = sources_to_judge(
            self._store.reader,
            self._judge_id,
            after=after,
            limit=self._block if self._left is None else min(self._block, self._left),
            reads=self._reads,
            failed_until=failed_until,
            sees=self._judge.sees,
        )
        if self._left is not None and self._pairs is None:
            self._left -= len(sources)
        return sources

    @property
    def _is_over(self) -> bool:
        return self._shutdown.is_draining or self._stopped.is_set()

    async def _hand_over(self, sources: Sequence[Source]) -> None:
        """Take up sources as far as the budget reaches."""
        block: list[Exchange] = []
        for subject in await self._subjects(sources):
            obstacle = self._judge.obstacle(subject)
            if obstacle:
                await self._refuse([(each, obstacle[each.seq]) for each in subject.open])
                continue
            exchange = self._open(subject)
            if not self._calls.reserve(exchange):
                await self._queue(block)
                block = []
                if not await self._reserve_later(exchange):
                    return
            block.append(exchange)
        await self._queue(block)

    async def _subjects(self, sources: Sequence[Source]) -> list[Subject]:
        """What the judge is asked about now, of these sources."""
        if self._pairs is None:
            return [alone(source) for source in sources]
        found: list[Subject] = []
        for source in sources:
            pair = self._pairs.of(source)
            if self._left == 0:
                break
            if isinstance(pair, Verdict):
                await self._refuse([(source, pair)])
                self._left = None if self._left is None else self._left - 1
            elif pair is None:
                self._pass_by(source)
            elif self._left is not None and self._left < len(pair.open):
                self._left = 0
                break
            else:
                found.append(pair)
                self._left = None if self._left is None else self._left - len(pair.open)
        return found

    async def _leave_lone(self) -> None:
        """At the end: settle the sources whose other one has no text, count those without any."""
        if self._pairs is None or self._left == 0:
            return
        after = 0
        while not self._is_over and self._left != 0 and (sources := self._sources(after)):
            after = sources[-1].seq
            lone = [each for each in sources if self._pairs.is_missed(each)]
            if lone:
                await self._miss(lone)
            textless = [(each, self._pairs.of(each)) for each in sources if each not in lone]
            refused = [(each, found) for each, found in textless if isinstance(found, Verdict)]
            if self._left is not None:
                refused = refused[: self._left]
                self._left -= len(refused)
            if refused:
                await self._refuse(refused)

    def _open(self, subject: Subject) -> Exchange:
        """The exchange about a subject, behind what an earlier run has paid for of it."""
        if not self._judge.asks_in_parts:
            return self._calls.open(subject)
        stored = [
            stored_parts(self._store.reader, self._judge_id, source.seq) for source in subject.shown
        ]
        answered: list[tuple[Verdict, ...]] = []
        while all(len(answered) + 1 in parts for parts in stored):
            said = [parts[len(answered) + 1] for parts in stored]
            answered.append(tuple(Verdict(part.valid, part.value, part.reason) for part in said))
        return self._calls.open(subject, answered)

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
