"""Single fields of an answer, whatever stands in them: what is not of its kind is unknown."""

from __future__ import annotations

from typing import Any

_MOST = 2**53
"""No call uses so many tokens; beyond it a float holds no whole number exactly."""


def text_of(value: Any) -> str | None:
    """A text that says something, or None."""
    return value if isinstance(value, str) and value else None


def count_of(value: Any) -> int | None:
    """A whole number from 0, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < _MOST and value == int(value) else None


def object_of(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}
