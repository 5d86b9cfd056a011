"""Single fields of an answer, whatever stands in them: what is not of its kind is unknown."""

from __future__ import annotations

from typing import Any

from auditor.finite import is_between

_MOST = 2**53 - 1
"""No call uses more tokens; beyond it a float may stand for several whole numbers."""


def text_of(value: Any) -> str | None:
    """A text that says something, or None."""
    return value if isinstance(value, str) and value else None


def count_of(value: Any) -> int | None:
    """A whole number from 0, or None."""
    return int(value) if is_between(value, 0, _MOST) and value == int(value) else None


def object_of(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
