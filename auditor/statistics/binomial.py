"""Exact binomial tests: of a coin, and of a number of findings at a null level."""

from __future__ import annotations

import math
from functools import lru_cache

from auditor.errors import StatisticsError
from auditor.statistics.shares import check_counts

_LARGEST_BY_INTEGERS = 1000


@lru_cache(maxsize=1 << 16)
def two_sided_p(successes: int, n: int) -> float | None:
    """Exact two-sided p of `successes` in n fair coin tosses (p = 0.5); None for n = 0.

    Twice the smaller tail, at most 1: at p = 0.5 the distribution is symmetric, so this is
    also the sum over all outcomes that are no likelier than the observed one (scipy's
    `binomtest`). Up to n = 1000 it is counted in integers and loads nothing, because the
    live view asks for it; above, scipy's incomplete beta function gives it.

    Results are remembered by (successes, n). Raises StatisticsError unless
    0 <= successes <= n.

    Source: SPAGBias (arXiv 2604.14672), explicit layer.
    """
    check_counts(successes, n)
    if n == 0:
        return None
    smaller = min(successes, n - successes)
    if 2 * smaller == n:
        return 1.0
    if n <= _LARGEST_BY_INTEGERS:
        # Integer division is rounded once, and cannot overflow where 2**n has no float.
        return 2 * sum(math.comb(n, i) for i in range(smaller + 1)) / (1 << n)
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(smaller, n, 0.5)))


def upper_tail(successes: int, n: int, level: float) -> float | None:
    """P(X >= successes) for X ~ Binomial(n, level); None for n = 0.

    The second-level test of the explicit layer: n spaces, each of which would be found
    biased with probability `level` if there were no bias. Sampling model: the n findings are
    independent.

    Raises StatisticsError unless 0 <= successes <= n and 0 <= level <= 1.

    Source: SPAGBias (arXiv 2604.14672), explicit layer. The paper reports 28 and 32 of 62
    spaces as significant, which rules out a null of one half.
    """
    check_counts(successes, n)
    if not 0 <= level <= 1:
        raise StatisticsError(f"a null level must lie in [0, 1], not {level!r}")
    if n == 0:
        return None
    if successes == 0:
        return 1.0
    from scipy.special import bdtrc

    return float(bdtrc(successes - 1, n, level))
