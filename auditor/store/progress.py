"""Reading a run's progress out of its store: from tallies and sums, never from texts."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping

from auditor.store.lock import Holder, is_gone, last_holder
from auditor.store.sources import JUDGED_OUTCOMES
from auditor.store.status import (
    AgentTotals,
    EndpointGauge,
    JudgeProgress,
    RecentError,
    Snapshot,
    TargetProgress,
)
from auditor.types import JSON

_STALE_SECONDS = 60.0
"""After so long without a heartbeat a holder on another host is taken for dead."""


def snapshot(connection: sqlite3.Connection) -> Snapshot:
    """Everything that a view of a run shows, consistent at one moment."""
    connection.execute("BEGIN")
    try:
        return _snapshot(connection)
    finally:
        connection.execute("COMMIT")


def _snapshot(connection: sqlite3.Connection) -> Snapshot:
    run = connection.execute(
        "SELECT name, seed, simulated, created_at, budget FROM runs"
    ).fetchone()
    holder = last_holder(connection)
    outcomes = _outcomes(connection)
    targets = _targets(connection, outcomes)
    judges = _judges(connection, outcomes)
    agents = _agents(connection)
    planned = sum(target.planned for target in targets)
    responses = sum(target.responses for target in targets)
    is_complete = planned == responses and all(j.done + j.failed == j.planned for j in judges)
    priced = [agent.cost_usd for agent in agents]
    return Snapshot(
        run=run[0],
        seed=run[1],
        simulated=bool(run[2]),
        created_at=run[3],
        budget=json.loads(run[4]),
        state=_state(holder, is_complete=is_complete and planned > 0),
        started_at=holder.since if holder else None,
        ended_at=holder.ended_at if holder else None,
        planned=planned,
        responses=responses,
        failures=sum(target.failures for target in targets),
        calls=sum(agent.calls for agent in agents),
        retries=sum(agent.retries for agent in agents),
        input_tokens=sum(agent.input_tokens for agent in agents),
        output_tokens=sum(agent.output_tokens for agent in agents),
        cost_usd=None if None in priced else sum(p for p in priced if p is not None),
        reserved_usd=_reserved(connection),
        targets=tuple(targets),
        judges=tuple(judges),
        agents=tuple(agents),
        endpoints=tuple(_gauges(connection)),
        errors=tuple(_errors(connection)),
        alarms=tuple(
            row[0] for row in connection.execute("SELECT message FROM alarms ORDER BY seq")
        ),
    )


def _state(holder: Holder | None, *, is_complete: bool) -> str:
    if holder is not None and holder.ended_at is None:
        gone = is_gone(holder)
        if gone is False or (gone is None and time.time() - holder.beat_at < _STALE_SECONDS):
            return "running"
        return "complete" if is_complete else "interrupted"
    if is_complete:
        return "complete"
    if holder is not None and holder.ending == "interrupted":
        return "interrupted"
    return "incomplete"


_Outcomes = Mapping[tuple[str, int], Mapping[str, int]]


def _outcomes(connection: sqlite3.Connection) -> _Outcomes:
    """Responses in the plan by (protocol, target id) and outcome."""
    rows = connection.execute(
        "SELECT c.protocol, c.target_id, y.label, sum(y.count) FROM tallies y"
        " JOIN cells c ON c.id = y.cell_id"
        " WHERE y.judge_id = 0 AND c.superseded = 0 AND c.repetitions > 0 GROUP BY 1, 2, 3"
    )
    counts: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for protocol, target, label, count in rows:
        counts[protocol, target][label] = count
    return counts


_OPEN_FAILURES = """
    SELECT c.protocol, c.target_id, count(DISTINCT f.trial_id)
    FROM _failures f JOIN trials t ON t.id = f.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE f.judge_id IS NULL AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _responses r WHERE r.trial_id = f.trial_id)
      AND NOT EXISTS (SELECT 1 FROM in_flight i WHERE i.trial_id = f.trial_id)
    GROUP BY 1, 2"""


def _targets(connection: sqlite3.Connection, outcomes: _Outcomes) -> list[TargetProgress]:
    failures = {(p, t): n for p, t, n in connection.execute(_OPEN_FAILURES)}
    rows = connection.execute(
        "SELECT p.protocol, p.target_id, g.name, p.trials FROM plans p"
        " JOIN targets g ON g.id = p.target_id ORDER BY p.target_id, p.protocol"
    )
    return [
        TargetProgress(
            target=name,
            protocol=protocol,
            planned=trials,
            responses=sum(outcomes.get((protocol, target), {}).values()),
            failures=failures.get((protocol, target), 0),
            outcomes=outcomes.get((protocol, target), {}),
        )
        for protocol, target, name, trials in rows
    ]


_OPEN_JUDGE_FAILURES = """
    SELECT f.judge_id, count(DISTINCT f.source) FROM _failures f
    JOIN trials t ON t.id = f.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE f.judge_id IS NOT NULL AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _annotations a
                      WHERE a.judge_id = f.judge_id AND a.source = f.source)
    GROUP BY 1"""


def _judges(connection: sqlite3.Connection, outcomes: _Outcomes) -> list[JudgeProgress]:
    failed = dict(connection.execute(_OPEN_JUDGE_FAILURES).fetchall())
    done: dict[int, dict[str, int]] = defaultdict(dict)
    for judge, label, count in connection.execute(
        "SELECT y.judge_id, y.label, sum(y.count) FROM tallies y JOIN cells c ON c.id = y.cell_id"
        " JOIN planned_judges p ON p.judge_id = y.judge_id AND p.protocol = c.protocol"
        " WHERE c.superseded = 0 AND c.repetitions > 0 GROUP BY 1, 2"
    ):
        done[judge][label] = count
    planned_trials: dict[str, int] = defaultdict(int)
    for protocol, trials in connection.execute("SELECT protocol, trials FROM plans"):
        planned_trials[protocol] += trials
    unread: dict[str, int] = defaultdict(int)
    to_read: dict[str, int] = defaultdict(int)
    for (protocol, _), counts in outcomes.items():
        for outcome, count in counts.items():
            (to_read if outcome in JUDGED_OUTCOMES else unread)[protocol] += count
    protocols: dict[int, list[str]] = defaultdict(list)
    names: dict[int, tuple[str, str]] = {}
    for judge, protocol, task, name in connection.execute(
        "SELECT p.judge_id, p.protocol, j.task, j.name FROM planned_judges p"
        " JOIN judges j ON j.id = p.judge_id ORDER BY p.judge_id"
    ):
        protocols[judge].append(protocol)
        names[judge] = (task, name)
    textless = _textless(connection)
    progress = []
    for judge, (task, name) in names.items():
        count = sum(done[judge].values())
        lost = failed.get(judge, 0)
        available = sum(to_read[p] - textless.get(p, 0) for p in protocols[judge])
        progress.append(
            JudgeProgress(
                task=task,
                judge=name,
                # What turned out to have no text is not there to be judged.
                planned=sum(
                    planned_trials[p] - unread[p] - textless.get(p, 0) for p in protocols[judge]
                ),
                done=count,
                invalid=done[judge].get("invalid", 0),
                failed=lost,
                lag=max(0, available - count - lost),
            )
        )
    return progress


def _textless(connection: sqlite3.Connection) -> dict[str, int]:
    """Imported responses without text, by protocol: they count as answered, and none reads them."""
    if not connection.execute(
        "SELECT EXISTS (SELECT 1 FROM targets WHERE origin = 'imported')"
    ).fetchone()[0]:
        return {}
    return dict(
        connection.execute(
            "SELECT c.protocol, count(*) FROM _responses r JOIN trials t ON t.id = r.trial_id"
            " JOIN cells c ON c.id = t.cell_id WHERE c.origin = 'imported'"
            " AND r.text_id IS NULL AND r.outcome = 'answered' GROUP BY 1"
        ).fetchall()
    )


def _agents(connection: sqlite3.Connection) -> list[AgentTotals]:
    rows = connection.execute(
        "SELECT a.name, n.name, s.calls, s.retries, s.rate_limited, s.unknown, s.unpriced,"
        " s.input_tokens, s.output_tokens, s.cost_usd FROM spending s"
        " JOIN agents a ON a.id = s.agent_id JOIN endpoints n ON n.id = s.endpoint_id ORDER BY a.id"
    )
    return [
        AgentTotals(
            agent=agent,
            endpoint=endpoint,
            calls=calls,
            retries=retries,
            rate_limited=rate_limited,
            unknown=unknown,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost_usd=None if unpriced else cost,
        )
        for (
            agent,
            endpoint,
            calls,
            retries,
            rate_limited,
            unknown,
            unpriced,
            tokens_in,
            tokens_out,
            cost,
        ) in rows
    ]


def _reserved(connection: sqlite3.Connection) -> float:
    in_flight = connection.execute("SELECT coalesce(sum(reserved_usd), 0.0) FROM in_flight")
    unknown = connection.execute("SELECT coalesce(sum(reserved_usd), 0.0) FROM spending")
    return float(in_flight.fetchone()[0]) + float(unknown.fetchone()[0])


def _gauges(connection: sqlite3.Connection) -> list[EndpointGauge]:
    rows = connection.execute(
        "SELECT endpoint, in_flight, concurrency, concurrency_limit, waiting_until, reason,"
        " last_error, at FROM gauges ORDER BY endpoint"
    )
    names = ("endpoint", "in_flight", "concurrency", "concurrency_limit", "waiting_until")
    return [
        EndpointGauge(**dict(zip((*names, "reason", "last_error", "at"), row, strict=True)))
        for row in rows
    ]


def _errors(connection: sqlite3.Connection) -> list[RecentError]:
    last = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0]
    # Only the newest stretch of the journal is looked at: a long run must not slow its view.
    rows = connection.execute(
        "SELECT e.at, a.name, k.error_kind, k.error FROM _calls k JOIN events e ON e.seq = k.seq"
        " JOIN agents a ON a.id = e.agent WHERE k.seq > ? AND k.error IS NOT NULL"
        " ORDER BY k.seq DESC LIMIT 5",
        (last - 5000,),
    ).fetchall()
    return [
        RecentError(at=at, agent=a, kind=kind, message=text) for at, a, kind, text in rows[::-1]
    ]


def label_counts(
    connection: sqlite3.Connection, protocol: str, target: str, task: str
) -> Iterator[tuple[dict[str, JSON], dict[str, int]]]:
    """Annotations by label of each cell of one target, for the headline figures.

    Where several judges annotate the task, the first of the plan is taken.
    """
    judge = connection.execute(
        "SELECT j.id FROM planned_judges p JOIN judges j ON j.id = p.judge_id"
        " WHERE p.protocol = ? AND j.task = ? ORDER BY j.id LIMIT 1",
        (protocol, task),
    ).fetchone()
    if judge is None:
        return
    rows = connection.execute(
        "SELECT c.id, c.factors, y.label, y.count FROM cells c JOIN targets g ON g.id = c.target_id"
        " JOIN tallies y ON y.cell_id = c.id AND y.judge_id = ?"
        " WHERE c.protocol = ? AND g.name = ? AND c.superseded = 0 AND c.repetitions > 0"
        " ORDER BY c.place, c.id",
        (judge[0], protocol, target),
    )
    current: int | None = None
    factors: dict[str, JSON] = {}
    counts: dict[str, int] = {}
    for cell, text, label, count in rows:
        if cell != current:
            if current is not None:
                yield factors, counts
            current, factors, counts = cell, json.loads(text), {}
        counts[label] = count
    if current is not None:
        yield factors, counts
