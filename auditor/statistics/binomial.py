"""Exact binomial tests: of a coin, and of a number of findings at a null level."""

from __future__ import annotations

import math
from functools import lru_cache

from auditor.errors import StatisticsError
from auditor.statistics.shares import check_counts

_LARGEST_BY_INTEGERS = 1000
_LARGEST_BY_TERMS = 200
"""A term that underflows is then below 1e-200, whatever the level."""
_NEGLIGIBLE = 1e-20
"""Of a sum: terms from here on, even thousands of them, are below its last digit."""
_LEAST_OF_SERIES = 20
"""From here on four terms of Stirling's series give all digits of its error."""


@lru_cache(maxsize=1 << 13)
def two_sided_p(successes: int, n: int) -> float | None:
    """Exact two-sided p of `successes` in n fair coin tosses (p = 0.5); None for n = 0.

    Twice the smaller tail, at most 1: at p = 0.5 the distribution is symmetric, so this is
    also the sum over all outcomes that are no likelier than the observed one (scipy's
    `binomtest`). Up to n = 1000 it is counted in integers, above it is summed in floating
    point, right to eleven digits. It loads nothing, because the live view asks for it.

    Results are remembered by (successes, n). Raises StatisticsError unless
    0 <= successes <= n.

    Source: SPAGBias (arXiv 2604.14672), explicit layer.
    """
    check_counts(successes, n)
    if n == 0:
        return None
    smaller = min(successes, n - successes)
    if n - 2 * smaller <= 1:
        return 1.0  # no outcome is likelier
    if n <= _LARGEST_BY_INTEGERS:
        # Integer division is rounded once, and cannot overflow where 2**n has no float.
        return 2 * sum(math.comb(n, i) for i in range(smaller + 1)) / (1 << n)
    return min(1.0, 2 * _lower_tail(smaller, n))


def _lower_tail(successes: int, n: int) -> float:
    """P(X <= successes) for X ~ Binomial(n, 0.5) and successes < n / 2.

    Its largest term, times the sum of how much smaller each one below it is.
    """
    term = total = 1.0
    for i in range(successes, 0, -1):
        term *= i / (n - i + 1)
        total += term
        if term < _NEGLIGIBLE * total:
            break
    return total * _mass(successes, n)


def _mass(successes: int, n: int) -> float:
    """P(X = successes) for X ~ Binomial(n, 0.5) and successes < n / 2.

    The logarithms of factorials would cancel to a few digits. So Stirling's formula is put in for
    each of them, and what is left is small: a deviance and three errors of that formula.

    Source: Loader (2000), Fast and Accurate Computation of Binomial Probabilities.
    """
    if successes == 0:
        return math.ldexp(1.0, -n)
    failures = n - successes
    lean = (failures - successes) / n
    deviance = n / 2 * (math.log1p(-lean * lean) + 2 * lean * math.atanh(lean))
    errors = _stirling_error(n) - _stirling_error(successes) - _stirling_error(failures)
    return math.sqrt(n / (2 * math.pi * successes * failures)) * math.exp(errors - deviance)


def _stirling_error(n: int) -> float:
    """Log n! less Stirling's formula for it, n >= 1."""
    if n < _LEAST_OF_SERIES:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n * n)) / (n * n)) / (n * n)) / n


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
    if n <= _LARGEST_BY_TERMS:
        # Of 62 spaces, say: no library is loaded for that.
        terms = (
            math.comb(n, i) * level**i * (1 - level) ** (n - i) for i in range(successes, n + 1)
        )
        return min(1.0, math.fsum(terms))
    from scipy.special import bdtrc

    return float(bdtrc(successes - 1, n, level))
