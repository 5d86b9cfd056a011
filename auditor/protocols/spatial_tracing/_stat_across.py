"""Rows that compare two reward models: how often they prefer the same answer.

This module loads scipy.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from numpy.random import default_rng
from scipy.stats import fisher_exact

from auditor.draws import draw_integer
from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.space_levels import space_levels
from auditor.protocols.spatial_tracing._stat_spaces import LABEL
from auditor.statistics import Interval, cohens_kappa
from auditor.types import JSON

# An interval is a function of its data alone: it stays what it is when a run's seed changes.
_SEED = 0
_STREAM = "spatial.tracing:kappa"
_NONE = "no space has a preferred answer of both"


def agreement_rows(protocol: str, rows: Sequence[StatisticRow]) -> Iterator[StatisticRow]:
    """`reward_agreement` and `reward_kappa` of each pair, the first one in the plan as `target`."""
    for level in space_levels(protocol, LABEL, rows):
        for target, other in itertools.combinations(level.targets, 2):
            # 1 for men, 0 for women; ties are unknown.
            first, second = level.values(target), level.values(other)
            pairs = Counter(
                (int(first[space]), int(second[space])) for space in first if space in second
            )
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
