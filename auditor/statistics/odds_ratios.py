"""Odds ratios of two-by-two tables, alone and over strata, with exact intervals.

This module loads numpy: it is imported by name, where odds are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import StatisticsError
from auditor.statistics.shares import check_confidence

Floats = NDArray[np.float64]

_WIDEST = 60.0
"""Log odds ratio up to which bounds are looked for."""
_TIE = 1 + 1e-7
"""Outcomes so little likelier than the observed one count as equally likely, as in scipy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Counts of one stratum: two groups, two answers."""

    a: int
    """First group, first answer."""
    b: int
    """First group, second answer."""
    c: int
    """Second group, first answer."""
    d: int
    """Second group, second answer."""

    @property
    def n(self) -> int:
        """All answers."""
        return self.a + self.b + self.c + self.d

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """Row by row."""
        return self.a, self.b, self.c, self.d

    @property
    def says_something(self) -> bool:
        """Both groups and both answers occur: else no odds ratio fits better than another."""
        return all((self.a + self.b, self.c + self.d, self.a + self.c, self.b + self.d))


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsRatio:
    """An odds ratio; infinity where its denominator is empty."""

    value: float
    low: float
    """Exact 95 % interval: 0 and infinity where there is no bound."""
    high: float
    p_value: float
    """Exact, two-sided: tables that are at most as likely at an odds ratio of one."""


def odds_ratio(tables: Sequence[Table], *, confidence: float = 0.95) -> OddsRatio | None:
    """The Mantel-Haenszel odds ratio of all strata; of one table it is a d / (b c).

    The interval and p are exact, conditional on the margins of each stratum, for one odds ratio
    that all strata share: bounds are those at which a tail of the number of first answers of the
    first group has half of 1 - confidence. None where no table says anything.

    Source: Mantel and Haenszel (1959), JNCI 22; Gart (1970), Biometrika 57 (exact interval).
    """
    check_confidence(confidence)
    if any(count < 0 for table in tables for count in table.cells):
        raise StatisticsError("a count is below zero")
    strata = [table for table in tables if table.says_something]
    if not strata:
        return None
    above = math.fsum(table.a * table.d / table.n for table in strata)
    below = math.fsum(table.b * table.c / table.n for table in strata)
    lowest = sum(max(0, t.a - t.d) for t in strata)
    observed = sum(t.a for t in strata) - lowest
    distribution = _Distribution(strata)
    tail = (1 - confidence) / 2
    return OddsRatio(
        value=above / below if below else math.inf,
        low=distribution.bound(observed, tail, upper=False),
        high=distribution.bound(observed, tail, upper=True),
        p_value=distribution.p_value(observed),
    )


def shifted_odds_ratio(table: Table) -> float:
    """The odds ratio with a half added to each cell, which no empty cell makes 0 or infinite.

    Source: Haldane (1956), Annals of Human Genetics 20.
    """
    a, b, c, d = (count + 0.5 for count in table.cells)
    return a * d / (b * c)


class _Distribution:
    """Of the sum of first answers of first groups, by the odds ratio, margins fixed.

    Counted from the lowest sum that the margins allow.
    """

    def __init__(self, strata: Sequence[Table]) -> None:
        self._log_weights = [_log_weights(table) for table in strata]

    def at(self, log_odds: float) -> Floats:
        """Probabilities of each sum."""
        whole = np.ones(1)
        for weights in self._log_weights:
            tilted = weights + log_odds * np.arange(len(weights))
            part = np.exp(tilted - tilted.max())
            whole = np.convolve(whole, part / part.sum())
        found: Floats = whole / whole.sum()
        return found

    def bound(self, observed: int, tail: float, *, upper: bool) -> float:
        """The odds ratio at which a tail that holds the observed sum has this probability."""
        from scipy.optimize import brentq

        size = sum(len(weights) - 1 for weights in self._log_weights)
        if observed == (size if upper else 0):
            return math.inf if upper else 0.0

        def excess(log_odds: float) -> float:
            chances = self.at(log_odds)
            part = chances[: observed + 1] if upper else chances[observed:]
            return float(part.sum()) - tail

        return math.exp(brentq(excess, -_WIDEST, _WIDEST, xtol=1e-12))

    def p_value(self, observed: int) -> float:
        """Two-sided at an odds ratio of one."""
        chances = self.at(0.0)
        return min(1.0, float(chances[chances <= chances[observed] * _TIE].sum()))


def _log_weights(table: Table) -> Floats:
    """Logs of the hypergeometric probabilities of each count that the margins allow."""
    from scipy.special import gammaln

    first, second, total = table.a + table.b, table.c + table.d, table.a + table.c
    counts = np.arange(max(0, total - second), min(first, total) + 1, dtype=np.float64)

    def ways(size: int, taken: Floats) -> Floats:
        found: Floats = gammaln(size + 1) - gammaln(taken + 1) - gammaln(size - taken + 1)
        return found

    weights: Floats = ways(first, counts) + ways(second, total - counts)
    return weights
