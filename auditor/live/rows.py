"""What each target and judge has done so far, gathered from a snapshot: one row an agent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.live.rates import Rates
from auditor.live.simulated import is_partly_simulated
from auditor.store.status import AgentTotals, EndpointGauge, Snapshot, TargetProgress
from auditor.types import Outcome

_UNJUDGED = frozenset(str(outcome) for outcome in Outcome if not outcome.is_judged)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one agent has done so far."""

    name: str
    done: int
    planned: int
    failed: int
    unusable: int
    """Responses that no judge reads (refused, filtered, empty); invalid annotations."""
    lag: int | None = None
    """Sources that a judge has not read yet; None for targets."""
    rate: float | None = None
    seconds_left: float | None = None
    calls: AgentTotals | None = None
    """All its calls added up; None if it has made none."""
    gauge: EndpointGauge | None = None
    """Its endpoint's, or None if it has none or several."""
    shared: bool = False
    """Whether another unfinished row has the same endpoint."""
    part: bool = False
    """One protocol of the target above."""
    sums: int = 0
    """How many rows it adds up; 0 for a row of its own."""
    simulated: bool = False
    """A target of `sim:` in a run that has real ones too."""

    @property
    def is_complete(self) -> bool:
        """Nothing is left to do."""
        return self.planned > 0 and self.done >= self.planned


def agent_rows(snapshot: Snapshot, rates: Rates) -> tuple[list[Row], list[Row]]:
    """The rows of the targets and those of the judges."""
    targets, judges = _target_rows(snapshot, rates), _judge_rows(snapshot, rates)
    users = Counter(
        row.gauge.endpoint for row in [*targets, *judges] if row.gauge and not row.is_complete
    )
    shared = {endpoint for endpoint, number in users.items() if number > 1}

    def marked(rows: Sequence[Row]) -> list[Row]:
        return [
            replace(row, shared=row.gauge is not None and row.gauge.endpoint in shared)
            for row in rows
        ]

    return marked(targets), marked(judges)


def _target_rows(snapshot: Snapshot, rates: Rates) -> list[Row]:
    """One row a target in plan order; below one with several protocols, a row for each."""
    rows: list[Row] = []
    calls = _calls(snapshot)
    partly = is_partly_simulated(snapshot)
    by_target: dict[str, list[TargetProgress]] = {}
    for progress in snapshot.targets:
        by_target.setdefault(progress.target, []).append(progress)
    for name, in_protocols in by_target.items():
        parts = [
            Row(
                name=progress.protocol,
                done=progress.responses,
                planned=progress.planned,
                failed=progress.failures,
                unusable=sum(n for o, n in progress.outcomes.items() if o in _UNJUDGED),
                part=True,
            )
            for progress in in_protocols
        ]
        total = summed(name, parts)
        rows.append(
            replace(
                total,
                rate=rates.targets.get(name),
                seconds_left=rates.target_seconds_left.get(name),
                calls=calls.get(f"generator:{name}"),
                sums=0,
                simulated=partly and any(progress.simulated for progress in in_protocols),
            )
        )
        # What a finished target is made of is no longer worth a line.
        rows.extend(parts if len(parts) > 1 and not total.is_complete else ())
    return _with_gauges(rows, "generator:", snapshot)


def _judge_rows(snapshot: Snapshot, rates: Rates) -> list[Row]:
    """One row a judge and task, in the store's order."""
    calls = _calls(snapshot)
    rows = [
        Row(
            name=f"{judge.task}/{judge.judge}",
            done=judge.done,
            planned=judge.planned,
            failed=judge.failed,
            unusable=judge.invalid,
            lag=judge.lag,
            rate=rates.judges.get((judge.task, judge.judge)),
            calls=calls.get(f"judge:{judge.task}/{judge.judge}"),
        )
        for judge in snapshot.judges
    ]
    return _with_gauges(rows, "judge:", snapshot)


def busiest(rows: Sequence[Row], most: int) -> tuple[list[Row], list[Row]]:
    """At most `most` rows to show, in plan order, and the others, which one line sums up.

    Unfinished ones go before finished ones, fast before slow. Speeds count by their power of
    two, so that rows don't change places with every reading; the parts of a target are left
    out before any target is.
    """
    if len(rows) <= most:
        return list(rows), []
    whole = [row for row in rows if not row.part]
    if len(whole) <= most:
        return whole, []

    def dullness(number: int) -> tuple[bool, int, int]:
        row = whole[number]
        speed = round(math.log2(row.rate)) if row.rate else -99
        return row.is_complete, -speed, number

    shown = set(sorted(range(len(whole)), key=dullness)[: max(0, most - 1)])
    return (
        [row for number, row in enumerate(whole) if number in shown],
        [row for number, row in enumerate(whole) if number not in shown],
    )


def summed(name: str, rows: Sequence[Row]) -> Row:
    """All rows as one, under a name of its own; without an endpoint or a time left."""
    lags = [row.lag for row in rows if row.lag is not None]
    rates = [row.rate for row in rows if row.rate is not None]
    return Row(
        name=name,
        done=sum(row.done for row in rows),
        planned=sum(row.planned for row in rows),
        failed=sum(row.failed for row in rows),
        unusable=sum(row.unusable for row in rows),
        lag=sum(lags) if lags else None,
        rate=sum(rates) if rates else None,
        sums=len(rows),
        calls=_add([row.calls for row in rows if row.calls is not None]),
    )


def _calls(snapshot: Snapshot) -> dict[str, AgentTotals]:
    by_agent: dict[str, list[AgentTotals]] = {}
    for agent in snapshot.agents:
        by_agent.setdefault(agent.agent, []).append(agent)
    sums = {name: _add(totals) for name, totals in by_agent.items()}
    return {name: total for name, total in sums.items() if total is not None}


def _add(totals: Sequence[AgentTotals]) -> AgentTotals | None:
    if not totals:
        return None
    costs = [total.cost_usd for total in totals]
    known = [cost for cost in costs if cost is not None]
    return replace(
        totals[0],
        calls=sum(total.calls for total in totals),
        retries=sum(total.retries for total in totals),
        rate_limited=sum(total.rate_limited for total in totals),
        unknown=sum(total.unknown for total in totals),
        input_tokens=sum(total.input_tokens for total in totals),
        output_tokens=sum(total.output_tokens for total in totals),
        cost_usd=sum(known) if len(known) == len(costs) else None,
    )


def _with_gauges(rows: Sequence[Row], prefix: str, snapshot: Snapshot) -> list[Row]:
    gauges = {gauge.endpoint: gauge for gauge in snapshot.endpoints}
    places: dict[str, set[str]] = {}
    for agent in snapshot.agents:
        places.setdefault(agent.agent, set()).add(agent.endpoint)
    placed = []
    for row in rows:
        mine = places.get(prefix + row.name, set()) if not row.part else set()
        gauge = gauges.get(next(iter(mine))) if len(mine) == 1 else None
        placed.append(replace(row, gauge=gauge))
    return placed
