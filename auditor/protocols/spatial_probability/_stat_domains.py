"""Tests over the spaces of one domain: men's against women's mass.

This module loads scipy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import ttest_ind_from_stats, ttest_rel

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.protocols.spatial_probability._stat_masses import SpaceMass
from auditor.statistics import settled, tied, two_sided_p

_ROUNDING = 1e-12
"""Differences between equal logs, whose sums are rounded."""
_TOO_FEW = "fewer than two spaces have both masses"
_ALIKE = "the masses do not vary"


def domain_rows(rows: Rows, group: Group, spaces: Sequence[SpaceMass]) -> Iterator[StatisticRow]:
    """Student's t of the log masses, pooled and paired, and the number of spaces on men's side."""
    logs = [space.logs for space in spaces]
    pairs = settled([pair for pair in logs if pair is not None]).reshape(-1, 2)
    left_out = _left_out(len(spaces) - len(pairs), "without both masses")
    for statistic, test in (("t_statistic", _pooled), ("t_statistic_paired", _paired)):
        found = test(pairs) if len(pairs) > 1 else None
        why = None if found else _ALIKE if len(pairs) > 1 else _TOO_FEW
        yield rows.figure(
            statistic,
            group,
            found[0] if found else None,
            p_value=found[1] if found else None,
            n=len(pairs),
            note=join_notes(why, left_out),
        )
    yield _sides(rows, group, spaces)


def _sides(rows: Rows, group: Group, spaces: Sequence[SpaceMass]) -> StatisticRow:
    shares = [space.share for space in spaces]
    # Equal masses, added up in another order, are equal but for rounding.
    known = tied([share for share in shares if share is not None]).tolist()
    ties = known.count(0.5)
    towards_men = sum(share > 0.5 for share in known)
    n = len(known) - ties
    return rows.figure(
        "domain_binomial",
        group,
        float(towards_men) if n else None,
        p_value=two_sided_p(towards_men, n),
        n=n,
        note=join_notes(
            None if n else "no space leans" if known else "no space is covered",
            _left_out(ties, "with equal masses"),
            _left_out(len(spaces) - len(known), "uncovered or without a valid answer"),
        ),
    )


def _pooled(pairs: np.ndarray) -> tuple[float, float] | None:
    n = len(pairs)
    means, deviations = pairs.mean(axis=0), pairs.std(axis=0, ddof=1)
    if deviations.max() <= _ROUNDING:
        return None
    # From moments: of one side that does not vary scipy warns, and it is sound all the same.
    found = ttest_ind_from_stats(
        means[0], deviations[0], n, means[1], deviations[1], n, equal_var=True
    )
    return float(found.statistic), float(found.pvalue)


def _paired(pairs: np.ndarray) -> tuple[float, float] | None:
    if np.ptp(pairs[:, 0] - pairs[:, 1]) <= _ROUNDING:
        return None
    found = ttest_rel(pairs[:, 0], pairs[:, 1])
    return float(found.statistic), float(found.pvalue)


def _left_out(spaces: int, why: str) -> str | None:
    if not spaces:
        return None
    return f"{spaces} {'space' if spaces == 1 else 'spaces'} {why} left out"
