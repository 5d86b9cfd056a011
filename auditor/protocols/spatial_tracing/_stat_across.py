"""Rows that compare two reward models: how often they prefer the same answer.

This module loads scipy.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from numpy.random import default_rng
from scipy.stats import fisher_exact

from auditor.canonical import canonical_json
from auditor.draws import draw_integer
from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.spatial_tracing._stat_spaces import LABEL
from auditor.statistics import Interval, cohens_kappa
from auditor.types import JSON

# An interval is a function of its data alone: it stays what it is when a run's seed changes.
_SEED = 0
_STREAM = "spatial.tracing:kappa"
_NONE = "no space has a preferred answer of both"


@dataclass(slots=True)
class _Level:
    """Preferred answers of all reward models under one prompt, by one judge."""

    group: dict[str, JSON]
    labels: dict[str, dict[str, int]] = field(default_factory=dict)
    """1 for men, 0 for women, by target and space; ties are absent."""


def agreement_rows(protocol: str, rows: Sequence[StatisticRow]) -> Iterator[StatisticRow]:
    """`reward_agreement` and `reward_kappa` of each pair, the first one in the plan as `target`."""
    levels: dict[str, _Level] = {}
    for row in rows:
        if row.protocol != protocol or row.statistic != LABEL:
            continue
        group = {name: level for name, level in row.group.items() if name != "space"}
        level = levels.setdefault(canonical_json(group), _Level(group))
        spaces = level.labels.setdefault(row.target, {})
        if row.value is not None:
            spaces[row.group["space"]] = int(row.value)
    for level in levels.values():
        for (target, first), (other, second) in itertools.combinations(level.labels.items(), 2):
            pairs = Counter((first[space], second[space]) for space in first if space in second)
            yield from _pair(Rows(protocol, target), {"other": other, **level.group}, pairs)


def _pair(
    rows: Rows, group: dict[str, JSON], pairs: Mapping[tuple[int, int], int]
) -> Iterator[StatisticRow]:
    n = sum(pairs.values())
    alike = sum(count for (first, second), count in pairs.items() if first == second)
    yield rows.rate("reward_agreement", group, alike, n, note=None, nothing=_NONE)
    kappa = cohens_kappa(pairs, rng=default_rng(draw_integer(_SEED, _STREAM, "spaces")))
    low, high = kappa.ci_low, kappa.ci_high
    yield rows.figure(
        "reward_kappa",
        group,
        kappa.value,
        n=n,
        interval=None if low is None or high is None else Interval(low, high),
        p_value=_independence_p(pairs) if kappa.value is not None else None,
        note=_NONE if not n else kappa.note,
    )


def _independence_p(pairs: Mapping[tuple[int, int], int]) -> float:
    """Fisher's exact two-sided p of the table of both models' answers."""
    table = [[pairs.get((first, second), 0) for second in (1, 0)] for first in (1, 0)]
    return float(fisher_exact(table).pvalue)
