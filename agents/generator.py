"""The generator of one target: sends its planned trials and appends what comes back.

A feeder walks the plan from the first place that is not full, journals trials in blocks, one block
ahead of sending, and hands them to workers, as many as the endpoint allows calls at once. A worker
keeps its slot until its response is committed, so the calls that a crash can repeat are never more
than the calls in flight.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace

from agents import calls
from agents.job_queue import JobQueue
from agents.jobs import Assignment, Job, JobMaker
from agents.shutdown import Shutdown
from agents.watch import Watch
from auditor.draws import draw
from auditor.endpoints import Budget, Endpoint, Prices, RetryPolicy
from auditor.errors import (
    AuthError,
    ContentError,
    EndpointError,
    QuotaError,
    RateError,
    RejectedError,
    UnknownModelError,
)
from auditor.store.records import Alarm, CallRecord, Dispatch, FailureRow, Withdrawal
from auditor.store.served import served_target
from auditor.store.store import Store
from auditor.store.trials import first_open_place
from auditor.types import Reply

_BUDGET_POLL_SECONDS = 0.1
_REFUSALS_TO_STOP = 10
"""So many refused requests in a row, with no answer between, and the target's plan is at fault."""


class TrialLimit:
    """So many trials may still be sent by this process, over all targets."""

    def __init__(self, trials: int) -> None:
        self._left = trials

    def take(self, trials: int) -> bool:
        """Count trials that are about to be sent; False if they are too many."""
        if trials > self._left:
            return False
        self._left -= trials
        return True


class Generator:
    """Works off one target's plan. `run` ends when nothing more can be done for it."""

    def __init__(
        self,
        assignment: Assignment,
        *,
        store: Store,
        endpoint: Endpoint,
        budget: Budget,
        caps_output: bool,
        prices: Prices,
        shutdown: Shutdown,
        limit: TrialLimit | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.assignment = assignment
        self.stopped_by: EndpointError | None = None
        """The error that ended the target before its plan was through, or None."""
        self._store = store
        self._endpoint = endpoint
        self._budget = budget
        self._maker = JobMaker(assignment, prices=prices, caps_output=caps_output)
        self._prices = prices
        self._shutdown = shutdown
        self._limit = limit
        self._policy = policy or RetryPolicy()
        self._concurrency = max(1, endpoint.config.concurrency)
        self._jobs: JobQueue[Job] = JobQueue(self._concurrency)
        self._agent_id = store.agent_id(f"generator:{assignment.target}")
        self._endpoint_id = store.endpoint_id(assignment.endpoint_name)
        self._settled = asyncio.Event()
        self._refusals_in_a_row = 0
        self._sent = calls.SentParameters()
        before = served_target(store.reader, assignment.target)
        self._watch = Watch(f"target {assignment.target}", self._alarm, before)

    async def run(self) -> None:
        """Send what is open in the plan, until it is done, stopped or out of budget."""
        draining = asyncio.create_task(self._stop_on_drain())
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed())
                for _ in range(self._concurrency):
                    group.create_task(self._work())
        finally:
            draining.cancel()
            self._withdraw(self._jobs.stop())

    # -- feeding -----------------------------------------------------------------------------

    async def _feed(self) -> None:
        try:
            block: list[Job] = []
            for cell in self.assignment.cells(first_open_place(self._store.reader, self._target)):
                for job in self._maker.open_jobs(self._store.reader, cell):
                    if self._limit is not None and not self._limit.take(len(job.trials)):
                        await self._hand_over(block)
                        return
                    if not self._reserve(job):
                        await self._hand_over(block)
                        block = []
                        if not await self._reserve_later(job):
                            return
                    block.append(job)
                    if len(block) >= self._concurrency:
                        await self._hand_over(block)
                        block = []
                    if self._is_over:
                        self._give_back(block)
                        return
            await self._hand_over(block)
        finally:
            self._jobs.close()

    @property
    def _target(self) -> str:
        return self.assignment.target

    @property
    def _is_over(self) -> bool:
        return self._shutdown.is_draining or self.stopped_by is not None

    def _reserve(self, job: Job) -> bool:
        job.is_reserved = job.is_reserved or self._budget.reserve(job.estimate)
        return job.is_reserved

    async def _reserve_later(self, job: Job) -> bool:
        """Wait until calls under way give back enough of their reservations; False if never."""
        while self._budget.open_reservations and not self._is_over:
            # Other targets settle too, and they do not wake this one.
            self._settled.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), _BUDGET_POLL_SECONDS)
            if self._reserve(job):
                return True
        if not self._is_over:
            self._shutdown.budget_spent(self._budget.excess)
        return False

    async def _hand_over(self, block: list[Job]) -> None:
        """Journal a block, then give it to the workers as they come free."""
        if not block:
            return
        if self._is_over:
            self._give_back(block)
            return
        trials = [trial for job in block for trial in job.trials]
        taken = 0
        try:
            await self._store.append(
                Dispatch(agent_id=self._agent_id, endpoint_id=self._endpoint_id, trials=trials)
            )
            while taken < len(block) and await self._jobs.put(block[taken]):
                taken += 1
        finally:
            # Stopped or cancelled: what no worker will get is not in flight.
            self._withdraw(block[taken:])

    async def _stop_on_drain(self) -> None:
        """Hand out nothing more once the run drains."""
        await self._shutdown.draining.wait()
        self._withdraw(self._jobs.stop())

    def _give_back(self, jobs: list[Job]) -> None:
        for job in jobs:
            if job.is_reserved:
                self._budget.forget(job.estimate, was_sent=False)
                job.is_reserved = False
        self._settled.set()

    def _withdraw(self, jobs: list[Job]) -> None:
        """Take journaled jobs back that were not sent: their outcome is not unknown."""
        self._give_back(jobs)
        trials = [trial for job in jobs for trial in job.trials]
        if trials and not self._store.has_failed:
            self._store.post(Withdrawal(agent_id=self._agent_id, trials=trials))

    # -- working -----------------------------------------------------------------------------

    async def _work(self) -> None:
        while (job := await self._jobs.get()) is not None:
            if await self._attempt(job):
                self._jobs.done()
            self._settled.set()

    async def _attempt(self, job: Job) -> bool:
        """Send a job once; whether it has come to its end (else it waits for another attempt)."""
        if not self._reserve(job):
            return self._wait_for_budget(job)
        request = self._maker.request(job)
        tokens = job.estimate.tokens or job.estimate.input_tokens
        started_at, begun = time.time(), time.monotonic()
        slot = self._endpoint.slot(tokens)
        is_recorded = False
        try:
            async with slot:
                if self._is_over:
                    self._withdraw([job])
                    return True
                started_at, begun = time.time(), time.monotonic()
                reply = await slot.send(request)
                record = self._answered(reply, job, started_at, time.monotonic() - begun)
                is_recorded = True
                await self._store.append(record)
        except EndpointError as error:
            if not slot.was_sent:
                return self._turned_away(error, job)
            return await self._failed(error, job, started_at, time.monotonic() - begun)
        except asyncio.CancelledError:
            if not is_recorded:
                self._interrupted(job, slot.was_sent, started_at, time.monotonic() - begun)
            raise
        return self._top_up(job)

    def _wait_for_budget(self, job: Job) -> bool:
        """A retry that does not fit now may fit once calls under way are settled."""
        if self._budget.open_reservations and not self._is_over:
            self._jobs.put_back(job, _BUDGET_POLL_SECONDS, blocks=False)
            return False
        self._shutdown.budget_spent(self._budget.excess)
        self._withdraw([job])
        return True

    def _answered(
        self, reply: Reply, job: Job, started_at: float, latency_seconds: float
    ) -> CallRecord:
        cost = self._prices.cost_usd(job.trials[0].cell.request.model, reply.usage)
        self._budget.settle(job.estimate, reply.usage, cost)
        job.is_reserved = False
        if self._budget.excess is not None:
            self._shutdown.budget_spent(self._budget.excess)
        self._refusals_in_a_row = 0
        self._watch.look(reply)
        record = calls.answered(
            reply,
            job.trials,
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            started_at=started_at,
            latency_seconds=latency_seconds,
            cost_usd=cost,
            sent=self._sent.as_json(reply.sent),
        )
        calls.keep_unsaid(record, job.estimate)
        self._keep_rest(job, record, len(reply.choices))
        return record

    def _keep_rest(self, job: Job, record: CallRecord, answered: int) -> None:
        """Leave in the job the trials that got no choice of their own, for another attempt.

        It stands in the answer's own record: a crash must find the next attempt's number.
        """
        job.trials = job.trials[answered:]
        if not job.trials:
            return
        for trial in job.trials:
            trial.attempt += 1
        job.estimate = self._maker.job(job.trials, job.asked).estimate
        record.retrying = [
            (trial.trial_id or 0, trial.attempt, trial.reserved_usd) for trial in job.trials
        ]

    def _top_up(self, job: Job) -> bool:
        """Send again for what is left of a job; whether it has come to its end."""
        if not job.trials:
            return True
        if self._is_over:
            self._withdraw([job])
            return True
        self._jobs.put_back(job, 0.0)
        return False

    # -- failing -----------------------------------------------------------------------------

    async def _failed(
        self, error: EndpointError, job: Job, started_at: float, latency_seconds: float
    ) -> bool:
        """Record a failed attempt; whether its job has come to its end."""
        record = calls.ended_in_error(
            error,
            job.trials,
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            started_at=started_at,
            latency_seconds=latency_seconds,
        )
        if error.unknown:
            self._budget.keep(job.estimate)
        else:
            self._budget.forget(job.estimate)
        job.is_reserved = False
        delay = None if isinstance(error, ContentError) else self._delay(error, job)
        if delay is not None and not self._is_over:
            for trial in job.trials:
                trial.attempt += 1
            record.retrying = [
                (trial.trial_id or 0, trial.attempt, trial.reserved_usd) for trial in job.trials
            ]
            await self._store.append(record)
            self._jobs.put_back(job, delay)
            return False
        if not isinstance(error, ContentError):
            if delay is None:
                record.failures = [
                    FailureRow(trial_id=t.trial_id or 0, kind=error.kind, message=error.message)
                    for t in job.trials
                ]
            else:
                # The run ends before the next attempt: the trial is open, not failed.
                record.landed = [t.trial_id or 0 for t in job.trials]
        await self._store.append(record)
        self._heed(error)
        return True

    def _turned_away(self, error: EndpointError, job: Job) -> bool:
        """The endpoint had stopped before this job's turn: nothing was sent."""
        if self._is_over:
            self._withdraw([job])
            return True
        if error.retry_after_seconds is not None:  # a quota that is whole again at a named time
            self._jobs.put_back(job, error.retry_after_seconds)
            return False
        self._stop(error)
        self._withdraw([job])
        return True

    def _delay(self, error: EndpointError, job: Job) -> float | None:
        if isinstance(error, RateError):
            job.rate_errors += 1
        else:
            job.transient_errors += 1
        first = job.trials[0]
        return self._policy.delay_seconds(
            error,
            transient_attempts=job.transient_errors,
            rate_attempts=job.rate_errors,
            jitter=draw(self.assignment.seed, "retry", f"{first.key.hex()}.{first.attempt}"),
        )

    def _heed(self, error: EndpointError) -> None:
        """Stop the target where the same error would meet every trial of it."""
        if isinstance(error, (AuthError, QuotaError, UnknownModelError)):
            self._stop(error)
        elif isinstance(error, RejectedError):
            self._refusals_in_a_row += 1
            if not self._watch.has_answered or self._refusals_in_a_row >= _REFUSALS_TO_STOP:
                self._stop(error)
        elif self._endpoint.stopped is not None:
            self._stop(self._endpoint.stopped)

    def _stop(self, error: EndpointError) -> None:
        if self.stopped_by is not None:
            return
        self.stopped_by = error
        self._watch.say(f"stopped: {error.message}")
        self._withdraw(self._jobs.stop())

    def _interrupted(
        self, job: Job, was_sent: bool, started_at: float, latency_seconds: float
    ) -> None:
        """A call cut off by the user: what became of it is not known, and it may be billed."""
        if self._store.has_failed:
            return
        if not was_sent:
            self._withdraw([job])
            return
        error = EndpointError("interrupted while the call was under way", unknown=True)
        record = calls.ended_in_error(
            error,
            job.trials,
            agent_id=self._agent_id,
            endpoint_id=self._endpoint_id,
            started_at=started_at,
            latency_seconds=latency_seconds,
        )
        self._store.post(
            replace(record, error_kind="interrupted", landed=[t.trial_id or 0 for t in job.trials])
        )

    def _alarm(self, message: str) -> None:
        self._store.post(Alarm(agent_id=self._agent_id, message=message))
