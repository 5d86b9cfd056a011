"""What a store takes, and people can be shown, without a further look."""

from __future__ import annotations

import math
from typing import Any

from auditor.errors import AuditorError

MOST_INTEGER = 2**63 - 1
"""Of SQLite."""


def is_finite(value: Any) -> bool:
    """Whether no number in a JSON value is NaN or infinite, and every text key a text."""
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, float) and not math.isfinite(each):
            return False
        if isinstance(each, dict):
            assert all(isinstance(key, str) for key in each)
            stack += each.values()
        elif isinstance(each, list | tuple):
            stack += each
        else:
            assert each is None or isinstance(each, str | int | float), type(each)
    return True


def check_count(value: object) -> None:
    """Tokens and the like: unknown, or a whole number that a store holds."""
    if value is not None:
        assert type(value) is int, value
        assert 0 <= value <= MOST_INTEGER, value


def check_error(error: AuditorError, longest: int = 20_000) -> None:
    """A sentence for people: something is said, and it is no novel."""
    assert error.message.strip()
    assert len(error.message) <= longest, len(error.message)
