"""From a target's cells to the requests that are made for their open trials."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from auditor.draws import draw_integer
from auditor.endpoints import Estimate, Prices, estimate
from auditor.store.records import PlannedTrial
from auditor.store.sources import stored_trials
from auditor.types import Cell, Request, Simulation, trial_key


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What a generator needs to know of its target."""

    target: str
    endpoint_name: str
    cells: Callable[[int], Iterator[Cell]]
    """The target's plan from a place on."""
    simulate: Callable[[Cell], Simulation] | None
    """How `sim:` answers a cell; None for real targets."""
    samples_per_request: int
    default_max_tokens: Callable[[Cell], int]
    """Output cap of a cell's protocol, sent where a budget needs one and the spec gives none."""
    seed: int


@dataclass(slots=True, eq=False)
class Job:
    """One request to be made: a trial, or several of one cell that share a prompt."""

    trials: list[PlannedTrial]
    estimate: Estimate
    is_reserved: bool = False
    """Whether the budget holds its estimate back; an attempt needs that, a waiting retry not."""
    errors: Counter[str] = field(default_factory=Counter)


class JobMaker:
    """Makes the jobs of one target, and the requests of its jobs."""

    def __init__(self, assignment: Assignment, *, prices: Prices, caps_output: bool) -> None:
        self._assignment = assignment
        self._prices = prices
        self._caps_output = caps_output

    def open_jobs(self, connection: sqlite3.Connection, cell: Cell) -> Iterator[Job]:
        """The trials of a cell that have no response, grouped as they will be sent."""
        cell_id, known = stored_trials(connection, cell.key)
        group: list[PlannedTrial] = []
        for repetition in range(cell.repetitions):
            stored = known.get(repetition)
            if stored is not None and stored.has_response:
                continue
            group.append(
                PlannedTrial(
                    cell=cell,
                    repetition=repetition,
                    key=trial_key(cell.key, repetition),
                    cell_id=cell_id,
                    trial_id=None if stored is None else stored.trial_id,
                    attempt=1 if stored is None else stored.attempts + 1,
                )
            )
            if len(group) == self._assignment.samples_per_request:
                yield self.job(group)
                group = []
        if group:
            yield self.job(group)

    def job(self, trials: list[PlannedTrial]) -> Job:
        """One request for these trials of one cell, with the most that it can use."""
        cell = trials[0].cell
        price = self._prices.unit(cell.request.model)
        call = estimate(cell.messages, max_tokens=self._cap(cell), choices=len(trials), price=price)
        # Several trials in one request share its reservation; the first one carries it.
        trials[0].reserved_usd = call.usd
        trials[0].reserved_tokens = call.tokens or call.input_tokens
        return Job(trials, call)

    def _cap(self, cell: Cell) -> int | None:
        named = cell.params.get("max_tokens")
        if named is not None:
            return int(named)
        return self._assignment.default_max_tokens(cell) if self._caps_output else None

    def request(self, job: Job) -> Request:
        """What is sent for a job; `sim:` gets to see how its protocol is answered."""
        first = job.trials[0]
        cell = first.cell
        params = dict(cell.params)
        cap = self._cap(cell)
        if cap is not None:
            params["max_tokens"] = cap
        if params.pop("seed", None):
            # 31 bits: servers read seeds as signed 32-bit integers.
            params["seed"] = draw_integer(self._assignment.seed, "request seed", first.key, bits=31)
        simulate = self._assignment.simulate
        return Request(
            model=cell.request.model,
            messages=cell.messages,
            request_id=",".join(f"{trial.key.hex()}.{trial.attempt}" for trial in job.trials),
            params=params,
            extra_body=cell.request.extra_body,
            choices=len(job.trials),
            api=cell.request.api,
            trials=tuple(trial.key for trial in job.trials),
            attempt=first.attempt,
            simulate=None if simulate is None else simulate(cell),
        )
