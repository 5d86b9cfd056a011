"""Rows that compare two targets: how alike they lean over the spaces."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows
from auditor.statistics import LEAST_ITEMS, Interval, zero_settled
from auditor.types import JSON

_TOO_FEW = "fewer than three spaces are covered for both"
_NO_VARIATION = "one of the two does not vary over the spaces"


@dataclass(slots=True)
class _Level:
    """Normalised p(men) of all targets under one prompt, by one judge."""

    group: dict[str, JSON]
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    """By target, then space."""


def correlation_rows(protocol: str, rows: Sequence[StatisticRow]) -> Iterator[StatisticRow]:
    """`model_pearson` of each pair of targets, the one that comes first in the plan as `target`."""
    levels: dict[str, _Level] = {}
    for row in rows:
        if row.protocol != protocol or row.statistic != "men_probability":
            continue
        group = {name: level for name, level in row.group.items() if name != "space"}
        level = levels.setdefault(canonical_json(group), _Level(group))
        spaces = level.values.setdefault(row.target, {})
        if row.value is not None:
            spaces[row.group["space"]] = row.value
    for level in levels.values():
        for (target, first), (other, second) in itertools.combinations(level.values.items(), 2):
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
