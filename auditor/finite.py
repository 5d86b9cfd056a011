"""Numbers from outside: JSON has whole ones that no double holds."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> float | None:
    """The double that a number is; None for NaN, infinities, what overflows and what is no number.

    True and False are no numbers.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def is_between(value: Any, low: float, high: float) -> bool:
    """Whether it is a number from `low` to `high`; NaN, True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
