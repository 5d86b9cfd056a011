"""What is known of each model: asked once, kept in the store, obeyed by the run."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents import calls
from auditor.canonical import canonical_json
from auditor.endpoints import Budget, Endpoint, Prices, estimate
from auditor.errors import EndpointError, UnknownModelError, UsageError
from auditor.providers.capabilities import Capabilities
from auditor.spec.model import Judge, Target
from auditor.store.plan import PROBER
from auditor.store.records import CallRecord, Profile
from auditor.store.store import Store
from auditor.types import JSON, Cell, Reply, Request

STALE_SECONDS = 7 * 24 * 3600
_MOST_OUTPUT_TOKENS = 1024


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A model that a target or a judge of the spec calls."""

    name: str
    """The target's name, or "judge TASK/NAME"."""
    endpoint: str
    model: str
    api: str = "chat"
    extra_body: Mapping[str, JSON] = field(default_factory=dict)

    @classmethod
    def of_target(cls, target: Target) -> Subject:
        """The model under audit."""
        asked = target.request
        return cls(
            name=target.name,
            endpoint=target.endpoint,
            model=asked.model,
            api=asked.api,
            extra_body=asked.extra_body,
        )

    @classmethod
    def of_judge(cls, judge: Judge) -> Subject | None:
        """The model that judges; None for an offline judge."""
        if judge.endpoint is None or judge.model is None:
            return None
        return cls(
            name=f"judge {judge.task}/{judge.name}",
            endpoint=judge.endpoint,
            model=judge.model,
            extra_body=judge.extra_body,
        )


@dataclass(frozen=True, kw_only=True)
class Probed:
    """What the questions to one model showed."""

    target: str
    """Name of the first target or judge that calls it."""
    model: str
    endpoint: str
    findings: tuple[tuple[str, str], ...]
    """(question, answer)."""
    capabilities: Capabilities | None
    """None where the endpoint could not be asked."""
    error: str | None = None
    calls: int = 0
    is_absent: bool = False
    """Whether it is a model of this process that cannot be loaded: no retry will help."""

    def as_json(self) -> dict[str, JSON]:
        """For `doctor --json`."""
        return {
            "target": self.target,
            "model": self.model,
            "endpoint": self.endpoint,
            "error": self.error,
            "calls": self.calls,
            "capabilities": self.capabilities and self.capabilities.as_json(),
            "findings": dict(self.findings),
        }


def read_profile(connection: sqlite3.Connection, endpoint: str, model: str) -> Capabilities | None:
    """What is known of a model at an endpoint, or None."""
    row = connection.execute(
        "SELECT findings FROM profiles WHERE endpoint = ? AND model = ?", (endpoint, model)
    ).fetchone()
    return None if row is None else Capabilities.from_json(json.loads(row[0])["capabilities"])


def _is_known(connection: sqlite3.Connection, subject: Subject) -> bool:
    row = connection.execute(
        "SELECT at FROM profiles WHERE endpoint = ? AND model = ?",
        (subject.endpoint, subject.model),
    ).fetchone()
    # Either way: a clock that was ahead by years when it was kept does not keep it for years.
    return row is not None and abs(time.time() - row[0]) < STALE_SECONDS


async def probe_targets(
    targets: Sequence[Target],
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Prices],
    budget: Budget,
    store: Store,
    *,
    say: Callable[[str], None],
    judges: Sequence[Judge] = (),
    every: bool = False,
) -> list[Probed]:
    """Ask what is not known, or (`every`) all again; each model of an endpoint once.

    A model that cannot be asked is left unknown: the run's own calls will meet the same error,
    with retries behind them.
    """
    subjects = [Subject.of_target(target) for target in targets if not target.simulated]
    found = [Subject.of_judge(judge) for judge in judges if not judge.simulated]
    subjects += [subject for subject in found if subject is not None]
    asked: dict[tuple[str, str], Subject] = {}
    for subject in subjects:
        if every or not _is_known(store.reader, subject):
            asked.setdefault((subject.endpoint, subject.model), subject)
    if not asked:
        return []
    from auditor.providers.probes import MOST_CALLS

    whom = "1 model what it takes" if len(asked) == 1 else f"{len(asked)} models what they take"
    say(f"asking {whom}, at most {MOST_CALLS} short calls each")
    work = [
        _probe(subject, endpoints[subject.endpoint], prices[subject.endpoint], budget, store)
        for subject in asked.values()
    ]
    probed = await asyncio.gather(*work)
    for endpoint in {subject.endpoint for subject in asked.values()}:
        # Adapters were opened without these profiles.
        await endpoints[endpoint].renew()
    for report in probed:
        if report.error is not None:
            say(f"the model of {report.target} could not be asked: {report.error}")
    return list(probed)


async def _probe(
    subject: Subject, endpoint: Endpoint, prices: Prices, budget: Budget, store: Store
) -> Probed:
    from auditor.providers import known_provider
    from auditor.providers.probes import probe

    agent_id, endpoint_id = store.agent_id(PROBER), store.endpoint_id(subject.endpoint)
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

        def failed(error: EndpointError) -> CallRecord:
            record = calls.ended_in_error(
                error,
                (),
                agent_id=agent_id,
                endpoint_id=endpoint_id,
                started_at=started_at,
                latency_seconds=time.monotonic() - begun,
            )
            if not error.unknown:
                return record
            # What may have been billed stays counted after a resume.
            tokens = call.tokens or call.input_tokens
            return replace(record, reserved_usd=call.usd, reserved_tokens=tokens)

        try:
            reply = await endpoint.attempt(request, tokens_estimate=call.input_tokens)
        except asyncio.CancelledError:
            budget.keep(call)
            interrupted = EndpointError("interrupted while the call was under way", unknown=True)
            store.post(replace(failed(interrupted), error_kind="interrupted"))
            raise
        except EndpointError as error:
            if error.unknown:
                budget.keep(call)
            else:
                budget.forget(call)
            await store.append(failed(error))
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
        calls.keep_unsaid(record, call)
        await store.append(record)
        return reply

    asked: dict[str, Any] = {
        "target": subject.name,
        "model": subject.model,
        "endpoint": subject.endpoint,
    }
    try:
        report = await probe(
            send,
            model=subject.model,
            api=subject.api,
            wire=known_provider(endpoint.config.provider).wire,
            extra_body=subject.extra_body,
        )
    except EndpointError as error:
        is_absent = isinstance(error, UnknownModelError) and endpoint.config.is_in_process
        return Probed(
            **asked,
            findings=(),
            capabilities=None,
            error=error.message,
            calls=made,
            is_absent=is_absent,
        )
    findings = tuple((finding.question, finding.answer) for finding in report.findings)
    if not report.is_answered:
        # What it refuses shows nothing of what it takes: it is not kept, and asked again.
        said = f"every question was refused, the plainest too: {findings[0][1]}"
        return Probed(**asked, findings=findings, capabilities=None, error=said, calls=report.calls)
    body = {"capabilities": report.capabilities.as_json(), "findings": [list(f) for f in findings]}
    await store.append(
        Profile(
            agent_id=agent_id,
            endpoint=subject.endpoint,
            model=subject.model,
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


def check_parameters(
    source: str, work: Iterable[tuple[Target, Iterable[Cell]]], connection: sqlite3.Connection
) -> None:
    """Raise UsageError where a model is known to refuse what it would be sent.

    `source` is what messages call the spec; `work` the targets with the cells to be asked.
    """
    for target, cells in work:
        known = read_profile(connection, target.endpoint, target.request.model)
        if known is None:
            continue
        seen: set[str] = set()
        for cell in cells:
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
                    f"{source}: target {target.name}: {target.request.model} does not"
                    f" take {refused} = {value!r}",
                    hint=_WAYS_OUT[refused],
                )


def check_judges(source: str, judges: Iterable[Judge], connection: sqlite3.Connection) -> None:
    """Raise UsageError where a judge's model is known to refuse the judge's parameters."""
    for judge in judges:
        if judge.endpoint is None or judge.model is None:
            continue
        known = read_profile(connection, judge.endpoint, judge.model)
        request = Request(model=judge.model, messages=(), request_id="", params=judge.params)
        refused = None if known is None else known.refused_parameter(request)
        if refused is not None:
            raise UsageError(
                f"{source}: judge {judge.task}/{judge.name}: {judge.model} does not take {refused}"
                f" = {judge.params.get(refused)!r}",
                hint=f"take {refused} out of the judge's params",
            )


def _seed(target: Target) -> dict[str, int]:
    return {"seed": 1} if target.request.params.get("seed") else {}
