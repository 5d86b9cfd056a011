"""From a target's cells to the requests that are made for their open trials."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from auditor.draws import draw_integer
from auditor.endpoints import Estimate, Prices, estimate
from auditor.store.records import PlannedTrial
from auditor.store.trials import stored_trials
from auditor.types import JSON, Cell, Price, Request, Simulation, trial_key


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
class Asked:
    """What all requests of a cell have in common, made once for all its repetitions."""

    cell: Cell
    params: dict[str, JSON]
    """As they are sent, but for the seed that a trial draws for itself."""
    draws_seed: bool
    cap: int | None
    price: Price | None
    simulate: Simulation | None
    estimates: dict[int, Estimate] = field(default_factory=dict)
    """By choices in a request."""


@dataclass(slots=True, eq=False)
class Job:
    """One request to be made: a trial, or several of one cell that share a prompt."""

    trials: list[PlannedTrial]
    estimate: Estimate
    asked: Asked
    is_reserved: bool = False
    """Whether the budget holds its estimate back; an attempt needs that, a waiting retry not."""
    transient_errors: int = 0
    rate_errors: int = 0


class JobMaker:
    """Makes the jobs of one target, and the requests of its jobs."""

    def __init__(self, assignment: Assignment, *, prices: Prices, caps_output: bool) -> None:
        self._assignment = assignment
        self._prices = prices
        self._caps_output = caps_output

    def open_jobs(self, connection: sqlite3.Connection, cell: Cell) -> Iterator[Job]:
        """The trials of a cell that have no response, grouped as they will be sent."""
        cell_id, known = stored_trials(connection, cell.key)
        asked = self._asked(cell)
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
                yield self.job(group, asked)
                group = []
        if group:
            yield self.job(group, asked)

    def job(self, trials: list[PlannedTrial], asked: Asked) -> Job:
        """One request for these trials of one cell, with the most that it can use."""
        choices = len(trials)
        call = asked.estimates.get(choices)
        if call is None:
            call = asked.estimates[choices] = estimate(
                asked.cell.messages, max_tokens=asked.cap, choices=choices, price=asked.price
            )
        # Several trials in one request share its reservation; the first one carries it.
        trials[0].reserved_usd = call.usd
        trials[0].reserved_tokens = call.tokens or call.input_tokens
        return Job(trials, call, asked)

    def _asked(self, cell: Cell) -> Asked:
        params = dict(cell.params)
        cap = self._cap(cell)
        if cap is not None:
            params["max_tokens"] = cap
        simulate = self._assignment.simulate
        return Asked(
            cell=cell,
            draws_seed=bool(params.pop("seed", None)),
            params=params,
            cap=cap,
            price=self._prices.unit(cell.request.model),
            simulate=None if simulate is None else simulate(cell),
        )

    def _cap(self, cell: Cell) -> int | None:
        named = cell.params.get("max_tokens")
        if named is not None:
            return int(named)
        return self._assignment.default_max_tokens(cell) if self._caps_output else None

    def request(self, job: Job) -> Request:
        """What is sent for a job; `sim:` gets to see how its protocol is answered."""
        first, asked = job.trials[0], job.asked
        cell, params = asked.cell, asked.params
        if asked.draws_seed:
            # 31 bits: servers read seeds as signed 32-bit integers.
            seed = draw_integer(self._assignment.seed, "request seed", first.key, bits=31)
            params = {**params, "seed": seed}
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
            simulate=asked.simulate,
        )
