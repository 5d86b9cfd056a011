"""What one row of an export holds where a format has no objects: a column for each factor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auditor.canonical import canonical_json
from auditor.reports._export_tables import Table

Kinds = Mapping[str, str]
"""Factors of the store by name, with what their levels are."""


def column_names(table: Table, kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Names and kinds of the columns; a factor that shares a column's name is `factors.NAME`."""
    taken = {column.name for column in table.columns}
    for column in table.columns:
        if column.kind == "factors":
            for name, kind in kinds.items():
                yield (f"factors.{name}" if name in taken else name), kind
        else:
            yield column.name, column.kind


def flat_values(table: Table, row: list[Any], kinds: Kinds) -> Iterator[tuple[str, Any]]:
    """Kinds and values of one row, in the order of `column_names`; an absent factor is None."""
    for column, value in zip(table.columns, row, strict=True):
        if column.kind == "factors":
            factors = value or {}
            for name, kind in kinds.items():
                yield kind, factors.get(name)
        else:
            yield column.kind, value


def plain_value(kind: str, value: Any) -> Any:
    """The value as a scalar: JSON as text, lone surrogates escaped."""
    if kind == "json":
        return canonical_json(value)
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return float(value) if kind == "real" and value is not None else value
