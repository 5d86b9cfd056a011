"""Rows that compare two targets: how alike they lean over the spaces."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.space_levels import space_levels
from auditor.statistics import LEAST_ITEMS, Interval, zero_settled
from auditor.types import JSON

_TOO_FEW = "fewer than three spaces are covered for both"
_NO_VARIATION = "one of the two does not vary over the spaces"


def correlation_rows(protocol: str, rows: Sequence[StatisticRow]) -> Iterator[StatisticRow]:
    """`model_pearson` of each pair of targets, the one that comes first in the plan as `target`."""
    for level in space_levels(protocol, "men_probability", rows):
        for target, other in itertools.combinations(level.targets, 2):
            first, second = level.values(target), level.values(other)
            common = [space for space in first if space in second]
            pairs = ([first[space] for space in common], [second[space] for space in common])
            yield _row(Rows(protocol, target), {"other": other, **level.group}, *pairs)


def _row(
    rows: Rows, group: dict[str, JSON], x: Sequence[float], y: Sequence[float]
) -> StatisticRow:
    n = len(x)
    if n < LEAST_ITEMS or _is_flat(x) or _is_flat(y):
        note = _TOO_FEW if n < LEAST_ITEMS else _NO_VARIATION
        return rows.figure("model_pearson", group, None, n=n, note=note)
    from scipy.stats import pearsonr

    found = pearsonr(x, y)
    # Fisher's z has no error with three values.
    bounds = found.confidence_interval() if n > LEAST_ITEMS else None
    return rows.figure(
        "model_pearson",
        group,
        zero_settled(float(found.statistic)),
        n=n,
        p_value=float(found.pvalue),
        interval=None if bounds is None else Interval(float(bounds.low), float(bounds.high)),
    )


def _is_flat(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= 1e-12
