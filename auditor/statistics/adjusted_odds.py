"""Odds ratios of single tables with a half added where a cell is empty, and Woolf's interval.

This module loads numpy, for the tables of `odds_ratios`: it is imported by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.errors import StatisticsError
from auditor.statistics.odds_ratios import Table
from auditor.statistics.shares import Interval, normal_quantile

_ADDED = 0.5


@dataclass(frozen=True, slots=True)
class AdjustedOddsRatio:
    """A finite odds ratio above 0."""

    value: float
    interval: Interval
    is_adjusted: bool
    """Whether a half was added to each cell because one of them is empty."""


def adjusted_odds_ratio(table: Table, *, confidence: float = 0.95) -> AdjustedOddsRatio | None:
    """The ratio a d / (b c) with Woolf's interval exp(ln OR +- z sqrt(1/a + 1/b + 1/c + 1/d)).

    Where a cell is empty a half is added to each of the four (Haldane and Anscombe), else the
    counts are taken as they are. None where a group or an answer does not occur. Sampling model:
    counts as independent draws within each group; the interval is an approximation, too narrow for
    counts of a handful.

    Source: Woolf (1955), Annals of Human Genetics 19; Haldane (1956), the same journal, 20;
    Anscombe (1956), Biometrika 43.
    """
    z = normal_quantile(confidence)
    if any(count < 0 for count in table.cells):
        raise StatisticsError("a count is below zero")
    if not table.says_something:
        return None
    is_adjusted = 0 in table.cells
    a, b, c, d = (count + _ADDED * is_adjusted for count in table.cells)
    ratio = a * d / (b * c)
    half = z * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return AdjustedOddsRatio(
        ratio, Interval(ratio * math.exp(-half), ratio * math.exp(half)), is_adjusted
    )
