"""A share of n independent trials, with Wilson's score interval."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from auditor.errors import StatisticsError


class Interval(NamedTuple):
    """Two ends of a confidence interval, in the unit of the estimate."""

    low: float
    high: float


def share(successes: int, n: int) -> float | None:
    """Successes / n, in [0, 1]; None for n = 0.

    Raises StatisticsError unless 0 <= successes <= n.
    """
    check_counts(successes, n)
    return successes / n if n else None


def wilson_interval(successes: int, n: int, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a share, without continuity correction; None for n = 0.

    Sampling model: n independent trials with one common probability. Where trials with
    different probabilities are pooled (responses of several cells, the cells being fixed),
    the binomial variance is an upper bound of the true one, so the interval is too wide,
    never too narrow.

    The ends at 0 of n and n of n are exactly 0 and 1. Raises StatisticsError unless
    0 <= successes <= n and 0 < confidence < 1.

    Source: Wilson (1927), JASA 22; as scipy's `binomtest(k, n).proportion_ci(method="wilson")`.
    """
    check_counts(successes, n)
    z = normal_quantile(confidence)
    return wilson_at(successes / n, n, z) if n else None


def wilson_at(p: float, n: float, z: float) -> Interval:
    """Wilson's interval of a share p of n trials, which may be an effective number, at +- z."""
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the borders rounding would leave 1e-17 where the algebra gives exactly 0 or 1.
    low = 0.0 if p == 0 else centre - half
    high = 1.0 if p == 1 else centre + half
    return Interval(low, high)


def newcombe_interval(
    first: tuple[int, int], second: tuple[int, int], *, confidence: float = 0.95
) -> Interval | None:
    """Interval of the first share minus the second; each is (successes, n). None where an n is 0.

    Sampling model: two independent samples, each of n independent trials with one common
    probability. The ends lie within -1 and 1. Raises StatisticsError as `wilson_interval` does.

    Source: Newcombe (1998), Statistics in Medicine 17, 873-890, method 10: from the two Wilson
    intervals, without continuity correction; as statsmodels' `confint_proportions_2indep(...,
    method="newcomb")`.
    """
    wilson = [wilson_interval(*counts, confidence=confidence) for counts in (first, second)]
    p, q = share(*first), share(*second)
    if p is None or q is None or wilson[0] is None or wilson[1] is None:
        return None
    low = p - q - math.hypot(p - wilson[0].low, wilson[1].high - q)
    high = p - q + math.hypot(wilson[0].high - p, q - wilson[1].low)
    return Interval(low, high)


def check_counts(successes: int, n: int) -> None:
    """Raises StatisticsError unless 0 <= successes <= n."""
    if not 0 <= successes <= n:
        raise StatisticsError(f"{successes} of {n} is no share: it needs 0 <= successes <= n")


def check_confidence(confidence: float) -> None:
    """Raises StatisticsError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise StatisticsError(f"confidence must lie between 0 and 1, not {confidence!r}")


@lru_cache(maxsize=16)
def normal_quantile(confidence: float) -> float:
    """How many standard errors a normal interval of this confidence reaches either way.

    Raises StatisticsError unless 0 < confidence < 1.
    """
    from statistics import NormalDist

    check_confidence(confidence)
    return NormalDist().inv_cdf(0.5 + confidence / 2)
