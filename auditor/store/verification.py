"""Checking a store: that it is whole, that its references hold, that nothing was altered."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from auditor.canonical import text_digest16
from auditor.store import digest
from auditor.store.plan_verification import KeptPlan, plan_problems
from auditor.store.results import has_damage, last_seq
from auditor.store.schema_verification import schema_problems
from auditor.store.tallies import TALLIED_LABELS, TALLIED_OUTCOMES
from auditor.store.texts import read_text

_EVERY_CELL = "SELECT id FROM cells"
_WHAT_OTHERS_RELY_ON = ("pages and indexes", "schema")


def verify(
    connection: sqlite3.Connection, kept: KeptPlan | None = None
) -> Iterator[tuple[str, list[str]]]:
    """(what was checked, what was found wrong) for each check; an empty list is good.

    All checks see the store as it is at one moment, also while a run goes on writing it. `kept`
    is what its spec means; None: nothing is held against the spec.
    """
    checks: dict[str, Callable[[sqlite3.Connection], list[str]]] = {
        "pages and indexes": _integrity,
        "schema": schema_problems,
        "references": _references,
        "plan": partial(plan_problems, kept=kept),
        "digest chain": _chain,
        "texts": _texts,
        "tallies": _tallies,
        "sums of calls": _spending,
        "statistics": _statistics,
    }
    is_own = not connection.in_transaction
    is_sound = True
    if is_own:
        connection.execute("BEGIN")
    try:
        for name, check in checks.items():
            try:
                wrong = check(connection)
            except (sqlite3.OperationalError, TypeError, LookupError, AttributeError) as error:
                if is_sound:
                    raise
                # What is not made as this program makes it may lack what a check relies on.
                wrong = [f"cannot be checked: {error}"]
            if wrong and name in _WHAT_OTHERS_RELY_ON:
                is_sound = False
            yield name, wrong
    finally:
        if is_own:
            connection.execute("COMMIT")


def _integrity(connection: sqlite3.Connection) -> list[str]:
    rows = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
    return [] if rows == ["ok"] else rows


def _references(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("PRAGMA foreign_key_check").fetchmany(20)
    return [f"row {row[1]} of {row[0]} refers to a missing row of {row[2]}" for row in rows]


_RANGED_BY = {
    "cells": ("id", 1),
    "texts": ("id", 2),
    "trials": ("id", 3),
    "attempts": ("call_seq", 0),
}
"""The column that tells a table's rows of one commit, and the place of its mark."""
_ORDERED_BY = {"attempts": "call_seq, trial_id", "corpus_counts": "seq, space"}
"""Where that column is not enough to order them."""


def _chain(connection: sqlite3.Connection) -> list[str]:
    """Compute every commit's digest again from the rows that it holds."""
    previous, marks = digest.GENESIS, (0, 0, 0, 0)
    for seq, cells, texts, trials, stored in connection.execute(
        "SELECT seq, cells, texts, trials, digest FROM commits ORDER BY seq"
    ):
        now = (seq, cells, texts, trials)
        rows = [
            (table, _rows(connection, table, columns, marks, now))
            for table, columns in digest.COLUMNS.items()
        ]
        previous = digest.chain(previous, rows)
        if previous != stored:
            return [f"rows up to event {seq} are not the ones that were committed"]
        marks = now
    last = last_seq(connection)
    return [] if last == marks[0] else [f"events after {marks[0]} belong to no commit"]


def _rows(
    connection: sqlite3.Connection,
    table: str,
    columns: str,
    after: tuple[int, ...],
    until: tuple[int, ...],
) -> list[tuple[object, ...]]:
    column, mark = _RANGED_BY.get(table, ("seq", 0))
    query = (
        f"SELECT {columns} FROM {table} WHERE {column} > ? AND {column} <= ?"
        f" ORDER BY {_ORDERED_BY.get(table, column)}"
    )
    return connection.execute(query, (after[mark], until[mark])).fetchall()


def _texts(connection: sqlite3.Connection) -> list[str]:
    wrong = []
    for number, key, text in connection.execute("SELECT id, hash, text FROM texts"):
        if text_digest16(read_text(text) or "") != key:
            wrong.append(f"text {number} does not fit its hash")
            if len(wrong) == 20:
                break
    return wrong


def _tallies(connection: sqlite3.Connection) -> list[str]:
    counted = TALLIED_OUTCOMES.format(cells=_EVERY_CELL)
    labelled = TALLIED_LABELS.format(cells=_EVERY_CELL)
    stored = "SELECT cell_id, judge_id, label, count FROM tallies WHERE count > 0"
    rows = f"SELECT * FROM ({counted}) UNION ALL SELECT * FROM ({labelled})"
    difference = connection.execute(
        f"SELECT * FROM (SELECT * FROM ({rows}) EXCEPT {stored})"
        f" UNION ALL SELECT * FROM ({stored} EXCEPT SELECT * FROM ({rows})) LIMIT 20"
    ).fetchall()
    return [
        f"cell {cell}, judge {judge}, {label!r}: the tally and the rows differ"
        for cell, judge, label, _ in difference
    ]


_SUMS = {
    "calls": "count(*)",
    "retries": "sum(c.attempt > 1)",
    "rate_limited": "sum(c.http_status IS 429)",
    "unknown": "sum(c.state = 'unknown')",
    "unpriced": "sum(c.state = 'ok' AND c.cost_usd IS NULL)",
    "input_tokens": "coalesce(sum(c.input_tokens), 0)",
    "output_tokens": "coalesce(sum(c.output_tokens), 0)",
    "reserved_tokens": "coalesce(sum(c.reserved_tokens), 0)",
    "cost_usd": "coalesce(sum(c.cost_usd), 0.0)",
    "reserved_usd": "coalesce(sum(c.reserved_usd), 0.0)",
}
"""What is counted of the calls of an agent at an endpoint, by column."""
_COUNTED = f"""
    SELECT e.agent AS agent_id, c.endpoint_id,
           {", ".join(f"{formula} AS {column}" for column, formula in _SUMS.items())}
    FROM _calls c JOIN events e ON e.seq = c.seq GROUP BY 1, 2"""


def _spending(connection: sqlite3.Connection) -> list[str]:
    columns = ("agent_id", "endpoint_id", *_SUMS)
    stored = _by_place(connection.execute(f"SELECT {', '.join(columns)} FROM spending"))
    counted = _by_place(connection.execute(_COUNTED))
    nothing = (None,) * len(_SUMS)
    return [
        f"agent {agent} at endpoint {endpoint}: {column} is {kept}, counted {found}"
        for agent, endpoint in sorted(stored.keys() | counted.keys())
        for column, kept, found in zip(
            _SUMS,
            stored.get((agent, endpoint), nothing),
            counted.get((agent, endpoint), nothing),
            strict=True,
        )
        if kept != found and not _is_about(kept, found)
    ]


def _by_place(rows: Iterable[tuple[Any, ...]]) -> dict[tuple[int, int], tuple[Any, ...]]:
    return {(agent, endpoint): tuple(sums) for agent, endpoint, *sums in rows}


def _is_about(stored: float | None, counted: float | None) -> bool:
    """Whether two costs differ only because they were added in another order."""
    if not isinstance(stored, float) or not isinstance(counted, float):
        return False
    return abs(stored - counted) <= 1e-9 * (1 + abs(stored))


def _statistics(connection: sqlite3.Connection) -> list[str]:
    wrong = "the rows are not the ones that were computed; `auditor stats` computes them again"
    return [wrong] if has_damage(connection) else []
