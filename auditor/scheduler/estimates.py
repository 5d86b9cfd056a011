"""What a plan will take at most: calls, tokens, money, time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.endpoints import Prices, estimate
from auditor.errors import UsageError
from auditor.scheduler.plan import Plan
from auditor.spec.model import Target
from auditor.types import JSON, Cell, EndpointConfig

SECONDS_A_CALL = 1.0
"""Assumed latency of a real call; a plan cannot know it."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """An upper estimate of what a plan, or one target of it, takes."""

    trials: int
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
    """Estimates of the whole plan and of each target."""
    prices = {name: Prices(config) for name, config in plan.spec.endpoints.items()}
    by_target = {
        target.name: _target(plan, target, prices[target.endpoint]) for target in plan.spec.targets
    }
    return _sum(plan, by_target), by_target


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
    config = plan.spec.endpoints[target.endpoint]
    return Expected(
        trials=trials,
        calls=calls,
        tokens=tokens,
        cost_usd=None if price is None else cost,
        seconds=_seconds(config, target, calls, tokens),
        max_tokens=largest,
    )


def output_cap(plan: Plan, cell: Cell) -> int:
    """The output cap of a cell's calls: the spec's, else its protocol's default."""
    named = cell.params.get("max_tokens")
    return plan.default_max_tokens(cell) if named is None else int(named)


def _seconds(config: EndpointConfig, target: Target, calls: int, tokens: int) -> float:
    latency = SECONDS_A_CALL
    if target.simulated:
        latency = float(target.request.extra_body.get("latency_seconds", 0.001))
    longest = math.ceil(calls / config.concurrency) * latency
    if config.requests_per_minute is not None:
        longest = max(longest, calls / config.requests_per_minute * 60)
    if config.tokens_per_minute is not None:
        longest = max(longest, tokens / config.tokens_per_minute * 60)
    return longest


def _sum(plan: Plan, by_target: Mapping[str, Expected]) -> Expected:
    costs = [found.cost_usd for found in by_target.values()]
    # Targets at one endpoint wait for each other; endpoints run side by side.
    seconds: dict[str, float] = {}
    for target in plan.spec.targets:
        seconds[target.endpoint] = (
            seconds.get(target.endpoint, 0.0) + by_target[target.name].seconds
        )
    return Expected(
        trials=sum(found.trials for found in by_target.values()),
        calls=sum(found.calls for found in by_target.values()),
        tokens=sum(found.tokens for found in by_target.values()),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=max(seconds.values(), default=0.0),
        max_tokens=max((found.max_tokens for found in by_target.values()), default=0),
    )
