"""What generators ask a store for: which trials of the plan are still to be sent."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrial:
    """A trial that the store already knows."""

    trial_id: int
    has_response: bool
    attempts: int


def first_open_place(connection: sqlite3.Connection, target: str) -> int:
    """The first place of a target's plan that is not full; all before it need nothing.

    A place that no stored cell has is open: a level or a protocol may have come in before others.
    """
    full = connection.execute(
        """
        SELECT c.place FROM cells c JOIN targets g ON g.id = c.target_id
        WHERE g.name = ? AND c.superseded = 0 AND c.repetitions > 0
          AND c.repetitions <= (SELECT coalesce(sum(count), 0) FROM tallies
                                WHERE cell_id = c.id AND judge_id = 0)
        ORDER BY c.place""",
        (target,),
    )
    place = 0
    for (stored,) in full:
        if stored != place:
            break
        place += 1
    return place


def answered_trials(connection: sqlite3.Connection, cell_key: bytes) -> int:
    """How many trials of a cell have a response, by the tallies of the plan in force."""
    row = connection.execute(
        "SELECT coalesce(sum(y.count), 0) FROM cells c JOIN tallies y ON y.cell_id = c.id"
        " WHERE c.key = ? AND y.judge_id = 0",
        (cell_key,),
    ).fetchone()
    return int(row[0])


def stored_trials(
    connection: sqlite3.Connection, cell_key: bytes
) -> tuple[int | None, dict[int, StoredTrial]]:
    """A cell's id (None: not stored yet) and its stored trials by repetition."""
    rows = connection.execute(
        """
        SELECT c.id, t.repetition, t.id,
               EXISTS (SELECT 1 FROM _responses r WHERE r.trial_id = t.id),
               (SELECT coalesce(max(attempt), 0) FROM attempts a WHERE a.trial_id = t.id)
        FROM cells c LEFT JOIN trials t ON t.cell_id = c.id
        WHERE c.key = ?""",
        (cell_key,),
    ).fetchall()
    if not rows:
        return None, {}
    trials = {
        repetition: StoredTrial(
            trial_id=number, has_response=bool(answered), attempts=int(attempts)
        )
        for _, repetition, number, answered, attempts in rows
        if number is not None
    }
    return int(rows[0][0]), trials
