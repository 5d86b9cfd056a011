"""A judge's calls: each through the endpoint's slots and the budget, each recorded.

A call's slot is held until what came of it is committed, so the calls that a crash can repeat are
never more than those in flight.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from agents import calls
from agents.judges.base import Truth, Verdict
from agents.judges.model.exchange import Exchange, NoRoomError, TurnedAwayError
from agents.judges.model.journal import JudgeJournal
from agents.judges.model.judge import WAYS, ModelJudge
from agents.judges.model.subject import Question, Subject
from agents.shutdown import Shutdown
from agents.watch import Watch
from auditor.canonical import digest16, text_digest16
from auditor.endpoints import Budget, Endpoint, Estimate, Prices, estimate
from auditor.errors import EndpointError, RejectedError
from auditor.store.records import CallRecord
from auditor.types import JSON, Message, Outcome, Reply, Request


class JudgeCalls:
    """Sends the requests of one judge; the journal stores what came of them.

    Args:
        judge: what is asked.
        judge_hash: the judge's identity, which tells its requests from another judge's.
        caps_output: whether every call must have an output cap.
        truth: the offline judge that a simulated one takes for right; None for real models.
    """

    def __init__(
        self,
        judge: ModelJudge,
        *,
        judge_hash: bytes,
        journal: JudgeJournal,
        agent_id: int,
        endpoint_id: int,
        endpoint: Endpoint,
        budget: Budget,
        caps_output: bool,
        prices: Prices,
        shutdown: Shutdown,
        watch: Watch,
        truth: Truth | None = None,
    ) -> None:
        self.refusals_in_a_row = 0
        """Requests refused as such since the last answer."""
        self._judge = judge
        self._judge_hash = judge_hash.hex()
        self._journal = journal
        self._agent_id = agent_id
        self._endpoint_id = endpoint_id
        self._endpoint = endpoint
        self._budget = budget
        self._prices = prices
        self._shutdown = shutdown
        self._watch = watch
        self._truth = truth
        self._params: dict[str, JSON] = dict(judge.asked.params)
        if caps_output:
            self._params.setdefault("max_tokens", judge.prompt.max_tokens)

    def open(self, subject: Subject, answered: Sequence[tuple[Verdict, ...]] = ()) -> Exchange:
        """The exchange about a subject, before its next call.

        `answered`: what the first of its questions brought already, as far as they are settled.
        """
        questions = self._judge.questions(subject)
        question = questions[len(answered)]
        return Exchange(
            subject,
            questions,
            self._name(subject, question),
            self._estimate(question.messages),
            list(answered),
        )

    def go_on(self, exchange: Exchange, verdicts: tuple[Verdict, ...]) -> None:
        """Take what a question brought, and turn to the next one."""
        exchange.answered.append(verdicts)
        exchange.replies.clear()
        exchange.attempt = 1
        exchange.name = self._name(exchange.subject, exchange.question)
        exchange.estimate = self._estimate(exchange.messages)

    def _name(self, subject: Subject, question: Question) -> str:
        shown = [
            part
            for source in subject.shown
            for part in (source.trial_key.hex(), text_digest16(source.text).hex())
        ]
        topic = [question.topic] if question.topic else []
        return digest16(["judgement", self._judge_hash, *shown, *topic]).hex()

    def reserve(self, exchange: Exchange) -> bool:
        """Hold back what the next call can use at most; False if it does not fit."""
        exchange.is_reserved = exchange.is_reserved or self._budget.reserve(exchange.estimate)
        return exchange.is_reserved

    def withdraw(self, exchanges: Sequence[Exchange]) -> None:
        """Give back what is reserved for calls that were not sent."""
        for exchange in exchanges:
            if exchange.is_reserved:
                self._budget.forget(exchange.estimate, was_sent=False)
                exchange.is_reserved = False
        self._journal.retract(exchanges)

    async def give_up(self, exchange: Exchange) -> None:
        """After a defect: leave the endpoint; a call that may have been made stays counted."""
        await exchange.leave()
        if exchange.is_reserved:
            self._budget.keep(exchange.estimate)
            exchange.is_reserved = False

    async def send(self, exchange: Exchange, messages: tuple[Message, ...]) -> Reply:
        """Send the exchange's next request once.

        Raises NoRoomError and TurnedAwayError where nothing was sent, else a subclass of
        EndpointError; its record then waits in `exchange.call` for what becomes of the source.
        """
        if not exchange.is_reserved:
            exchange.estimate = self._estimate(messages)
        has_room = self.reserve(exchange)
        # An output that did not fit: paid for, and nothing came of it but the next request.
        await self._journal.go_on(exchange)
        if not has_room:
            raise NoRoomError
        slot = self._endpoint.slot(exchange.tokens)
        try:
            await slot.__aenter__()
        except EndpointError as error:
            raise TurnedAwayError(error) from None
        exchange.slot = slot
        if self._shutdown.is_draining:
            await exchange.leave()
            raise TurnedAwayError(EndpointError("nothing more is sent: the run drains"))
        request = self._request(exchange, messages)
        started_at, begun = time.time(), time.monotonic()
        try:
            reply = await slot.send(request)
        except EndpointError as error:
            await exchange.leave()
            if not slot.was_sent:
                raise TurnedAwayError(error) from None
            self._failed(error, exchange, started_at, time.monotonic() - begun)
            raise
        except asyncio.CancelledError:
            cut = EndpointError("interrupted while the call was under way", unknown=True)
            self._failed(cut, exchange, started_at, time.monotonic() - begun, "interrupted")
            raise
        self._answered(reply, exchange, started_at, time.monotonic() - begun)
        return reply

    def _estimate(self, messages: tuple[Message, ...]) -> Estimate:
        cap = self._params.get("max_tokens")
        return estimate(
            messages,
            max_tokens=None if cap is None else int(cap),
            price=self._prices.unit(self._judge.asked.model),
            schema=self._judge.schema,
        )

    def _request(self, exchange: Exchange, messages: tuple[Message, ...]) -> Request:
        asked, simulate = self._judge.asked, None
        if self._truth is not None:
            simulate = self._judge.simulation(exchange.subject, exchange.question, self._truth)
        return Request(
            model=asked.model,
            messages=messages,
            request_id=f"{exchange.name}.{exchange.attempt}",
            params=self._params,
            extra_body=asked.extra_body,
            schema=self._judge.schema,
            schema_way=None if asked.output is None else WAYS[asked.output],
            attempt=exchange.attempt,
            simulate=simulate,
        )

    def _answered(
        self, reply: Reply, exchange: Exchange, started_at: float, latency_seconds: float
    ) -> None:
        cost = self._prices.cost_usd(self._judge.asked.model, reply.usage)
        self._budget.settle(exchange.estimate, reply.usage, cost)
        if self._budget.excess is not None:
            self._shutdown.budget_spent(self._budget.excess)
        self._watch.look(reply)
        if reply.choices[0].outcome is Outcome.TRUNCATED:
            self._watch.say("an answer was cut off; this judge needs a larger max_tokens")
        self.refusals_in_a_row = 0
        exchange.errors.clear()
        record = calls.answered(
            reply,
            (),
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            started_at=started_at,
            latency_seconds=latency_seconds,
            cost_usd=cost,
        )
        calls.keep_unsaid(record, exchange.estimate)
        self._hold(record, exchange)

    def _failed(
        self,
        error: EndpointError,
        exchange: Exchange,
        started_at: float,
        latency_seconds: float,
        kind: str | None = None,
    ) -> None:
        held = exchange.estimate
        if error.unknown:
            self._budget.keep(held)
        else:
            self._budget.forget(held)
        if isinstance(error, RejectedError):
            self.refusals_in_a_row += 1
        record = calls.ended_in_error(
            error,
            (),
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            started_at=started_at,
            latency_seconds=latency_seconds,
        )
        if error.unknown:
            record = replace(record, reserved_usd=held.usd, reserved_tokens=exchange.tokens)
        self._hold(replace(record, error_kind=kind or error.kind), exchange)

    def _hold(self, record: CallRecord, exchange: Exchange) -> None:
        """Keep a call's record until it is known what becomes of its source."""
        exchange.call = replace(record, attempt=exchange.attempt)
        exchange.attempt += 1
        exchange.is_reserved = False
