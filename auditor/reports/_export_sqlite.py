"""An export as one flat SQLite database: readable names instead of ids, answers searchable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.reports._export_tables import Table
from auditor.reports._export_values import Kinds, column_names, flat_values, plain_value

_COLUMN_TYPES: Mapping[str, type] = {"integer": int, "real": float, "flag": int}
_ROWS_A_STATEMENT = 100


def write_sqlite(path: Path, table: Table, rows: Iterable[list[Any]], kinds: Kinds) -> int:
    """Add one table to the database at `path`, which is made if it is not there.

    Factors have a column each, as in CSV; JSON stands as text. Every table has an index on
    `trial` where it has that column, and the texts of responses have a full-text index.
    """
    import sqlite_utils

    database = sqlite_utils.Database(path)
    try:
        made = database.table(table.name)
        types = dict(_types(table, kinds))
        made.create(types, pk="trial" if table.name == "trials" else None)
        made.insert_all(
            (dict(zip(types, _values(table, row, kinds), strict=True)) for row in rows),
            batch_size=_ROWS_A_STATEMENT,
        )
        if "trial" in types and table.name != "trials":
            made.create_index(["trial"])
        if table.name == "responses":
            made.enable_fts(["text"], tokenize="porter")
        return int(made.count)
    finally:
        database.close()


def _types(table: Table, kinds: Kinds) -> Iterator[tuple[str, type]]:
    for name, kind in column_names(table, kinds):
        yield name, _COLUMN_TYPES.get(kind, str)


def _values(table: Table, row: list[Any], kinds: Kinds) -> Iterator[Any]:
    for kind, value in flat_values(table, row, kinds):
        yield None if value is None else plain_value(kind, value)
