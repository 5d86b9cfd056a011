"""SQL for many rows at a time.

sqlite3 gives the interpreter's lock away for every step of a statement, and takes it back after:
with a row a statement, a writer that works beside a busy event loop would stand in line for every
row. A statement that holds many rows is one step, and costs SQLite half as much a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any

_SIZES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192)
"""Rows in a statement: few sizes, so that the connection's statement cache holds all of them."""
_MOST_VARIABLES = 999
"""In a statement: the least limit that builds of SQLite have."""

CACHED_STATEMENTS = 256
"""What a connection's cache has to hold, which keeps only 128 by itself."""


class ManyRows:
    """A statement that takes any number of rows: `head`, then `row` for each, then `tail`.

    `row` holds the placeholders of one row, as "(?, ?)". What rows leave of a size is filled up
    with rows of nulls: the statement has to pass over these, as `insert` makes it do.
    """

    def __init__(self, head: str, row: str, tail: str = "") -> None:
        self._width = row.count("?")
        self._statements = {
            size: f"{head} {', '.join([row] * size)} {tail}"
            for size in _SIZES
            if size * self._width <= _MOST_VARIABLES
        }
        self._most = max(self._statements)

    def __call__(self, connection: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Carry it out for these rows, in their order, and give what it finds."""
        found: list[Any] = []
        most = self._most
        for done in range(0, len(rows), most):
            part = rows[done : done + most]
            size = next(size for size in self._statements if size >= len(part))
            filling = repeat(None, (size - len(part)) * self._width)
            values = tuple(chain(chain.from_iterable(part), filling))
            found += connection.execute(self._statements[size], values).fetchall()
        return found


def insert(
    table: str, width: int, *, row: str | None = None, way: str = "INSERT", tail: str = ""
) -> ManyRows:
    """INSERT of rows of so many columns, none of which begins with a null.

    `row`: its placeholders, where it has values that are always the same. `way`: "INSERT OR
    REPLACE", say. `tail`: what is done where a row is there already.
    """
    return ManyRows(
        f"{way} INTO {table} SELECT * FROM (VALUES",
        row or placeholders(width),
        f") WHERE column1 IS NOT NULL {tail}",
    )


def placeholders(width: int) -> str:
    """The placeholders of one row."""
    return f"({', '.join('?' * width)})"
