"""Rates as marks, with the percentage beside each."""

from __future__ import annotations

from auditor.reports.figures.shapes import Mark
from auditor.store.results import ResultRow

PERCENT_TICKS = ((0.0, "0"), (50.0, "50"), (100.0, "100"))


def percent_mark(row: ResultRow | None) -> Mark | None:
    """A rate from 0 to 1 as percent, with its interval; None where it is unknown."""
    if row is None or row.value is None:
        return None
    low, high = (None if end is None else 100 * end for end in (row.ci_low, row.ci_high))
    value = 100 * row.value
    return Mark(value=value, low=low, high=high, said=percent_words(value))


def percent_words(value: float) -> str:
    """A percentage in writing: what is not 0 or 100 is not written as such."""
    if 0 < value < 0.1:
        return "< 0.1"
    if 99.9 < value < 100:
        return "> 99.9"
    return f"{value:.1f}"
