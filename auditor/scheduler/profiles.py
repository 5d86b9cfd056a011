"""What is known of each target's model: asked once, kept in the store, obeyed by the run."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents import calls
from auditor.canonical import canonical_json
from auditor.endpoints import Budget, Endpoint, Prices, estimate
from auditor.errors import EndpointError, UsageError
from auditor.providers.capabilities import Capabilities
from auditor.scheduler.plan import Plan
from auditor.spec.model import Target
from auditor.store.plan import PROBER
from auditor.store.records import CallRecord, Profile
from auditor.store.store import Store
from auditor.types import Reply, Request

STALE_SECONDS = 7 * 24 * 3600
_MOST_OUTPUT_TOKENS = 1024


@dataclass(frozen=True, kw_only=True)
class Probed:
    """What the questions to one target's model showed."""

    target: str
    model: str
    endpoint: str
    findings: tuple[tuple[str, str], ...]
    """(question, answer)."""
    capabilities: Capabilities | None
    """None where the endpoint could not be asked."""
    error: str | None = None
    calls: int = 0


def read_profile(connection: sqlite3.Connection, endpoint: str, model: str) -> Capabilities | None:
    """What is known of a model at an endpoint, or None."""
    row = connection.execute(
        "SELECT findings FROM profiles WHERE endpoint = ? AND model = ?", (endpoint, model)
    ).fetchone()
    return None if row is None else Capabilities.from_json(json.loads(row[0])["capabilities"])


def _is_known(connection: sqlite3.Connection, target: Target) -> bool:
    row = connection.execute(
        "SELECT at FROM profiles WHERE endpoint = ? AND model = ?",
        (target.endpoint, target.request.model),
    ).fetchone()
    return row is not None and time.time() - row[0] < STALE_SECONDS


async def probe_targets(
    plan: Plan,
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Prices],
    budget: Budget,
    store: Store,
    *,
    say: Callable[[str], None],
    every: bool = False,
) -> list[Probed]:
    """Ask what is not known, or (`every`) all again; each model of an endpoint once.

    A target that cannot be asked is left unknown: its own calls will meet the same error, with
    the run's retries behind them.
    """
    asked: dict[tuple[str, str], Target] = {}
    for target in plan.spec.targets:
        if not target.simulated and (every or not _is_known(store.reader, target)):
            asked.setdefault((target.endpoint, target.request.model), target)
    if not asked:
        return []
    say(f"asking {len(asked)} model(s) what they take, at most 6 short calls each")
    work = [
        _probe(target, endpoints[target.endpoint], prices[target.endpoint], budget, store)
        for target in asked.values()
    ]
    probed = await asyncio.gather(*work)
    for endpoint in {target.endpoint for target in asked.values()}:
        # Adapters were opened without these profiles.
        await endpoints[endpoint].renew()
    for found in probed:
        if found.error is not None:
            say(f"target {found.target} could not be asked: {found.error}")
    return list(probed)


async def _probe(
    target: Target, endpoint: Endpoint, prices: Prices, budget: Budget, store: Store
) -> Probed:
    from auditor.providers import known_provider
    from auditor.providers.probes import probe

    agent_id, endpoint_id = store.agent_id(PROBER), store.endpoint_id(target.endpoint)
    made = 0

    async def send(request: Request) -> Reply:
        nonlocal made
        made += 1
        call = estimate(
            request.messages,
            max_tokens=request.params.get("max_tokens", _MOST_OUTPUT_TOKENS),
            choices=request.choices,
            price=prices.unit(request.model),
            schema=request.schema,
        )
        if not budget.reserve(call):
            raise EndpointError("the budget leaves no room for this question")
        started_at, begun = time.time(), time.monotonic()
        try:
            reply = await endpoint.attempt(request, tokens_estimate=call.input_tokens)
        except asyncio.CancelledError:
            budget.keep(call)
            store.post(
                calls.ended_in_error(
                    EndpointError("interrupted while the call was under way", unknown=True),
                    (),
                    agent_id=agent_id,
                    endpoint_id=endpoint_id,
                    started_at=started_at,
                    latency_seconds=time.monotonic() - begun,
                )
            )
            raise
        except EndpointError as error:
            if error.unknown:
                budget.keep(call)
            else:
                budget.forget(call)
            await store.append(
                calls.ended_in_error(
                    error,
                    (),
                    agent_id=agent_id,
                    endpoint_id=endpoint_id,
                    started_at=started_at,
                    latency_seconds=time.monotonic() - begun,
                )
            )
            raise
        cost = prices.cost_usd(request.model, reply.usage)
        budget.settle(call, reply.usage, cost)
        record: CallRecord = calls.answered(
            reply,
            (),
            agent_id=agent_id,
            endpoint_id=endpoint_id,
            started_at=started_at,
            latency_seconds=time.monotonic() - begun,
            cost_usd=cost,
        )
        await store.append(record)
        return reply

    asked = {"target": target.name, "model": target.request.model, "endpoint": target.endpoint}
    try:
        report = await probe(
            send,
            model=target.request.model,
            api=target.request.api,
            wire=known_provider(endpoint.config.provider).wire,
            extra_body=target.request.extra_body,
        )
    except EndpointError as error:
        return Probed(**asked, findings=(), capabilities=None, error=error.message, calls=made)
    findings = tuple((finding.question, finding.answer) for finding in report.findings)
    body = {"capabilities": report.capabilities.as_json(), "findings": [list(f) for f in findings]}
    await store.append(
        Profile(
            agent_id=agent_id,
            endpoint=target.endpoint,
            model=target.request.model,
            findings=canonical_json(body),
        )
    )
    return Probed(**asked, findings=findings, capabilities=report.capabilities, calls=report.calls)


_WAYS_OUT = {
    "temperature": "take temperature out of params, or set temperature = [1.0] in the protocol: "
    "this model samples at its own temperature",
    "logprobs": "take logprobs and top_logprobs out of params, or leave this target out",
    "seed": "take seed out of params",
    "choices": "set samples_per_request = 1",
}


def check_parameters(plan: Plan, connection: sqlite3.Connection) -> None:
    """Raise UsageError where a model is known to refuse what the plan would send it."""
    for target in plan.spec.targets:
        known = read_profile(connection, target.endpoint, target.request.model)
        if known is None:
            continue
        seen: set[str] = set()
        for cell in plan.cells(target):
            params = canonical_json(cell.params)
            if params in seen:
                continue
            seen.add(params)
            request = Request(
                model=target.request.model,
                messages=(),
                request_id="",
                params={**cell.params, **_seed(target)},
                choices=min(target.samples_per_request, cell.repetitions),
                api=target.request.api,
            )
            refused = known.refused_parameter(request)
            if refused is not None:
                value = request.choices if refused == "choices" else request.params.get(refused)
                raise UsageError(
                    f"{plan.spec.source}: target {target.name}: {target.request.model} does not"
                    f" take {refused} = {value!r}",
                    hint=_WAYS_OUT[refused],
                )


def _seed(target: Target) -> dict[str, int]:
    return {"seed": 1} if target.request.params.get("seed") else {}
