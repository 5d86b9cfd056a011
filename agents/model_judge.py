"""A judge that is a model, at work: follows what it reads, and asks about many sources at once.

A feeder takes sources in the order of their commits; workers, as many as the endpoint allows calls
at once, ask about them. Annotations come out of order; the checkpoint passes only what is settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agents.job_queue import JobQueue
from agents.judge import annotation
from agents.judges.base import Verdict
from agents.judges.model.appointment import Appointment, RunMeans
from agents.judges.model.calls import JudgeCalls
from agents.judges.model.exchange import Exchange, Judged, NoRoomError, TurnedAwayError
from agents.judges.model.feeding import SourceFeed
from agents.judges.model.journal import JudgeJournal
from agents.judges.model.progress import Frontier
from agents.watch import Watch
from auditor.draws import draw
from auditor.errors import (
    AuthError,
    EndpointError,
    QuotaError,
    RateError,
    RejectedError,
    StoreError,
    UnknownModelError,
)
from auditor.store.records import Alarm, AnnotationRow, Annotations, FailureRow
from auditor.store.served import served_judge
from auditor.store.sources import Source, checkpoint

_BUDGET_POLL_SECONDS = 0.1
_REFUSALS_TO_STOP = 10
"""So many refused requests in a row, with no answer between, and the judge itself is at fault."""
_SETTLED_A_CHECKPOINT = 64
_NO_PARTNER = "the other answer of its pair is not there"


class ModelJudgeAgent:
    """Runs one model judge over all sources of its task, until no more can come."""

    def __init__(
        self, appointment: Appointment, means: RunMeans, *, upstream_done: asyncio.Event
    ) -> None:
        self.stopped_by: EndpointError | None = None
        """The error that ended the judge before its sources were through, or None."""
        judge, store, endpoint = appointment.judge, means.store, appointment.endpoint
        full_name = f"{judge.task}/{appointment.name}"
        self._judge = judge
        self._judge_id = appointment.judge_id
        self._endpoint = endpoint
        self._means = means
        self._store = store
        self._agent_id = store.agent_id(f"judge:{full_name}")
        before = served_judge(store.reader, appointment.judge_id)
        self._watch = Watch(f"judge {full_name}", self._alarm, before)
        endpoint_id = store.endpoint_id(endpoint.config.name)
        self._journal = JudgeJournal(
            store,
            agent_id=self._agent_id,
            endpoint_id=endpoint_id,
            judge_id=appointment.judge_id,
        )
        self._calls = JudgeCalls(
            judge,
            judge_hash=appointment.judge_hash,
            journal=self._journal,
            agent_id=self._agent_id,
            endpoint_id=endpoint_id,
            endpoint=endpoint,
            budget=means.budget,
            caps_output=means.caps_output,
            prices=appointment.prices,
            shutdown=means.shutdown,
            watch=self._watch,
            truth=appointment.truth,
        )
        self._workers = max(1, endpoint.config.concurrency)
        self._jobs: JobQueue[Exchange] = JobQueue(self._workers)
        self._frontier = Frontier(checkpoint(store.reader, appointment.judge_id))
        self._settled = 0
        self._stopped = asyncio.Event()
        self._feed = SourceFeed(
            self._jobs,
            self._frontier,
            self._calls,
            self._journal,
            store=store,
            judge_id=appointment.judge_id,
            reads=appointment.reads,
            block=self._workers,
            judge=judge,
            limit=appointment.limit,
            refuse=self._refuse,
            pass_by=self._settle,
            miss=self._miss,
            budget=means.budget,
            shutdown=means.shutdown,
            stopped=self._stopped,
            upstream_done=upstream_done,
        )

    async def run(self) -> None:
        """Judge what is there and what comes, until those that make sources have ended."""
        from agents.judges.model.asking import TypedAsking  # loads pydantic-ai

        self._asking = TypedAsking(self._judge, self._calls.send)
        draining = asyncio.create_task(self._stop_on_drain())
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed.run())
                for _ in range(self._workers):
                    group.create_task(self._work())
        finally:
            draining.cancel()
            self._calls.withdraw(self._jobs.stop())
            if not self._store.has_failed:
                self._post_checkpoint()

    async def _stop_on_drain(self) -> None:
        await self._means.shutdown.draining.wait()
        self._calls.withdraw(self._jobs.stop())

    @property
    def _is_over(self) -> bool:
        return self._means.shutdown.is_draining or self.stopped_by is not None

    # -- working -----------------------------------------------------------------------------

    async def _work(self) -> None:
        while (exchange := await self._jobs.get()) is not None:
            try:
                has_ended = await self._attempt(exchange)
            except asyncio.CancelledError:
                await self._journal.cut_off(exchange)
                self._calls.withdraw([exchange])
                raise
            if has_ended:
                self._jobs.done()

    async def _attempt(self, exchange: Exchange) -> bool:
        """Ask about a source; whether it has come to its end (else it waits for its next call)."""
        try:
            judged = await self._asking.ask(exchange)
            while not exchange.is_at_last:
                await self._keep_part(exchange, judged)
                judged = await self._asking.ask(exchange)
        except StoreError:
            raise
        except NoRoomError:
            return self._wait_for_budget(exchange)
        except TurnedAwayError as turned:
            return self._turned_away(turned.error, exchange)
        except EndpointError as error:
            return await self._failed(error, exchange)
        except Exception as error:  # a bug loses its own annotation, nothing else
            await self._calls.give_up(exchange)
            await self._fail(exchange, "judge", f"{type(error).__name__}: {error}")
            return True
        await self._journal.settle(exchange, annotations=self._annotations(exchange, judged))
        self._settle(exchange.source)
        return True

    async def _keep_part(self, exchange: Exchange, judged: Judged) -> None:
        """Store the answer to one of several questions, and turn to the next."""
        rows = self._parts(exchange, judged)
        self._calls.go_on(exchange, judged.verdicts)
        await self._journal.keep_part(exchange, rows)

    def _parts(self, exchange: Exchange, judged: Judged) -> list[AnnotationRow]:
        """What an answer said of each source that is to be annotated, under its question's number.

        The whole has the number 0, so that the first question's is 1.
        """
        return [
            replace(
                annotation(self._judge_id, source, verdict),
                repeat=exchange.place + 1,
                raw=judged.raw,
            )
            for source, verdict in zip(exchange.subject.shown, judged.verdicts, strict=True)
            if source in exchange.subject.open
        ]

    def _annotations(self, exchange: Exchange, judged: Judged) -> list[AnnotationRow]:
        """The annotation of each source after the last question, and the parts that this gave."""
        is_whole = len(exchange.questions) == 1
        rows = [] if is_whole else self._parts(exchange, judged)
        for place, source in enumerate(exchange.subject.shown):
            if source not in exchange.subject.open:
                continue
            parts = [verdicts[place] for verdicts in (*exchange.answered, judged.verdicts)]
            row = annotation(self._judge_id, source, self._judge.concluded(parts))
            rows.append(replace(row, raw=judged.raw if is_whole else None))
        return rows

    def _wait_for_budget(self, exchange: Exchange) -> bool:
        """What does not fit now may fit once calls under way are settled."""
        if self._means.budget.open_reservations and not self._is_over:
            self._jobs.put_back(exchange, _BUDGET_POLL_SECONDS, blocks=False)
            return False
        self._means.shutdown.budget_spent(self._means.budget.excess)
        self._calls.withdraw([exchange])
        return True

    def _turned_away(self, error: EndpointError, exchange: Exchange) -> bool:
        """The endpoint had stopped before this call's turn: nothing was sent."""
        if not self._is_over and error.retry_after_seconds is not None:
            # A quota that is whole again at a named time.
            self._jobs.put_back(exchange, error.retry_after_seconds)
            return False
        if not self._is_over:
            self._stop(error)
        self._calls.withdraw([exchange])
        return True

    # -- failing -----------------------------------------------------------------------------

    async def _failed(self, error: EndpointError, exchange: Exchange) -> bool:
        """Store a failed call; whether its source has come to its end in this run."""
        delay = self._delay(error, exchange)
        ends_judge = delay is None and self._would_meet_all(error)
        if ends_judge:
            # Its sources stay open: the next run asks about them, and none has failed.
            self._stop(error)
        if delay is not None and not self._is_over:
            await self._journal.go_on(exchange)
            self._jobs.put_back(exchange, delay)
            return False
        if delay is not None or ends_judge:
            await self._journal.leave_open(exchange)
        else:
            await self._fail(exchange, error.kind, error.message)
        return True

    def _would_meet_all(self, error: EndpointError) -> bool:
        if isinstance(error, RejectedError):
            refusals = self._calls.refusals_in_a_row
            return not self._watch.has_answered or refusals >= _REFUSALS_TO_STOP
        ends = isinstance(error, (AuthError, QuotaError, UnknownModelError))
        return ends or self._endpoint.stopped is not None

    def _delay(self, error: EndpointError, exchange: Exchange) -> float | None:
        exchange.errors["rate" if isinstance(error, RateError) else "transient"] += 1
        return self._means.policy.delay_seconds(
            error,
            transient_attempts=exchange.errors["transient"],
            rate_attempts=exchange.errors["rate"],
            jitter=draw(self._means.seed, "retry", f"{exchange.name}.{exchange.attempt}"),
        )

    def _stop(self, error: EndpointError) -> None:
        if self.stopped_by is not None:
            return
        self.stopped_by = error
        self._stopped.set()
        self._watch.say(f"stopped: {error.message}")
        self._calls.withdraw(self._jobs.stop())

    # -- settling ----------------------------------------------------------------------------

    async def _fail(self, exchange: Exchange, kind: str, message: str) -> None:
        failures = [self._failure(source, kind, message) for source in exchange.subject.open]
        await self._journal.settle(exchange, failures=failures)
        self._settle(exchange.source)

    def _failure(self, source: Source, kind: str, message: str) -> FailureRow:
        return FailureRow(
            trial_id=source.trial_id,
            kind=kind,
            message=message,
            judge_id=self._judge_id,
            source=source.seq,
        )

    async def _refuse(self, verdicts: Sequence[tuple[Source, Verdict]]) -> None:
        """Settle what is not to be sent, as a text that is too long."""
        rows = [annotation(self._judge_id, source, verdict) for source, verdict in verdicts]
        await self._store.append(
            Annotations(agent_id=self._agent_id, judge_id=self._judge_id, rows=rows)
        )
        for source, _ in verdicts:
            self._settle(source)

    async def _miss(self, sources: Sequence[Source]) -> None:
        """Count sources as failed whose partner has not come: another run may bring it."""
        failures = [self._failure(source, "no partner", _NO_PARTNER) for source in sources]
        await self._store.append(
            Annotations(
                agent_id=self._agent_id, judge_id=self._judge_id, rows=(), failures=failures
            )
        )

    def _settle(self, source: Source) -> None:
        self._frontier.settle(source.seq)
        self._settled += 1
        if self._settled % _SETTLED_A_CHECKPOINT == 0:
            self._post_checkpoint()

    def _post_checkpoint(self) -> None:
        self._store.post(
            Annotations(
                agent_id=self._agent_id,
                judge_id=self._judge_id,
                rows=(),
                checkpoint=self._frontier.checkpoint,
            )
        )

    def _alarm(self, message: str) -> None:
        self._store.post(Alarm(agent_id=self._agent_id, message=message))
