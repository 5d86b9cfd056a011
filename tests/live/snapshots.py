"""Made-up snapshots for the tests of the live view."""

from dataclasses import replace
from typing import Any

from auditor.protocols.base import Headline
from auditor.store.status import (
    AgentTotals,
    EndpointGauge,
    JudgeProgress,
    RecentError,
    Snapshot,
    TargetProgress,
)

NOW = 1_800_000_000.0

HOSTILE = (
    "evil\x1b[2J\x1b]0;own\x07\u202egpj.exe\x00\ud800[bold red]markup[/bold red]\r\nnext\U000e0041"
)


def target(
    name: str = "llama", responses: int = 0, planned: int = 1860, **rest: Any
) -> TargetProgress:
    return TargetProgress(
        target=name,
        protocol=rest.pop("protocol", "spatial.explicit"),
        planned=planned,
        responses=responses,
        failures=rest.pop("failures", 0),
        outcomes=rest,
    )


def judge(done: int, planned: int = 1860, **rest: Any) -> JudgeProgress:
    values = {"task": "choice", "judge": "rules", "invalid": 0, "failed": 0, "lag": 0} | rest
    return JudgeProgress(done=done, planned=planned, **values)


def agent(name: str, endpoint: str = "local", **rest: Any) -> AgentTotals:
    values = {"calls": 0, "retries": 0, "rate_limited": 0, "unknown": 0}
    values |= {"input_tokens": 0, "output_tokens": 0}
    return AgentTotals(agent=name, endpoint=endpoint, cost_usd=None, **(values | rest))


def gauge(endpoint: str = "local", **rest: Any) -> EndpointGauge:
    values = {"in_flight": 4, "concurrency": 8, "concurrency_limit": 16, "waiting_until": None}
    values |= {"reason": None, "last_error": None, "at": NOW}
    return EndpointGauge(endpoint=endpoint, **(values | rest))


def error(message: str = "503: overloaded", **rest: Any) -> RecentError:
    values = {"at": NOW - 8, "agent": "generator:llama", "kind": "transient"} | rest
    return RecentError(message=message, **values)


def headline(name: str = "men share", value: float | None = 0.623, **rest: Any) -> Headline:
    values = {"target": "llama", "ci_low": 0.595, "ci_high": 0.651, "n": 1150} | rest
    return Headline(name=name, value=value, **values)


def snapshot(*targets: TargetProgress, **rest: Any) -> Snapshot:
    made = Snapshot(
        run="demo",
        state="running",
        simulated=False,
        seed=1,
        created_at=NOW - 80,
        started_at=NOW - 72,
        ended_at=None,
        planned=sum(t.planned for t in targets),
        responses=sum(t.responses for t in targets),
        failures=sum(t.failures for t in targets),
        calls=sum(t.responses for t in targets),
        retries=0,
        input_tokens=0,
        output_tokens=0,
        cost_usd=None,
        reserved_usd=0.0,
        budget={},
        targets=targets,
        judges=(),
        agents=(),
        endpoints=(),
        errors=(),
        alarms=(),
    )
    return replace(made, **rest)


def busy_snapshot(**rest: Any) -> Snapshot:
    """Two targets in two protocols, two judges, everything that may be shown."""
    long = "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo"
    values: dict[str, Any] = {
        "judges": (
            judge(1100, 2230, lag=104, invalid=31),
            judge(9, 370, task="name", judge="opus"),
        ),
        "agents": (
            agent("generator:llama", calls=1310, retries=25, rate_limited=14),
            agent(f"generator:{long}", "openai", calls=90),
            agent("judge:name/opus", "openai", calls=9, unknown=2),
        ),
        "endpoints": (
            gauge(),
            gauge("openai", waiting_until=NOW + 12.4, reason="rate limit (429)"),
        ),
        "errors": (error(), error("429: slow down", kind="rate", agent="judge:name/opus")),
        "alarms": ("3 trials of llama failed for good, more than the spec tolerates",),
        "budget": {"usd": 5.0, "calls": 20_000.0, "tokens": 2e6},
        "cost_usd": 1.234,
        "reserved_usd": 0.04,
    }
    targets = (
        target("llama", 1204, failures=3, answered=1200, filtered=4),
        target("llama", 0, 370, protocol="stories"),
        target(long, 88),
        target("gpt-4o-mini", 370, 370),
    )
    return snapshot(*targets, **(values | rest))
