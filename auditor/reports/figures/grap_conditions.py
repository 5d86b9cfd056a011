"""What the figures of `grap` share: conditions in words, and marks of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditor.canonical import canonical_json
from auditor.reports.figures.shapes import Mark, MarkColumn
from auditor.store.results import ResultRow
from auditor.types import JSON

DEFAULT_PRESET = "F"
_SETTING_WORDS = {
    "full": "judged from prompt and response",
    "response_only": "judged from the response alone",
    "unspecified": "judged elsewhere",
}

Condition = Mapping[str, JSON]
"""Setting, and what else of the judge and the probe is not the default."""


def conditions(rows: Iterable[ResultRow], *inner: str) -> list[Condition]:
    """The different groups of the rows, without what a figure shows side by side."""
    found = {}
    for row in rows:
        condition = {key: level for key, level in row.group.items() if key not in inner}
        found[canonical_json(condition)] = condition
    return list(found.values())


def is_of(row: ResultRow, condition: Condition, *inner: str) -> bool:
    """Whether a row's group is the condition and any levels of `inner`."""
    return {key: level for key, level in row.group.items() if key not in inner} == condition


def mark_of(
    row: ResultRow | None, *, reach: float | None = None, is_hollow: bool = False
) -> Mark | None:
    """The mark of a row; None without a value."""
    if row is None or row.value is None:
        return None
    return Mark(value=row.value, low=row.ci_low, high=row.ci_high, reach=reach, is_hollow=is_hollow)


def missing(columns: Iterable[MarkColumn]) -> int:
    """How many marks are not there."""
    return sum(mark is None for column in columns for mark in column.marks)


def most(rows: Iterable[ResultRow]) -> int:
    """The largest n of the rows, 0 for none."""
    return max((row.n or 0 for row in rows), default=0)


def said(condition: Condition) -> str:
    """A condition in words: the setting, then what is not the default."""
    setting = str(condition.get("setting", "unspecified"))
    return with_marks(_SETTING_WORDS.get(setting, setting), condition)


def with_marks(words: str, condition: Condition) -> str:
    """Words, and in brackets what of a condition is not the default."""
    told = ("setting", "evaluation", "preset")
    marks = [
        f"{key} {canonical_json(level)}" for key, level in condition.items() if key not in told
    ]
    preset = condition.get("preset")
    if preset not in (None, DEFAULT_PRESET):
        marks.insert(0, f"preset {preset}")
    return f"{words} ({', '.join(marks)})" if marks else words
