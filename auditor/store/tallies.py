"""Counting the tallies again, from the rows that they count."""

from __future__ import annotations

import sqlite3

from auditor.store.labels import LABEL_SQL
from auditor.store.planned_judges import READS_THE_PLAN

TALLIED_OUTCOMES = """
    SELECT t.cell_id, 0, r.outcome, count(*)
    FROM _responses r JOIN trials t ON t.id = r.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE t.repetition < c.repetitions AND c.id IN ({cells}) GROUP BY 1, 3"""
TALLIED_LABELS = f"""
    SELECT t.cell_id, a.judge_id, {LABEL_SQL} AS label, count(*)
    FROM _annotations a JOIN judges j ON j.id = a.judge_id
    JOIN trials t ON t.id = a.trial_id JOIN cells c ON c.id = t.cell_id
    WHERE a.repeat = 0 AND t.repetition < c.repetitions AND c.id IN ({{cells}})
      AND {READS_THE_PLAN.format(row="a")}
    GROUP BY 1, 2, 3"""


def recount(connection: sqlite3.Connection, cells: str) -> None:
    """Count the tallies of some cells (a query that gives their ids) from the rows themselves."""
    connection.execute(f"DELETE FROM tallies WHERE cell_id IN ({cells})")
    connection.execute("INSERT INTO tallies " + TALLIED_OUTCOMES.format(cells=cells))
    connection.execute("INSERT INTO tallies " + TALLIED_LABELS.format(cells=cells))
