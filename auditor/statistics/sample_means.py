"""Means of repetitions with their standard errors, and linear combinations of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from auditor.errors import StatisticsError
from auditor.statistics.moments import mean, variance
from auditor.statistics.shares import Interval, check_confidence


@dataclass(frozen=True, slots=True)
class SampleMean:
    """A mean, or a linear combination of independent means, with its sampling error."""

    value: float
    variance: float | None
    """Squared standard error, in the square of the unit; None where one value shows none."""
    freedom: float
    """Degrees of freedom of `variance`; infinite where nothing varies."""
    n: int
    """Values that it rests on."""

    @property
    def error(self) -> float | None:
        """The standard error; None where it is unknown."""
        return None if self.variance is None else math.sqrt(self.variance)

    def interval(
        self,
        *,
        lowest: float = -math.inf,
        highest: float = math.inf,
        confidence: float = 0.95,
    ) -> Interval | None:
        """The value +- t * standard error, cut at the ends of the scale; None without an error.

        A point where nothing varies. Source: Student (1908), Biometrika 6.
        """
        check_confidence(confidence)
        error = self.error
        if error is None:
            return None
        half = _two_sided_t(confidence, self.freedom) * error if error else 0.0
        return Interval(max(lowest, self.value - half), min(highest, self.value + half))


def sample_mean(values: Sequence[float]) -> SampleMean | None:
    """Mean with standard error s / sqrt(n), s with ddof 1, and n - 1 degrees of freedom.

    Sampling model: the values as independent draws of one distribution. One value has a mean
    and no error; none gives None. Equal values have an error of exactly 0.
    """
    centre = mean(values)
    if centre is None:
        return None
    n = len(values)
    if n == 1:
        return SampleMean(centre, None, math.inf, 1)
    if min(values) == max(values):
        return SampleMean(values[0], 0.0, math.inf, n)
    spread = variance(values) or 0.0
    return SampleMean(centre, spread / (n - 1), n - 1, n)


def combined(parts: Sequence[SampleMean], weights: Sequence[float]) -> SampleMean | None:
    """The weighted sum of independent means; None for no parts.

    Variances add up with squared weights. The degrees of freedom are Satterthwaite's. One part
    without an error leaves the sum without one.

    Raises StatisticsError for lists of different length.

    Source: Satterthwaite (1946), Biometrics Bulletin 2.
    """
    if len(parts) != len(weights):
        raise StatisticsError(f"{len(parts)} means and {len(weights)} weights")
    if not parts:
        return None
    value = math.fsum(w * part.value for w, part in zip(weights, parts, strict=True))
    n = sum(part.n for part in parts)
    terms = [
        None if part.variance is None else w * w * part.variance
        for w, part in zip(weights, parts, strict=True)
    ]
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return SampleMean(value, None, math.inf, n)
    total = math.fsum(known)
    by_freedom = math.fsum(
        term * term / part.freedom for term, part in zip(known, parts, strict=True)
    )
    freedom = total * total / by_freedom if by_freedom else math.inf
    return SampleMean(value, total, freedom, n)


def averaged(parts: Sequence[SampleMean]) -> SampleMean | None:
    """The plain mean of independent means; None for none."""
    return combined(parts, [1 / len(parts)] * len(parts) if parts else [])


@lru_cache(maxsize=1 << 12)
def _two_sided_t(confidence: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))
