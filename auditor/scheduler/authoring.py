"""Having instructions written by a model: calls at one endpoint, within limits and a budget."""

from __future__ import annotations

import asyncio
import math
import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from auditor.draws import draw
from auditor.endpoints import Budget, Endpoint, Estimate, Prices, RetryPolicy, estimate
from auditor.errors import EndpointError, UsageError
from auditor.protocols.grap.authoring import Author, AuthorSimulation, Collection
from auditor.protocols.grap.contrast import Contrast
from auditor.scheduler.opening import open_endpoint
from auditor.spec.added import toml_value
from auditor.spec.keys import check_keys
from auditor.spec.loading import parse_spec
from auditor.spec.model import Spec, Target
from auditor.types import JSON, Message, Reply, Request

A_CALL = (5, 20)
"""Instructions that one call asks for, at least and at most: so many that each domain gets some."""
MAX_TOKENS = 2048
"""Output cap of a call: room for so many, and for some thinking."""
_FRUITLESS = 6
"""So many answers in a row without a usable line, and the model will not give any."""
_SPARE = 3
"""Calls are at most so many times as many as would do if every line could be used."""
_PLACE = re.compile(r"^.*?:\d+: (?:targets\[0\]\.?|endpoints\.[^.:]+\.|: )?", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Commission:
    """What is to be written, by which model, and for how much at most."""

    model: str
    """"provider:model"."""
    n: int
    contrast: Contrast
    author: Author
    domains: tuple[str, ...]
    seed: int = 1
    params: Mapping[str, JSON] = field(default_factory=dict)
    endpoint: Mapping[str, JSON] = field(default_factory=dict)
    """Settings as an [endpoints.NAME] table has them, without its provider."""
    budget: Mapping[str, float | int] = field(default_factory=dict)
    """Limits: usd, calls, tokens."""


@dataclass(kw_only=True)
class Authored:
    """What came of it."""

    collection: Collection
    calls: int = 0
    cost_usd: float | None = 0.0
    """None once a call's price is unknown."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Answers that were not usable as such, by outcome."""
    stopped: str | None = None
    """Why there are fewer than were wanted; None where there are as many."""
    exit_code: int = 0
    """0 all are there, 1 the model or the endpoint gave no more, 3 the budget is spent."""


class AuthorWork:
    """One commission, ready to be carried out. Nothing is sent before `run`.

    Raises UsageError for a model, endpoint or limit that cannot be, for a key that is missing, and
    for a limit in money without a price.
    """

    def __init__(self, commission: Commission, environ: Mapping[str, str]) -> None:
        self._order = commission
        spec = _spec_of(commission)
        self._target: Target = spec.targets[0]
        self._check_key(spec, environ)
        config = spec.endpoints[self._target.endpoint]
        self._environ = environ
        self._config = config
        self._prices = Prices(config)
        price = self._prices.unit(self._target.request.model)
        if commission.budget.get("usd") is not None and price is None:
            raise UsageError(
                f"{commission.model}: no price is known, so no limit in money can be kept",
                hint="give one with --price, or limit calls or tokens",
            )
        self._budget = Budget(**commission.budget)  # type: ignore[arg-type]
        # Simulated authors make mistakes, so that what is done about them shows.
        self._cue = next((cue for cues in commission.contrast.cues.values() for cue in cues), "")
        even = math.ceil(commission.n / len(commission.domains))
        self._a_call = min(max(even, A_CALL[0]), A_CALL[1])
        self._most_calls = _SPARE * self.calls + _FRUITLESS
        self.authored = Authored(collection=Collection(commission.contrast))

    @property
    def calls(self) -> int:
        """Calls that do if every line can be used."""
        return math.ceil(self._order.n / self._a_call)

    @property
    def cost_usd(self) -> float | None:
        """What these calls cost at most; None where a price is unknown."""
        estimates = [self._estimate(self._asks(number)) for number in range(self.calls)]
        costs = [each.usd for each in estimates]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    async def run(self, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> Authored:
        """Ask until there are enough, the budget is spent, or no more comes.

        What has come is in `authored` at any time, also where this is cancelled. Answers are taken
        in the order of their questions, however they arrive.
        """
        endpoint = open_endpoint(
            self._config, seed=self._order.seed, environ=self._environ, connection=None
        )
        numbers = count()
        fruitless = 0
        try:
            while self._missing > 0 and self.authored.stopped is None:
                wave = [next(numbers) for _ in range(self._width(self._missing))]
                for answer in await self._wave(endpoint, wave, sleep):
                    fruitless = 0 if answer else fruitless + 1
                if self.authored.stopped is None:
                    self._stop_where_vain(fruitless)
        finally:
            await endpoint.close()
        return self.authored

    @property
    def _missing(self) -> int:
        return self._order.n - len(self.authored.collection.found)

    def _width(self, missing: int) -> int:
        return max(1, min(self._config.concurrency, math.ceil(missing / self._a_call)))

    async def _wave(
        self, endpoint: Endpoint, numbers: Sequence[int], sleep: Callable[[float], Awaitable[None]]
    ) -> list[int]:
        """Usable lines of each answer."""
        asked = [self._call(endpoint, number, sleep) for number in numbers]
        taken = []
        for number, reply in zip(numbers, await asyncio.gather(*asked), strict=True):
            if reply is None:
                continue
            choice = reply.choices[0] if reply.choices else None
            if choice is None or not choice.outcome.is_judged or not choice.text:
                self.authored.outcomes["empty" if choice is None else str(choice.outcome)] += 1
                taken.append(0)
                continue
            taken.append(
                self.authored.collection.take(choice.text, self._domain(number), self._missing)
            )
        return taken

    async def _call(
        self, endpoint: Endpoint, number: int, sleep: Callable[[float], Awaitable[None]]
    ) -> Reply | None:
        """The answer to one question; None where there is none, with the reason in `authored`."""
        policy, failed = RetryPolicy(), Counter[str]()
        for attempt in count(1):
            request = self._request(number, attempt)
            reserved = self._estimate(request.messages)
            if not self._budget.reserve(reserved):
                self._stop("the budget is spent", 3)
                return None
            try:
                reply = await endpoint.attempt(request, tokens_estimate=reserved.input_tokens)
            except asyncio.CancelledError:
                self._count_unknown(reserved)
                raise
            except EndpointError as error:
                self._give_back(reserved, error)
                failed[error.kind] += 1
                delay = policy.delay_seconds(
                    error,
                    transient_attempts=failed["transient"],
                    rate_attempts=failed["rate"],
                    jitter=draw(self._order.seed, "retry", request.request_id),
                )
                if delay is None:
                    self._stop(error.message, 1)
                    return None
                await sleep(delay)
                continue
            self._settle(reserved, reply)
            return reply
        raise AssertionError("attempts have no end but those above")

    def _settle(self, reserved: Estimate, reply: Reply) -> None:
        cost = self._prices.cost_usd(self._target.request.model, reply.usage)
        self._budget.settle(reserved, reply.usage, cost)
        done = self.authored
        done.calls += 1
        done.cost_usd = None if cost is None or done.cost_usd is None else done.cost_usd + cost

    def _give_back(self, reserved: Estimate, error: EndpointError) -> None:
        if error.unknown:
            self._count_unknown(reserved)
        else:
            self._budget.forget(reserved)

    def _count_unknown(self, reserved: Estimate) -> None:
        """Count a call that may have been billed, and for how much is not known."""
        self._budget.keep(reserved)
        self.authored.calls += 1
        self.authored.cost_usd = None

    def _stop(self, said: str, exit_code: int) -> None:
        if self.authored.stopped is None:
            self.authored.stopped, self.authored.exit_code = said, exit_code

    def _stop_where_vain(self, fruitless: int) -> None:
        if self._missing > 0 and (
            fruitless >= _FRUITLESS or self.authored.calls >= self._most_calls
        ):
            self._stop(self._why_vain(), 1)

    def _why_vain(self) -> str:
        done = self.authored
        found, left_out = len(done.collection.found), done.collection.left_out
        most = f", most of the others {left_out.most_common(1)[0][0]}" if left_out else ""
        return (
            f"too few of the model's lines can be used: {found:,} of {self._order.n:,}"
            f" after {done.calls:,} calls{most}"
        )

    def _domain(self, number: int) -> str:
        return self._order.domains[number % len(self._order.domains)]

    def _asks(self, number: int) -> tuple[Message, ...]:
        return self._order.author.asks(self._domain(number), self._a_call, self._order.contrast)

    def _estimate(self, messages: Sequence[Message]) -> Estimate:
        price = self._prices.unit(self._target.request.model)
        return estimate(messages, max_tokens=self._max_tokens, price=price)

    @property
    def _max_tokens(self) -> int:
        return int(self._target.request.params.get("max_tokens", MAX_TOKENS))

    def _request(self, number: int, attempt: int) -> Request:
        asked = self._target.request
        return Request(
            model=asked.model,
            messages=self._asks(number),
            request_id=f"instructions-{self._order.seed}-{number}.{attempt}",
            params={"max_tokens": self._max_tokens, **asked.params},
            attempt=attempt,
            simulate=AuthorSimulation(self._a_call, self._cue) if asked.provider == "sim" else None,
        )

    def _check_key(self, spec: Spec, environ: Mapping[str, str]) -> None:
        from auditor.providers import key_variables

        try:
            providers = [spec.endpoints[name].provider for name in spec.used_endpoints]
            check_keys(spec, environ, key_variables(providers))
        except UsageError as error:
            raise _of_the_command(error, self._order.model) from None


def _spec_of(order: Commission) -> Spec:
    """A spec with the model as its target: it checks what a spec's model is checked for."""
    provider = order.model.partition(":")[0]
    lines = [
        'name = "instructions"',
        f"seed = {order.seed}",
        f"[endpoints.{toml_value(provider)}]",
        f"provider = {toml_value(provider)}",
        *(f"{key} = {toml_value(value)}" for key, value in order.endpoint.items()),
        "[[targets]]",
        'name = "author"',
        f"model = {toml_value(order.model)}",
        f"endpoint = {toml_value(provider)}",
        f"params = {toml_value(order.params)}",
        "[protocols.grap]",
    ]
    try:
        return parse_spec("\n".join(lines), "instructions")
    except UsageError as error:
        raise _of_the_command(error, order.model) from None


def _of_the_command(error: UsageError, model: str) -> UsageError:
    """An error of a spec that nobody wrote, in the terms of the command line."""
    said = dict.fromkeys(_PLACE.sub("", error.message).splitlines())
    return UsageError(f"{model}: {'; '.join(said)}", hint=error.hint)


def commissioned(order: Commission) -> AuthorWork:
    """The work of a commission in this process's environment. Raises as `AuthorWork` does."""
    return AuthorWork(order, os.environ)
