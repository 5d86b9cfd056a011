"""What a plan will take at most: calls, tokens, money, time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.endpoints import Prices, estimate
from auditor.errors import UsageError
from auditor.scheduler.judge_plan import ModelWork
from auditor.scheduler.plan import Plan
from auditor.spec.model import Target
from auditor.types import JSON, Cell, EndpointConfig

SECONDS_A_CALL = 1.0
"""Assumed latency of a real call; a plan cannot know it."""
_SIMULATED_SECONDS = 0.001


_BYTES_A_TOKEN = 4
"""Of the texts that judges will read: requests are estimated by their bytes."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """An upper estimate of what a plan, one target or one judge of it, takes."""

    trials: int
    """0 for a judge."""
    calls: int
    tokens: int
    """Input and output, at the output cap of each call."""
    cost_usd: float | None
    """None where a price is unknown."""
    seconds: float
    """At the limits of the endpoints, with SECONDS_A_CALL a call."""
    max_tokens: int
    """The largest output cap of a call."""

    def as_json(self) -> dict[str, JSON]:
        """As `plan --json` prints it."""
        return {
            "trials": self.trials,
            "calls": self.calls,
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "seconds": round(self.seconds, 1),
        }


def expected(plan: Plan) -> tuple[Expected, dict[str, Expected]]:
    """Estimates of the whole plan, its judges included, and of each target."""
    prices = {name: Prices(config) for name, config in plan.spec.endpoints.items()}
    by_target = {
        target.name: _target(plan, target, prices[target.endpoint]) for target in plan.spec.targets
    }
    return _sum(plan, by_target, expected_judges(plan)), by_target


def expected_judges(plan: Plan) -> dict[str, Expected]:
    """Estimates of each judge that is a model, by "task/name".

    One call a source, about a text as long as the output cap of its target allows. Outputs that
    do not fit are asked for again, at most twice, which no plan can know.
    """
    by_judge: dict[str, Expected] = {}
    for work in plan.model_judges:
        name = f"{work.record.task}/{work.record.name}"
        found = _judge(plan, work)
        by_judge[name] = _both(by_judge[name], found) if name in by_judge else found
    return by_judge


def check_prices(plan: Plan, by_target: Mapping[str, Expected]) -> None:
    """Raise UsageError where a limit in money meets a model whose price is unknown."""
    if plan.spec.budget.usd is None:
        return
    for target in plan.spec.targets:
        if by_target[target.name].cost_usd is None:
            raise UsageError(
                f"{plan.spec.source}: budget.usd is set, but the price of"
                f" {target.request.provider}:{target.request.model} (target {target.name}) is"
                " not known",
                hint=f"add price = {{input = ..., output = ...}} (US dollars for a million tokens)"
                f" to [endpoints.{target.endpoint}], or limit calls or tokens instead",
            )
    for work in plan.model_judges:
        asked = work.judge.asked
        if Prices(plan.spec.endpoints[work.endpoint]).unit(asked.model) is None:
            raise UsageError(
                f"{plan.spec.source}: budget.usd is set, but the price of"
                f" {asked.provider}:{asked.model} (judge {work.record.task}/{work.record.name}) is"
                " not known",
                hint=f"add price = {{input = ..., output = ...}} (US dollars for a million tokens)"
                f" to [endpoints.{work.endpoint}], or limit calls or tokens instead",
            )


def _target(plan: Plan, target: Target, prices: Prices) -> Expected:
    price = prices.unit(target.request.model)
    trials = calls = tokens = largest = 0
    cost = 0.0
    for cell in plan.cells(target):
        cap = output_cap(plan, cell)
        largest = max(largest, cap)
        full, rest = divmod(cell.repetitions, target.samples_per_request)
        for choices, count in ((target.samples_per_request, full), (rest, 1 if rest else 0)):
            if count and choices:
                call = estimate(cell.messages, max_tokens=cap, choices=choices, price=price)
                calls += count
                tokens += count * (call.tokens or 0)
                cost += count * (call.usd or 0.0)
        trials += cell.repetitions
    latency = SECONDS_A_CALL
    if target.simulated:
        latency = float(target.request.extra_body.get("latency_seconds", _SIMULATED_SECONDS))
    return Expected(
        trials=trials,
        calls=calls,
        tokens=tokens,
        cost_usd=None if price is None else cost,
        seconds=_seconds(plan.spec.endpoints[target.endpoint], latency, calls, tokens),
        max_tokens=largest,
    )


def _judge(plan: Plan, work: ModelWork) -> Expected:
    judge, config = work.judge, plan.spec.endpoints[work.endpoint]
    price = Prices(config).unit(judge.asked.model)
    cap = int(judge.asked.params.get("max_tokens") or judge.prompt.max_tokens)
    targets = {target.name: target for target in plan.spec.targets}
    calls = tokens = 0
    cost = 0.0
    for protocol, target, _, trials in plan.counts:
        if protocol not in work.record.protocols:
            continue
        named = targets[target].request.params.get("max_tokens")
        longest = plan.protocols[protocol][0].default_max_tokens if named is None else int(named)
        text = "x" * min(longest * _BYTES_A_TOKEN, judge.prompt.longest)
        call = estimate(judge.messages(text), max_tokens=cap, price=price, schema=judge.schema)
        count = trials * _sources_a_trial(plan, work)
        calls += count
        tokens += count * (call.tokens or 0)
        cost += count * (call.usd or 0.0)
    latency = SECONDS_A_CALL
    if judge.asked.is_simulated:
        latency = float(judge.asked.extra_body.get("latency_seconds", _SIMULATED_SECONDS))
    return Expected(
        trials=0,
        calls=calls,
        tokens=tokens,
        cost_usd=None if price is None else cost,
        seconds=_seconds(config, latency, calls, tokens),
        max_tokens=cap,
    )


def _sources_a_trial(plan: Plan, work: ModelWork) -> int:
    if work.reads is None:
        return 1
    return sum(
        other.record.task == work.reads and other.record.protocols == work.record.protocols
        for other in plan.judges
    )


def output_cap(plan: Plan, cell: Cell) -> int:
    """The output cap of a cell's calls: the spec's, else its protocol's default."""
    named = cell.params.get("max_tokens")
    return plan.default_max_tokens(cell) if named is None else int(named)


def _seconds(config: EndpointConfig, latency: float, calls: int, tokens: int) -> float:
    longest = math.ceil(calls / config.concurrency) * latency
    if config.requests_per_minute is not None:
        longest = max(longest, calls / config.requests_per_minute * 60)
    if config.tokens_per_minute is not None:
        longest = max(longest, tokens / config.tokens_per_minute * 60)
    return longest


def _both(one: Expected, other: Expected) -> Expected:
    is_priced = one.cost_usd is not None and other.cost_usd is not None
    return Expected(
        trials=one.trials + other.trials,
        calls=one.calls + other.calls,
        tokens=one.tokens + other.tokens,
        cost_usd=(one.cost_usd or 0.0) + (other.cost_usd or 0.0) if is_priced else None,
        seconds=one.seconds + other.seconds,
        max_tokens=max(one.max_tokens, other.max_tokens),
    )


def _sum(
    plan: Plan, by_target: Mapping[str, Expected], by_judge: Mapping[str, Expected]
) -> Expected:
    everything = [*by_target.values(), *by_judge.values()]
    costs = [found.cost_usd for found in everything]
    # What calls one endpoint waits for each other; endpoints run side by side.
    seconds: dict[str, float] = defaultdict(float)
    for target in plan.spec.targets:
        seconds[target.endpoint] += by_target[target.name].seconds
    for name, endpoint in {
        f"{work.record.task}/{work.record.name}": work.endpoint for work in plan.model_judges
    }.items():
        seconds[endpoint] += by_judge[name].seconds
    return Expected(
        trials=sum(found.trials for found in everything),
        calls=sum(found.calls for found in everything),
        tokens=sum(found.tokens for found in everything),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=max(seconds.values(), default=0.0),
        max_tokens=max((found.max_tokens for found in by_target.values()), default=0),
    )
