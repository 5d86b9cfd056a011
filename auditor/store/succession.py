"""Judges of imported answers that another configuration of theirs takes the place of."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

_SILENT = """
    SELECT p.protocol, p.judge_id FROM planned_judges p
    JOIN judges o ON o.id = p.judge_id
    JOIN judges n ON n.id = ?1 AND n.id <> o.id AND n.task = o.task AND n.name = o.name
    WHERE p.origin = 'imported' AND p.protocol = ?2
      AND json_extract(n.configuration, '$.imported') IS NULL
      AND json_extract(o.configuration, '$.imported') IS NULL
      AND json_extract(n.configuration, '$.setting') IS json_extract(o.configuration, '$.setting')
      AND NOT EXISTS (SELECT 1 FROM _annotations a WHERE a.judge_id = o.id)
      AND NOT EXISTS (SELECT 1 FROM appointed_judges d WHERE d.judge_id = o.id)
"""


def succeed(connection: sqlite3.Connection, number: int, protocols: Sequence[str]) -> None:
    """Let this judge of these protocols take over from its own kind that has said nothing so far.

    Its own kind has its task, name and setting, on the same protocol: judges of other protocols
    may be called the same. A judge whose annotations are imported neither takes over nor gives way.

    A default judge that lacked what it needs, a parser's model, is another configuration once that
    is installed. The plan's own answers get their judges from every plan that is written; those of
    imported answers stay as they were planned, and would wait for the old one for ever.
    """
    silent = [
        row
        for protocol in protocols
        for row in connection.execute(_SILENT, (number, protocol)).fetchall()
    ]
    if not silent:
        return
    connection.executemany(
        "DELETE FROM planned_judges WHERE protocol = ? AND judge_id = ? AND origin = 'imported'",
        silent,
    )
    connection.executemany(
        "INSERT OR IGNORE INTO planned_judges VALUES (?, ?, 'imported')",
        [(protocol, number) for protocol, _ in silent],
    )
    # It may have sources below its checkpoint.
    connection.execute("DELETE FROM checkpoints WHERE judge_id = ?", (number,))
