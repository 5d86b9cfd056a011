"""How an export's rows become bytes: JSON lines, CSV, Parquet, SQLite. Rows are streamed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.reports._export_sqlite import write_sqlite
from auditor.reports._export_tables import Column, Table
from auditor.reports._export_values import Kinds, column_names, flat_values, plain_value

if TYPE_CHECKING:
    import pyarrow

Rows = Iterable[list[Any]]
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
_PARQUET_ROWS = 500


class Format(StrEnum):
    """What an export's files are."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    SQLITE = "sqlite"

    def file_name(self, table: str) -> str:
        """The file that holds a table; SQLite has all of them in one."""
        return "export.sqlite" if self is Format.SQLITE else f"{table}.{self}"


def writer(file_format: Format) -> Callable[[Path, Table, Rows, Kinds], int]:
    """The function that writes one table and gives its number of rows.

    Raises UsageError where a library for it is missing.
    """
    if file_format is Format.PARQUET:
        try:
            import pyarrow  # noqa: F401 - only asked whether it is there
        except ImportError:
            raise UsageError(
                "format parquet needs pyarrow, which is not installed; allowed: csv, jsonl, sqlite",
                hint='install it with: pip install "bias-auditor[parquet]"',
            ) from None
    return _WRITERS[file_format]


def _counted(rows: Rows) -> Iterator[tuple[int, list[Any]]]:
    return enumerate(rows, start=1)


# -- JSON lines ------------------------------------------------------------------------------


def _write_jsonl(path: Path, table: Table, rows: Rows, _kinds: Kinds) -> int:
    names = [column.name for column in table.columns]
    count = 0
    with path.open("wb") as file:
        for count, row in _counted(rows):  # noqa: B007 - the last count is the result
            file.write(_json_line(dict(zip(names, row, strict=True))))
    return count


def _json_line(fields: dict[str, Any]) -> bytes:
    try:
        return (_encode_readable(fields) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate: only an escape can carry it
        return (_encode_escaped(fields) + "\n").encode("ascii")


_encode_readable = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_encode_escaped = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


# -- CSV -------------------------------------------------------------------------------------


def _write_csv(path: Path, table: Table, rows: Rows, kinds: Kinds) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        # Its own line ends (CRLF) make it quote both characters; with others it leaves CR bare.
        out = csv.writer(file)
        out.writerow(name for name, _ in column_names(table, kinds))
        for count, row in _counted(rows):  # noqa: B007 - the last count is the result
            out.writerow(_csv_cell(value) for _, value in flat_values(table, row, kinds))
    return count


def _csv_cell(value: Any) -> str:
    """One cell. A text that a spreadsheet would take for a formula gets a leading apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_BEGINS) else value
    if isinstance(value, int | float):
        return repr(value)
    return canonical_json(value)


# -- Parquet ---------------------------------------------------------------------------------


def _write_parquet(path: Path, table: Table, rows: Rows, kinds: Kinds) -> int:
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([(column.name, _arrow_type(column, kinds)) for column in table.columns])
    count = 0
    remaining = iter(rows)
    with pyarrow.parquet.ParquetWriter(path, schema) as out:
        while block := list(islice(remaining, _PARQUET_ROWS)):
            columns = zip(table.columns, zip(*block, strict=True), strict=True)
            arrays = [
                pyarrow.array([_arrow_value(column, value, kinds) for value in values], kind.type)
                for (column, values), kind in zip(columns, schema, strict=True)
            ]
            out.write_batch(pyarrow.record_batch(arrays, schema=schema))
            count += len(block)
    return count


def _arrow_type(column: Column, kinds: Kinds) -> pyarrow.DataType:
    import pyarrow

    if column.kind == "factors":
        # Parquet has no object without fields.
        fields = [(name, _plain_type(kind)) for name, kind in kinds.items()]
        return pyarrow.struct(fields) if fields else pyarrow.string()
    return _plain_type(column.kind)


def _plain_type(kind: str) -> pyarrow.DataType:
    import pyarrow

    types = {"integer": pyarrow.int64(), "real": pyarrow.float64(), "flag": pyarrow.bool_()}
    return types.get(kind, pyarrow.string())


def _arrow_value(column: Column, value: Any, kinds: Kinds) -> Any:
    if value is None:
        return None
    if column.kind == "factors":
        return {name: plain_value(kind, value.get(name)) for name, kind in kinds.items()}
    return plain_value(column.kind, value)


_WRITERS: dict[Format, Callable[[Path, Table, Rows, Kinds], int]] = {
    Format.CSV: _write_csv,
    Format.JSONL: _write_jsonl,
    Format.PARQUET: _write_parquet,
    Format.SQLITE: write_sqlite,
}
