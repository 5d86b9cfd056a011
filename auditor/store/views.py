"""The views of a store: what people read of it, with names instead of ids."""

from __future__ import annotations

import sqlite3

_TRIAL_NAMES = "lower(hex(t.key)) AS trial, c.protocol, g.name AS target, c.factors, t.repetition"
_TRIAL_JOINS = (
    "JOIN trials t ON t.id = x.trial_id JOIN cells c ON c.id = t.cell_id "
    "JOIN targets g ON g.id = c.target_id"
)
_IN_PLAN = "(c.superseded = 0 AND t.repetition < c.repetitions) AS in_plan"

VIEWS = {
    "responses": f"""
        SELECT x.seq, {_TRIAL_NAMES}, x.outcome, body.text, thought.text AS reasoning,
               x.finish_reason, s.model, s.fingerprint, c.origin, {_IN_PLAN},
               x.call_seq AS call, datetime(e.at, 'unixepoch') AS at
        FROM _responses x {_TRIAL_JOINS} JOIN events e ON e.seq = x.seq
        LEFT JOIN texts body ON body.id = x.text_id
        LEFT JOIN texts thought ON thought.id = x.reasoning_id
        LEFT JOIN _calls k ON k.seq = x.call_seq
        LEFT JOIN served s ON s.id = coalesce(k.served_id, x.served_id)""",
    "annotations": f"""
        SELECT x.seq, {_TRIAL_NAMES}, j.task, j.name AS judge, x.source, x.repeat, x.valid,
               x.value, x.reason, raw.text AS raw, {_IN_PLAN}, x.call_seq AS call,
               datetime(e.at, 'unixepoch') AS at
        FROM _annotations x {_TRIAL_JOINS} JOIN judges j ON j.id = x.judge_id
        JOIN events e ON e.seq = x.seq LEFT JOIN texts raw ON raw.id = x.raw_id""",
    "calls": """
        SELECT x.seq, a.name AS agent, n.name AS endpoint, x.state, x.attempt,
               datetime(e.at, 'unixepoch') AS at, x.latency_ms, x.http_status, x.input_tokens,
               x.output_tokens, x.cost_usd, s.model, s.fingerprint, p.text AS sent,
               x.reserved_usd, x.reserved_tokens, x.error_kind, x.error
        FROM _calls x JOIN events e ON e.seq = x.seq JOIN agents a ON a.id = e.agent
        JOIN endpoints n ON n.id = x.endpoint_id LEFT JOIN served s ON s.id = x.served_id
        LEFT JOIN texts p ON p.id = x.sent_id""",
    "failures": f"""
        SELECT x.seq, {_TRIAL_NAMES}, j.task, j.name AS judge, x.kind, x.message,
               CASE WHEN x.judge_id IS NULL
                    THEN EXISTS (SELECT 1 FROM _responses r WHERE r.trial_id = x.trial_id)
                    ELSE EXISTS (SELECT 1 FROM _annotations n
                                 WHERE n.judge_id = x.judge_id AND n.source = x.source
                                   AND n.repeat = 0)
               END AS made_good, {_IN_PLAN}, datetime(e.at, 'unixepoch') AS at
        FROM _failures x {_TRIAL_JOINS} JOIN events e ON e.seq = x.seq
        LEFT JOIN judges j ON j.id = x.judge_id""",
    "statistics": """
        SELECT protocol, statistic, target, group_levels AS "group", value, ci_low, ci_high,
               p_value, n, note, simulated FROM _statistics""",
    "journal": """
        SELECT e.seq, datetime(e.at, 'unixepoch') AS at, a.name AS agent, k.kind, e.subject
        FROM events e JOIN agents a ON a.id = e.agent JOIN event_kinds k ON k.id = e.kind""",
}


def create_views(connection: sqlite3.Connection) -> None:
    """Make the readable views, or make them anew. The caller holds the transaction."""
    for name, query in VIEWS.items():
        connection.execute(f"DROP VIEW IF EXISTS {name}")
        connection.execute(f"CREATE VIEW {name} AS {query}")
