"""Mean, median and variance of a few numbers, the same in any order."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None for no values."""
    return math.fsum(values) / len(values) if values else None


def median(values: Sequence[float]) -> float | None:
    """Middle value, or the mean of the two middle ones; None for no values."""
    return statistics.median(values) if values else None


def variance(values: Sequence[float]) -> float | None:
    """Population variance (ddof 0), in the square of the values' unit; None for no values."""
    centre = mean(values)
    if centre is None:
        return None
    return math.fsum((value - centre) ** 2 for value in values) / len(values)


def standard_deviation(values: Sequence[float]) -> float | None:
    """Population standard deviation (ddof 0), exactly 0 for equal values; None for no values."""
    if not values:
        return None
    # Rounding of the mean would leave 1e-16 where the algebra gives 0.
    return 0.0 if min(values) == max(values) else math.sqrt(variance(values) or 0.0)
