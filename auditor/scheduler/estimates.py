"""What a plan will take at most: calls, tokens, money, time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from agents.judges.model import ModelJudge
from auditor.endpoints import Prices, estimate
from auditor.errors import UsageError
from auditor.scheduler.judge_plan import JudgeWork, ModelWork
from auditor.scheduler.plan import Plan
from auditor.spec.model import Target
from auditor.store.sources import OpenSources
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


_NOTHING = Expected(trials=0, calls=0, tokens=0, cost_usd=0.0, seconds=0.0, max_tokens=0)


def expected(plan: Plan) -> tuple[Expected, dict[str, Expected]]:
    """Estimates of the whole plan, its judges included, and of each target."""
    by_target = {target.name: _target(plan, target) for target in plan.spec.targets}
    return _sum(plan, by_target, expected_judges(plan)), by_target


def expected_judges(plan: Plan) -> dict[str, Expected]:
    """Estimates of each judge that is a model, by "task/name".

    Each source is a text as long as the output cap of its target allows; a judge of pairs takes
    one call for two of them, one that asks in parts as many as it has questions. Outputs that do
    not fit are asked for again, at most twice, which no plan can know.
    """
    by_judge: dict[str, Expected] = {}
    for work in plan.model_judges:
        name = f"{work.record.task}/{work.record.label}"
        found = _judge(plan, work)
        by_judge[name] = _both(by_judge[name], found) if name in by_judge else found
    return by_judge


def check_prices(plan: Plan) -> None:
    """Raise UsageError where a limit in money meets a model whose price is unknown."""
    if plan.spec.budget.usd is None:
        return
    for target in plan.spec.targets:
        if Prices(plan.spec.endpoints[target.endpoint]).unit(target.request.model) is None:
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
                f" {asked.provider}:{asked.model} (judge {work.record.task}/{work.record.label}) is"
                " not known",
                hint=f"add price = {{input = ..., output = ...}} (US dollars for a million tokens)"
                f" to [endpoints.{work.endpoint}], or limit calls or tokens instead",
            )


class Tally:
    """Adds up the calls for one target's trials."""

    def __init__(self, plan: Plan, target: Target) -> None:
        self._plan = plan
        self._target = target
        self._config = plan.spec.endpoints[target.endpoint]
        self._price = Prices(self._config).unit(target.request.model)
        self._trials = self._calls = self._tokens = self._largest = 0
        self._usd = 0.0
        self._most_tokens, self._most_usd = 0, 0.0
        """Of one call."""

    def add(self, cell: Cell, trials: int) -> None:
        """Count so many trials of a cell."""
        cap = output_cap(self._plan, cell)
        self._largest = max(self._largest, cap)
        choices_at_once = self._target.samples_per_request
        full, rest = divmod(trials, choices_at_once)
        for choices, count in ((choices_at_once, full), (rest, 1 if rest else 0)):
            if count and choices:
                call = estimate(cell.messages, max_tokens=cap, choices=choices, price=self._price)
                self._calls += count
                self._tokens += count * (call.tokens or 0)
                self._usd += count * (call.usd or 0.0)
                self._most_tokens = max(self._most_tokens, call.tokens or 0)
                self._most_usd = max(self._most_usd, call.usd or 0.0)
        self._trials += trials

    @property
    def trials(self) -> int:
        """Trials counted so far."""
        return self._trials

    @property
    def dearest_usd(self) -> float:
        """The most that one call costs; infinite where no price is known."""
        return math.inf if self._price is None else self._most_usd

    def expected(self, most_trials: int | None = None) -> Expected:
        """The estimate of all that was counted, or of no more than so many trials of it."""
        trials = self._trials if most_trials is None else min(most_trials, self._trials)
        calls = min(trials, self._calls)
        tokens = min(self._tokens, calls * self._most_tokens)
        usd = self._usd if calls == self._calls else min(self._usd, calls * self._most_usd)
        latency = SECONDS_A_CALL
        if self._target.simulated:
            body = self._target.request.extra_body
            latency = float(body.get("latency_seconds", _SIMULATED_SECONDS))
        return Expected(
            trials=trials,
            calls=calls,
            tokens=tokens,
            cost_usd=None if self._price is None else usd,
            seconds=_seconds(self._config, latency, calls, tokens),
            max_tokens=self._largest,
        )


def _target(plan: Plan, target: Target) -> Expected:
    tally = Tally(plan, target)
    for cell in plan.cells(target):
        tally.add(cell, cell.repetitions)
    return tally.expected()


def _judge(plan: Plan, work: ModelWork) -> Expected:
    judge = work.judge
    targets = {target.name: target for target in plan.spec.targets}
    texts = length = 0
    for protocol, target, _, trials in plan.counts:
        if protocol not in work.record.protocols:
            continue
        count = trials * sources_a_trial(plan, work)
        texts += count
        length += count * text_bytes(plan, judge, protocol, targets[target])
    return judge_calls(plan, work, texts, length)


def text_bytes(plan: Plan, judge: ModelJudge, protocol: str, target: Target) -> int:
    """Bytes of an answer as long as the target's output cap allows, if a judge is sent it."""
    named = target.request.params.get("max_tokens")
    longest = plan.protocols[protocol][0].default_max_tokens if named is None else int(named)
    return min(longest * _BYTES_A_TOKEN, judge.prompt.longest)


def judge_left(
    plan: Plan, work: JudgeWork, sources: OpenSources, *, limit: int | None = None
) -> Expected:
    """What a judge takes for what it has not judged; `limit`: sources that it takes up at most.

    About each source's own text. An offline judge takes no call.
    """
    if not isinstance(work, ModelWork):
        return _NOTHING
    texts = sources.sent if limit is None else min(limit, sources.sent)
    length = min(sources.sent_bytes, texts * sources.longest_bytes)
    return judge_calls(plan, work, texts, length)


def judge_calls(plan: Plan, work: ModelWork, texts: int, length: int) -> Expected:
    """A judge's calls about so many texts, of so many bytes together."""
    judge, config = work.judge, plan.spec.endpoints[work.endpoint]
    price = Prices(config).unit(judge.asked.model)
    cap = int(judge.asked.params.get("max_tokens") or judge.prompt.max_tokens)
    bare = [
        estimate(messages, max_tokens=cap, price=price, schema=judge.schema)
        for messages in judge.bare_questions()
    ]
    rounds = texts if judge.pairing is None else math.ceil(texts / 2)
    calls = rounds * len(bare)
    # Every question shows the texts again, and the prompts where the judge sees them.
    shown = len(bare) * (length + texts * _longest_prompt(plan, work))
    text_usd = 0.0 if price is None else shown * price.input / 1e6
    tokens = rounds * sum(each.tokens or 0 for each in bare) + shown
    latency = SECONDS_A_CALL
    if judge.asked.is_simulated:
        latency = float(judge.asked.extra_body.get("latency_seconds", _SIMULATED_SECONDS))
    return Expected(
        trials=0,
        calls=calls,
        tokens=tokens,
        cost_usd=None
        if price is None
        else rounds * sum(each.usd or 0.0 for each in bare) + text_usd,
        seconds=_seconds(config, latency, calls, tokens),
        max_tokens=cap,
    )


def _longest_prompt(plan: Plan, work: ModelWork) -> int:
    """UTF-8 bytes of the longest prompt that a judge may be shown; 0 where it is shown none."""
    if not work.judge.needs_prompt:
        return 0
    return max(
        (
            sum(len(turn.content.encode("utf-8", "surrogatepass")) for turn in prompt.messages)
            for name in work.record.protocols
            if name in plan.protocols
            for prompt in plan.prompts(name)
        ),
        default=0,
    )


def sources_a_trial(plan: Plan, work: ModelWork) -> int:
    """How many texts one trial gives a judge: its answer, or what each judge says of that."""
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


def added_up(parts: Iterable[Expected]) -> Expected:
    """Estimates one after the other."""
    return reduce(_both, parts, _NOTHING)


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
        f"{work.record.task}/{work.record.label}": work.endpoint for work in plan.model_judges
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
