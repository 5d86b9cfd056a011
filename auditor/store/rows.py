"""The rows of one transaction by table, and the order in which foreign keys let them in."""

from __future__ import annotations

import sqlite3
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any

from auditor.store import digest
from auditor.store.statements import ManyRows, insert, placeholders

Row = tuple[Any, ...]


class IdCounters:
    """The highest ids in use, and small caches of what is already stored.

    Read from the database when a writer starts, and again after a transaction that failed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        def highest(table: str, column: str = "id") -> int:
            query = f"SELECT coalesce(max({column}), 0) FROM {table}"
            return int(connection.execute(query).fetchone()[0])

        self.seq = highest("events", "seq")
        self.cell = highest("cells")
        self.text = highest("texts")
        self.trial = highest("trials")
        last = connection.execute("SELECT digest FROM commits ORDER BY seq DESC LIMIT 1").fetchone()
        self.digest: bytes = last[0] if last else digest.GENESIS
        self.text_ids: OrderedDict[str, int] = OrderedDict()
        self.served_ids: dict[tuple[str | None, str | None], int] = {}


@dataclass(slots=True)
class Rows:
    """What one transaction puts in."""

    digested: dict[str, list[Row]] = field(
        default_factory=lambda: {table: [] for table in digest.COLUMNS}
    )
    """Append-only rows as the digest sees them (keys as hexadecimal digits)."""
    cells: list[Row] = field(default_factory=list)
    trials: list[Row] = field(default_factory=list)
    in_flight: list[Row] = field(default_factory=list)
    landed: list[tuple[int]] = field(default_factory=list)
    """Trials that are in flight no longer."""
    again: list[Row] = field(default_factory=list)
    """(attempt, reserved USD, trial) of those that stay in flight for another attempt."""
    judging: list[Row] = field(default_factory=list)
    judged: list[tuple[int, int]] = field(default_factory=list)
    """(judge, source) of sources that are in flight no longer."""
    checkpoints: dict[int, int] = field(default_factory=dict)
    gauges: list[Row] = field(default_factory=list)
    tallies: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    """By (cell, judge or 0, label)."""
    spending: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    """Sums to add, by (agent, endpoint), in the order of SPENDING_COLUMNS."""

    def write(self, connection: sqlite3.Connection, counters: IdCounters, epoch: int) -> None:
        """Put all rows in, and the digest of what was appended. The caller commits."""
        rows = self.digested
        _EVENTS(connection, rows["events"])
        _CELLS(connection, self.cells)
        _TRIALS(connection, self.trials)
        _IN_FLIGHT(connection, self.in_flight)
        _CALLS(connection, rows["_calls"])
        _ATTEMPTS(connection, rows["attempts"])
        _RESPONSES(connection, rows["_responses"])
        _ANNOTATIONS(connection, rows["_annotations"])
        _FAILURES(connection, rows["_failures"])
        _ALARMS(connection, rows["alarms"])
        _CORPUS_FILES(connection, rows["corpus_files"])
        _CORPUS_COUNTS(connection, rows["corpus_counts"])
        _LANDED(connection, self.landed)
        for again in self.again:
            connection.execute(_AGAIN, again)
        _JUDGING(connection, self.judging)
        for judged in self.judged:
            connection.execute(_JUDGED, judged)
        _CHECKPOINTS(connection, list(self.checkpoints.items()))
        _GAUGES(connection, self.gauges)
        _TALLIES(connection, [(*key, count) for key, count in self.tallies.items()])
        _SPENDING(connection, [(*key, *sums) for key, sums in self.spending.items()])
        if rows["events"]:
            self._seal(connection, counters, epoch)

    def _seal(self, connection: sqlite3.Connection, counters: IdCounters, epoch: int) -> None:
        counters.digest = digest.chain(
            counters.digest, [(table, self.digested[table]) for table in digest.COLUMNS]
        )
        connection.execute(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)",
            (
                counters.seq,
                epoch,
                counters.cell,
                counters.text,
                counters.trial,
                counters.digest,
            ),
        )


SPENDING_COLUMNS = (
    "calls",
    "retries",
    "rate_limited",
    "unknown",
    "unpriced",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "reserved_usd",
    "reserved_tokens",
)
_EVENTS = insert("events", 5)
_CELLS = insert("cells", 11, row=f"{placeholders(10)[:-1]}, 0)")
_TRIALS = insert("trials", 5)
_IN_FLIGHT = insert("in_flight", 7, way="INSERT OR REPLACE")
_CALLS = insert("_calls", 15)
_ATTEMPTS = insert("attempts", 3)
_RESPONSES = insert("_responses", 9)
_ANNOTATIONS = insert("_annotations", 10)
_FAILURES = insert("_failures", 7)
_ALARMS = insert("alarms", 2)
_CORPUS_FILES = insert("corpus_files", 14)
_CORPUS_COUNTS = insert("corpus_counts", 8)
_LANDED = ManyRows("DELETE FROM in_flight WHERE trial_id IN (", "?", ")")
_AGAIN = "UPDATE in_flight SET attempt = ?, reserved_usd = ? WHERE trial_id = ?"
_JUDGING = insert("judging", 8, way="INSERT OR REPLACE")
_JUDGED = "DELETE FROM judging WHERE judge_id = ? AND source = ?"
_CHECKPOINTS = insert("checkpoints", 2, way="INSERT OR REPLACE")
_GAUGES = insert("gauges", 9, way="INSERT OR REPLACE")
_TALLIES = insert("tallies", 4, tail="ON CONFLICT DO UPDATE SET count = count + excluded.count")
_SPENDING = insert(
    "spending",
    2 + len(SPENDING_COLUMNS),
    tail="ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{column} = {column} + excluded.{column}" for column in SPENDING_COLUMNS),
)
