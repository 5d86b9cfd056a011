"""Calls of earlier processes: those whose outcome is not known, what all cost, the latest ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftInFlight:
    """A trial that an earlier process journaled for sending and whose outcome is not known."""

    trial_id: int
    agent_id: int
    endpoint_id: int
    attempt: int
    reserved_usd: float | None
    reserved_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftWithJudge:
    """A source that a judge of an earlier process was about to ask about, or had asked."""

    judge_id: int
    source: int
    agent_id: int
    endpoint_id: int
    attempt: int
    reserved_usd: float | None
    reserved_tokens: int


def left_in_flight(connection: sqlite3.Connection, epoch: int) -> list[LeftInFlight]:
    """Trials that processes before this epoch journaled and never settled."""
    rows = connection.execute(
        "SELECT trial_id, agent_id, endpoint_id, attempt, reserved_usd, reserved_tokens"
        " FROM in_flight WHERE epoch < ?",
        (epoch,),
    )
    names = ("trial_id", "agent_id", "endpoint_id", "attempt", "reserved_usd", "reserved_tokens")
    return [LeftInFlight(**dict(zip(names, row, strict=True))) for row in rows]


def left_with_judges(connection: sqlite3.Connection, epoch: int) -> list[LeftWithJudge]:
    """Sources that judges of processes before this epoch journaled and never settled."""
    names = ("judge_id", "source", "agent_id", "endpoint_id", "attempt", "reserved_usd")
    columns = (*names, "reserved_tokens")
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM judging WHERE epoch < ?", (epoch,))
    return [LeftWithJudge(**dict(zip(columns, row, strict=True))) for row in rows]


def spent(connection: sqlite3.Connection) -> tuple[float, int, int]:
    """(US dollars, calls, tokens) so far; calls of unknown outcome count at their reservation."""
    row = connection.execute(
        "SELECT coalesce(sum(cost_usd + reserved_usd), 0.0), coalesce(sum(calls), 0),"
        " coalesce(sum(input_tokens + output_tokens + reserved_tokens), 0) FROM spending"
    ).fetchone()
    return float(row[0]), int(row[1]), int(row[2])


def recent_calls(
    connection: sqlite3.Connection, endpoint_id: int, *, now: float, seconds: float = 60.0
) -> Sequence[tuple[float, int]]:
    """(seconds ago, tokens) of an endpoint's calls of the last minute.

    Calls that a clock which was set back has put into the future count as made just now.
    """
    rows = connection.execute(
        "SELECT max(? - e.at, 0.0), coalesce(k.input_tokens, 0) + coalesce(k.output_tokens, 0)"
        " FROM events e JOIN _calls k ON k.seq = e.seq"
        " WHERE e.seq > (SELECT coalesce(max(seq), 0) - 200000 FROM events)"
        " AND e.at > ? AND k.endpoint_id = ?",
        (now, now - seconds, endpoint_id),
    )
    return [(float(ago), int(tokens)) for ago, tokens in rows]
