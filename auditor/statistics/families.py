"""Corrections of a family of tests."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.errors import StatisticsError


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's q values, in the order of the p values.

    q of the i-th smallest of m values is the least p_j * m / j over j >= i, at most 1:
    rejecting q <= level keeps the false discovery rate at `level` for independent or
    positively dependent tests. None stands for a test that could not be made; it stays None
    and does not count in m. An empty family gives an empty list.

    Raises StatisticsError for a value outside [0, 1] (NaN included).

    Source: Benjamini and Hochberg (1995), JRSS B 57; SPAGBias (arXiv 2604.14672), explicit
    layer. The same as scipy's `false_discovery_control(ps, method="bh")`.
    """
    for p in p_values:
        if p is not None and not 0 <= p <= 1:
            raise StatisticsError(f"{p!r} is no p value: it must lie in [0, 1]")
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    q_values: list[float | None] = [None] * len(p_values)
    least = 1.0
    for rank in range(len(ranked), 0, -1):
        p, place = ranked[rank - 1]
        least = min(least, p * len(ranked) / rank)
        q_values[place] = least
    return q_values
