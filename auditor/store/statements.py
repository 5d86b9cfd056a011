"""SQL for many rows at a time.

sqlite3 gives the interpreter's lock away for every step of a statement, and takes it back after:
with a row a statement, a writer that works beside a busy event loop would stand in line for every
row. A statement that holds many rows is one step, and costs SQLite half as much a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

_SIZES = (64, 32, 16, 8, 4, 2, 1)
"""Rows in a statement: few sizes, so that the connection's statement cache holds all of them."""

CACHED_STATEMENTS = 256
"""What a connection's cache has to hold, which keeps only 128 by itself."""


class ManyRows:
    """A statement that takes any number of rows: `head`, then `row` for each, then `tail`.

    `row` holds the placeholders of one row, as "(?, ?)".
    """

    def __init__(self, head: str, row: str, tail: str = "") -> None:
        self._statements = [(size, f"{head} {', '.join([row] * size)} {tail}") for size in _SIZES]

    def __call__(self, connection: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Carry it out for these rows, in their order."""
        done, count = 0, len(rows)
        if not count:
            return
        for size, statement in self._statements:
            while count - done >= size:
                connection.execute(statement, tuple(chain.from_iterable(rows[done : done + size])))
                done += size
            if done == count:
                return


def insert(table: str, width: int) -> ManyRows:
    """INSERT of rows of so many columns."""
    return ManyRows(f"INSERT INTO {table} VALUES", placeholders(width))


def placeholders(width: int) -> str:
    """The placeholders of one row."""
    return f"({', '.join('?' * width)})"
