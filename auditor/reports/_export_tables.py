"""The tables of an export: their columns, and their rows streamed out of a store."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from auditor.store.texts import read_text

_HASH_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, what it holds, and where it comes from."""

    name: str
    kind: str
    """text, integer, real, flag, moment, json (any JSON value) or factors (an object)."""
    source: str
    """SQL that gives it; JSON as text, moments as Unix seconds."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of an export."""

    name: str
    columns: tuple[Column, ...]
    origin: str
    """SQL after the columns: FROM, joins, order."""

    def rows(self, connection: sqlite3.Connection) -> Iterator[list[Any]]:
        """The rows in the order of their events, as Python values; JSON is parsed."""
        readers = [_READERS[column.kind] for column in self.columns]
        query = ", ".join(column.source for column in self.columns)
        for row in connection.execute(f"SELECT {query} {self.origin}"):
            yield [
                None if value is None else read(value)
                for read, value in zip(readers, row, strict=True)
            ]


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": read_text,
    "integer": int,
    "real": float,
    "flag": bool,
    "moment": _moment,
    "json": lambda stored: json.loads(read_text(stored) or "null"),
    "factors": json.loads,
}

_TRIAL = (
    Column("trial", "text", "lower(hex(t.key))"),
    Column("protocol", "text", "c.protocol"),
    Column("target", "text", "g.name"),
    Column("factors", "factors", "c.factors"),
    Column("repetition", "integer", "t.repetition"),
)
_FROM_TRIAL = "JOIN cells c ON c.id = t.cell_id JOIN targets g ON g.id = c.target_id"
_IN_PLAN = "c.superseded = 0 AND t.repetition < c.repetitions"
_STANDING = (
    Column("origin", "text", "c.origin"),
    Column("in_plan", "flag", f"({_IN_PLAN})"),
    Column("simulated", "flag", "g.simulated"),
)

TRIALS = Table(
    "trials",
    (
        *_TRIAL,
        Column("messages", "json", "asked.text"),
        Column("params", "json", "c.params"),
        *_STANDING,
    ),
    f"FROM trials t {_FROM_TRIAL} LEFT JOIN texts asked ON asked.id = c.prompt_id ORDER BY t.id",
)
RESPONSES = Table(
    "responses",
    (
        *_TRIAL,
        Column("outcome", "text", "x.outcome"),
        Column("text", "text", "body.text"),
        Column("reasoning", "text", "thought.text"),
        Column("finish_reason", "text", "x.finish_reason"),
        Column("logprobs", "json", "likely.text"),
        Column("model", "text", "s.model"),
        Column("fingerprint", "text", "s.fingerprint"),
        Column("at", "moment", "e.at"),
        Column("call", "integer", "x.call_seq"),
        *_STANDING,
    ),
    f"FROM _responses x JOIN trials t ON t.id = x.trial_id {_FROM_TRIAL}"
    " JOIN events e ON e.seq = x.seq LEFT JOIN texts body ON body.id = x.text_id"
    " LEFT JOIN texts thought ON thought.id = x.reasoning_id"
    " LEFT JOIN texts likely ON likely.id = x.logprobs_id"
    " LEFT JOIN _calls k ON k.seq = x.call_seq"
    " LEFT JOIN served s ON s.id = coalesce(k.served_id, x.served_id) ORDER BY x.seq",
)
ANNOTATIONS = Table(
    "annotations",
    (
        *_TRIAL,
        Column("task", "text", "j.task"),
        Column("judge", "text", "judge_label(j.id)"),
        Column("source", "text", "coalesce(r.task || '/' || judge_label(r.id), 'response')"),
        Column("setting", "text", "json_extract(j.configuration, '$.setting')"),
        Column("repeat", "integer", "x.repeat"),
        Column("valid", "flag", "x.valid"),
        Column("value", "json", "x.value"),
        Column("reason", "text", "x.reason"),
        Column("raw", "text", "said.text"),
        Column("call", "integer", "x.call_seq"),
        Column("origin", "text", "c.origin"),
        Column(
            "in_plan",
            "flag",
            f"({_IN_PLAN} AND EXISTS (SELECT 1 FROM planned_judges p WHERE p.judge_id = j.id"
            " AND p.protocol = c.protocol AND p.origin = c.origin))",
        ),
        Column("simulated", "flag", "(g.simulated OR j.simulated)"),
    ),
    f"FROM _annotations x JOIN trials t ON t.id = x.trial_id {_FROM_TRIAL}"
    " JOIN judges j ON j.id = x.judge_id"
    " LEFT JOIN _annotations upstream ON upstream.seq = x.source"
    " LEFT JOIN judges r ON r.id = upstream.judge_id"
    " LEFT JOIN texts said ON said.id = x.raw_id ORDER BY x.seq",
)
STATISTICS = Table(
    "statistics",
    (
        Column("protocol", "text", "protocol"),
        Column("statistic", "text", "statistic"),
        Column("target", "text", "target"),
        Column("group", "json", "group_levels"),
        Column("value", "real", "value"),
        Column("ci_low", "real", "ci_low"),
        Column("ci_high", "real", "ci_high"),
        Column("p_value", "real", "p_value"),
        Column("n", "integer", "n"),
        Column("note", "text", "note"),
        Column("simulated", "flag", "simulated"),
    ),
    "FROM _statistics ORDER BY id",
)
CALLS = Table(
    "calls",
    (
        Column("call", "integer", "x.seq"),
        *_TRIAL,
        Column("trials", "integer", "coalesce(served_trials.n, 0)"),
        Column("agent", "text", "a.name"),
        Column("endpoint", "text", "n.name"),
        Column("state", "text", "x.state"),
        Column("attempt", "integer", "x.attempt"),
        Column("at", "moment", "e.at"),
        Column("latency_ms", "integer", "x.latency_ms"),
        Column("http_status", "integer", "x.http_status"),
        Column("input_tokens", "integer", "x.input_tokens"),
        Column("output_tokens", "integer", "x.output_tokens"),
        Column("cost_usd", "real", "x.cost_usd"),
        Column("model", "text", "s.model"),
        Column("fingerprint", "text", "s.fingerprint"),
        Column("sent", "json", "sent.text"),
        Column("reserved_usd", "real", "x.reserved_usd"),
        Column("reserved_tokens", "integer", "x.reserved_tokens"),
        Column("error_kind", "text", "x.error_kind"),
        Column("error", "text", "x.error"),
        Column("simulated", "flag", "n.provider = 'sim'"),
    ),
    # A call's event names the first trial that it was for.
    "FROM _calls x JOIN events e ON e.seq = x.seq JOIN agents a ON a.id = e.agent"
    " JOIN endpoints n ON n.id = x.endpoint_id LEFT JOIN served s ON s.id = x.served_id"
    " LEFT JOIN texts sent ON sent.id = x.sent_id LEFT JOIN trials t ON t.id = e.subject"
    " LEFT JOIN cells c ON c.id = t.cell_id LEFT JOIN targets g ON g.id = c.target_id"
    " LEFT JOIN (SELECT call_seq, count(*) AS n FROM attempts GROUP BY call_seq) served_trials"
    " ON served_trials.call_seq = x.seq ORDER BY x.seq",
)

TABLES: Sequence[Table] = (TRIALS, RESPONSES, ANNOTATIONS, STATISTICS, CALLS)


def label_judges(connection: sqlite3.Connection) -> None:
    """Give the connection the function `judge_label`: what an export calls a judge.

    That is its spec name, with a piece of its hash where two configurations of a task share it.
    """
    rows = connection.execute(
        "SELECT id, task, name, lower(hex(hash)), json_extract(configuration, '$.setting')"
        " FROM judges"
    ).fetchall()
    shared = Counter((task, name, setting) for _, task, name, _, setting in rows)
    labels = {
        number: name if shared[task, name, setting] == 1 else f"{name} {key[:_HASH_DIGITS]}"
        for number, task, name, key, setting in rows
    }
    connection.create_function("judge_label", 1, labels.get, deterministic=True)


def factor_kinds(connection: sqlite3.Connection) -> dict[str, str]:
    """Every factor of the store with what its levels are: text, integer, real, or json if mixed."""
    kinds: dict[str, set[str]] = {}
    for name, kind in connection.execute(
        "SELECT f.key, f.type FROM cells c, json_each(c.factors) f GROUP BY f.key, f.type"
        " ORDER BY min(c.id), min(f.id)"
    ):
        kinds.setdefault(name, set()).add(kind)
    return {name: _common_kind(found) for name, found in kinds.items()}


def _common_kind(found: set[str]) -> str:
    if found <= {"integer", "real"}:
        return "real" if "real" in found else "integer"
    return "text" if found == {"text"} else "json"
