"""What figures of every two targets have in common: one number a pair, whichever comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditor.store.results import ResultRow


def square(
    rows: Iterable[ResultRow], lines: Sequence[str], columns: Sequence[str]
) -> tuple[tuple[float | None, ...], ...]:
    """Values of tiles from rows with `other` in their groups; a target with itself has 1."""
    values: dict[tuple[str, str], float | None] = {}
    for row in rows:
        one, two = row.target, str(row.group["other"])
        values[one, two] = values[two, one] = row.value
    return tuple(
        tuple(1.0 if line == column else values.get((line, column)) for column in columns)
        for line in lines
    )


def compared(targets: Iterable[str], rows: Sequence[ResultRow]) -> list[str]:
    """Those of the targets that stand in a pair."""
    pairs = {name for row in rows for name in (row.target, str(row.group["other"]))}
    return [target for target in targets if target in pairs]


def between(sizes: Sequence[int]) -> str:
    """The least and the largest of them, in words."""
    low, high = min(sizes), max(sizes)
    return str(high) if low == high else f"{low} to {high}"
