"""What endpoints last said they served, for whoever goes on with a run to compare with."""

from __future__ import annotations

import sqlite3

Served = tuple[str | None, str | None]
"""A model and a fingerprint, each as the endpoint says it; None: it does not."""

_CALLS = 2000
"""So many of the last calls are looked at, whatever became of them: a few milliseconds."""

# The joins are crossed so that SQLite walks backwards from the newest row to the limit.
_OF_TARGET = """
    SELECT k.served_id
    FROM cells c
    CROSS JOIN trials t ON t.cell_id = c.id
    CROSS JOIN attempts a ON a.trial_id = t.id
    CROSS JOIN _calls k ON k.seq = a.call_seq
    WHERE c.target_id = (SELECT id FROM targets WHERE name = ?)
    ORDER BY c.id DESC, t.repetition DESC
    LIMIT ?"""
_OF_JUDGE = """
    SELECT k.served_id
    FROM _annotations n
    CROSS JOIN _calls k ON k.seq = n.call_seq
    WHERE n.judge_id = ?
    ORDER BY n.source DESC, n.repeat DESC
    LIMIT ?"""


def served_target(connection: sqlite3.Connection, name: str) -> list[Served]:
    """What answered a target's last calls, each pair once, the newest first."""
    return _distinct(connection, connection.execute(_OF_TARGET, (name, _CALLS)))


def served_judge(connection: sqlite3.Connection, judge_id: int) -> list[Served]:
    """What answered a judge's last calls, each pair once, the newest first."""
    return _distinct(connection, connection.execute(_OF_JUDGE, (judge_id, _CALLS)))


def _distinct(connection: sqlite3.Connection, found: sqlite3.Cursor) -> list[Served]:
    named = "SELECT model, fingerprint FROM served WHERE id = ?"
    return [
        connection.execute(named, (number,)).fetchone()
        for number in dict.fromkeys(number for (number,) in found if number is not None)
    ]
