"""What a judge's exchanges leave in the store: announced, settled, sent again, or left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.judges.model.exchange import Exchange
from auditor.store.records import (
    AnnotationRow,
    Annotations,
    FailureRow,
    Judging,
    JudgingRow,
    JudgingWithdrawal,
)
from auditor.store.store import Store


class JudgeJournal:
    """Stores the calls of one judge, each with what became of its source in one transaction."""

    def __init__(self, store: Store, *, agent_id: int, endpoint_id: int, judge_id: int) -> None:
        self._store = store
        self._agent_id = agent_id
        self._endpoint_id = endpoint_id
        self._judge_id = judge_id

    async def announce(self, exchanges: Sequence[Exchange]) -> None:
        """Journal exchanges before the next call of each."""
        await self._store.append(self._announcement(exchanges))

    def retract(self, exchanges: Sequence[Exchange]) -> None:
        """Post that announced calls were not sent: their outcome is not unknown."""
        if exchanges and not self._store.has_failed:
            self._store.post(
                JudgingWithdrawal(
                    agent_id=self._agent_id,
                    judge_id=self._judge_id,
                    sources=[exchange.source.seq for exchange in exchanges],
                )
            )

    async def settle(
        self,
        exchange: Exchange,
        *,
        annotations: Sequence[AnnotationRow] = (),
        failures: Sequence[FailureRow] = (),
    ) -> None:
        """Store the annotations, or the failures for good, with the call that led to them."""
        if exchange.call is None:
            # Nothing was sent since the last call was stored, or at all.
            await self._store.append(
                Annotations(
                    agent_id=self._agent_id,
                    judge_id=self._judge_id,
                    rows=annotations,
                    failures=failures,
                )
            )
            return
        exchange.call = replace(exchange.call, annotations=annotations, failures=failures)
        await self._store_call(exchange)

    async def keep_part(self, exchange: Exchange, annotations: Sequence[AnnotationRow]) -> None:
        """Store what a question brought with its call; the exchange has turned to the next one."""
        judging = self._announcement([exchange])
        if exchange.call is None:
            await self._store.append(
                Annotations(agent_id=self._agent_id, judge_id=self._judge_id, rows=annotations)
            )
            return
        exchange.call = replace(exchange.call, annotations=annotations, judging=judging)
        await self._store_call(exchange)

    async def go_on(self, exchange: Exchange) -> None:
        """Store a call, if there is one, whose source is sent again."""
        if exchange.call is not None:
            exchange.call = replace(exchange.call, judging=self._announcement([exchange]))
            await self._store_call(exchange)

    async def leave_open(self, exchange: Exchange) -> None:
        """Store a call, if there is one, whose source waits for another run."""
        if exchange.call is None:
            self.retract([exchange])
            return
        exchange.call = replace(exchange.call, unjudged=self._place(exchange))
        await self._store_call(exchange)

    async def cut_off(self, exchange: Exchange) -> None:
        """Cancelled: post what was paid for, and wait for nothing."""
        call, exchange.call = exchange.call, None
        if call is None:
            self.retract([exchange])
        elif not self._store.has_failed:
            self._store.post(replace(call, unjudged=self._place(exchange)))
        await exchange.leave()

    def _announcement(self, exchanges: Sequence[Exchange]) -> Judging:
        return Judging(
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            judge_id=self._judge_id,
            rows=[
                JudgingRow(
                    source=exchange.source.seq,
                    attempt=exchange.attempt,
                    reserved_usd=exchange.estimate.usd,
                    reserved_tokens=exchange.tokens,
                )
                for exchange in exchanges
            ],
        )

    def _place(self, exchange: Exchange) -> tuple[tuple[int, int], ...]:
        return ((self._judge_id, exchange.source.seq),)

    async def _store_call(self, exchange: Exchange) -> None:
        call, exchange.call = exchange.call, None
        assert call is not None
        try:
            await self._store.append(call)
        finally:
            await exchange.leave()
