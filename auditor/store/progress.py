"""Reading a run's progress out of its store: from tallies and sums, never from texts."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import replace

from auditor.store.lock import Holder, is_gone, last_holder
from auditor.store.planned_judges import READS_THE_PLAN, judge_label
from auditor.store.results import last_seq
from auditor.store.sources import JUDGED_OUTCOMES, unjudged
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

NEWEST_EVENTS = 5000
"""The stretch of the journal in which failed calls are looked for."""


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
    is_complete = planned == responses and all(j.done == j.planned for j in judges)
    priced = [agent.cost_usd for agent in agents]
    return Snapshot(
        run=run[0],
        seed=run[1],
        simulated=bool(run[2]),
        created_at=run[3],
        budget=json.loads(run[4]),
        state=_state(
            holder, is_complete=is_complete and (planned > 0 or _is_counted(connection, holder))
        ),
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


def _is_counted(connection: sqlite3.Connection, holder: Holder | None) -> bool:
    """Whether a store that asks nothing holds texts that were counted to the end."""
    if holder is None or holder.ending != "complete":
        return False
    return connection.execute("SELECT 1 FROM corpus_files LIMIT 1").fetchone() is not None


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


# CROSS JOIN: SQLite begins with the failures, which are few, and not with all trials of the plan.
_OPEN_FAILURES = """
    SELECT c.protocol, c.target_id, count(DISTINCT f.trial_id)
    FROM _failures f CROSS JOIN trials t ON t.id = f.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE f.judge_id IS NULL AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _responses r WHERE r.trial_id = f.trial_id)
      AND NOT EXISTS (SELECT 1 FROM in_flight i WHERE i.trial_id = f.trial_id)
    GROUP BY 1, 2"""


def _targets(connection: sqlite3.Connection, outcomes: _Outcomes) -> list[TargetProgress]:
    failures = {(p, t): n for p, t, n in connection.execute(_OPEN_FAILURES)}
    rows = connection.execute(
        "SELECT p.protocol, p.target_id, g.name, p.trials, g.simulated FROM plans p"
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
            simulated=bool(simulated),
        )
        for protocol, target, name, trials, simulated in rows
    ]


_OPEN_JUDGE_FAILURES = f"""
    SELECT f.judge_id, c.origin, count(DISTINCT f.source) FROM _failures f
    CROSS JOIN trials t ON t.id = f.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE f.judge_id IS NOT NULL AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _annotations a
                      WHERE a.judge_id = f.judge_id AND a.source = f.source AND a.repeat = 0)
      AND {READS_THE_PLAN.format(row="f")}
    GROUP BY 1, 2"""
_LABELS = """
    SELECT y.judge_id, c.origin, y.label, sum(y.count) FROM tallies y
    JOIN cells c ON c.id = y.cell_id
    JOIN planned_judges p ON p.judge_id = y.judge_id AND p.protocol = c.protocol
         AND p.origin = c.origin
    WHERE c.superseded = 0 AND c.repetitions > 0 GROUP BY 1, 2, 3"""
_PLANNED_JUDGES = """
    SELECT p.judge_id, j.task, j.name, json_extract(j.configuration, '$.setting'), p.origin,
           json_group_array(p.protocol),
           coalesce(json_extract(j.configuration, '$.imported'), 0), j.reads
    FROM planned_judges p JOIN judges j ON j.id = p.judge_id
    GROUP BY p.judge_id, p.origin ORDER BY j.reads IS NOT NULL, p.judge_id"""


def _judges(connection: sqlite3.Connection, outcomes: _Outcomes) -> list[JudgeProgress]:
    failed = {(j, origin): n for j, origin, n in connection.execute(_OPEN_JUDGE_FAILURES)}
    labels: dict[tuple[int, str], dict[str, int]] = defaultdict(dict)
    for judge, origin, label, count in connection.execute(_LABELS):
        labels[judge, origin][label] = count
    planned, available = _planned_sources(connection, outcomes)
    progress: dict[int, JudgeProgress] = {}
    to_come: dict[tuple[str, str, str], int] = defaultdict(int)
    """Annotations that are still to be made, by protocol, task and origin."""
    rows = connection.execute(_PLANNED_JUDGES).fetchall()
    for judge, task, name, setting, origin, names, is_imported, reads in rows:
        protocols = json.loads(names)
        counts = labels[judge, origin]
        done, lost = sum(counts.values()), failed.get((judge, origin), 0)
        if origin == "planned" and reads is None:
            lag = max(0, sum(available[protocol] for protocol in protocols) - done - lost)
            wanted = sum(planned[protocol] for protocol in protocols)
        else:
            # Not all that is imported has a text, or wants this judge, and not every annotation
            # can be read: what is left is counted.
            lag = 0 if is_imported else unjudged(connection, judge, origin=origin, reads=reads)
            wanted = done + lost + lag
            if not is_imported:
                wanted += sum(to_come[protocol, reads, origin] for protocol in protocols)
        for protocol in protocols:
            to_come[protocol, task, origin] += max(0, wanted - done - lost)
        part = JudgeProgress(
            task=task,
            judge=judge_label(name, setting),
            planned=wanted,
            done=done,
            invalid=counts.get("invalid", 0),
            failed=lost,
            lag=lag,
        )
        progress[judge] = _together(progress[judge], part) if judge in progress else part
    return list(progress.values())


def _planned_sources(
    connection: sqlite3.Connection, outcomes: _Outcomes
) -> tuple[dict[str, int], dict[str, int]]:
    """Responses of planned targets to be judged in the end, and those that are there to be."""
    planned: dict[str, int] = defaultdict(int)
    available: dict[str, int] = defaultdict(int)
    for protocol, target, trials in connection.execute(
        "SELECT p.protocol, p.target_id, p.trials FROM plans p"
        " JOIN targets g ON g.id = p.target_id WHERE g.origin = 'planned'"
    ):
        counts = outcomes.get((protocol, target), {})
        judged = sum(count for outcome, count in counts.items() if outcome in JUDGED_OUTCOMES)
        available[protocol] += judged
        # What turned out to have no text is not there to be judged.
        planned[protocol] += trials - (sum(counts.values()) - judged)
    return planned, available


def _together(first: JudgeProgress, second: JudgeProgress) -> JudgeProgress:
    """One judge's work on planned and on imported answers."""
    names = ("planned", "done", "invalid", "failed", "lag")
    sums = {name: getattr(first, name) + getattr(second, name) for name in names}
    return replace(first, **sums)


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
    sums = [
        connection.execute(f"SELECT coalesce(sum(reserved_usd), 0.0) FROM {table}").fetchone()[0]
        for table in ("in_flight", "judging", "spending")
    ]
    return float(sum(sums))


def _gauges(connection: sqlite3.Connection) -> list[EndpointGauge]:
    rows = connection.execute(
        "SELECT endpoint, in_flight, concurrency, concurrency_limit, waiting_until, reason,"
        " last_error, at, is_stopped FROM gauges ORDER BY endpoint"
    )
    return [
        EndpointGauge(
            endpoint=endpoint,
            in_flight=in_flight,
            concurrency=concurrency,
            concurrency_limit=limit,
            waiting_until=until,
            reason=reason,
            last_error=last_error,
            at=at,
            is_stopped=bool(stopped),
        )
        for (
            endpoint,
            in_flight,
            concurrency,
            limit,
            until,
            reason,
            last_error,
            at,
            stopped,
        ) in rows
    ]


def _errors(connection: sqlite3.Connection) -> list[RecentError]:
    # Only the newest stretch of the journal is looked at: a long run must not slow its view.
    rows = connection.execute(
        "SELECT e.at, a.name, k.error_kind, k.error FROM _calls k JOIN events e ON e.seq = k.seq"
        " JOIN agents a ON a.id = e.agent WHERE k.seq > ? AND k.error IS NOT NULL"
        " ORDER BY k.seq DESC LIMIT 5",
        (last_seq(connection) - NEWEST_EVENTS,),
    ).fetchall()
    return [
        RecentError(at=at, agent=a, kind=kind, message=text) for at, a, kind, text in rows[::-1]
    ]


def label_counts(
    connection: sqlite3.Connection, protocol: str, target: str, task: str
) -> Generator[tuple[dict[str, JSON], dict[str, int]], None, None]:
    """Annotations by label of each cell of one target, for the headline figures.

    Where several judges annotate the task, the first of the plan is taken.
    """
    judge = connection.execute(
        "SELECT j.id FROM planned_judges p JOIN judges j ON j.id = p.judge_id"
        " JOIN targets g ON g.origin = p.origin"
        " WHERE p.protocol = ? AND j.task = ? AND g.name = ? ORDER BY j.id LIMIT 1",
        (protocol, task, target),
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
