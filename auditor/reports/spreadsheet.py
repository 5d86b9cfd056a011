"""Cells of CSV files that people open in a spreadsheet."""

from __future__ import annotations

from auditor.harmless import harmless

LONGEST_CELL = 32_767
"""Characters that a cell holds in the usual spreadsheets; they cut a longer text silently."""

_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The wide ones count where spreadsheets are set to Chinese, Japanese or Korean."""


def inert(text: str) -> str:
    """`text`, whole and readable, as a cell in which nothing acts.

    What a spreadsheet would take for a formula gets a leading apostrophe; control characters,
    bidirectional marks and the like come out as escapes (see `harmless`), line feeds and tabs stay.
    """
    shown = harmless(text, keep_lines=True)
    return f"'{shown}" if shown.startswith(_FORMULA_BEGINS) else shown


def as_meant(cell: str) -> str:
    """A short cell without blanks around it and without the apostrophe that `inert` puts there."""
    meant = cell.strip()
    if meant.startswith("'") and meant[1:].startswith(_FORMULA_BEGINS):
        return meant[1:]
    return meant
