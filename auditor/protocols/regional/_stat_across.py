"""Rows over targets: how alike they order the regions, and what indicators say on average."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_correlations import NO_ORDER, TOO_FEW
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import LEAST_ITEMS, mean, spearman
from auditor.types import JSON

EVERYONE = "*"
_NO_PAIR = "no pair of targets has a correlation"
_NO_TARGET = "no target has a correlation"


@dataclass(slots=True)
class _Level:
    """Scores of all targets under one trait, task, dimension or domain of one language."""

    group: dict[str, JSON]
    """Without the region, with the judge where there are two."""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    """By target, then region."""


def across_rows(
    protocol: str, rows: Sequence[StatisticRow], score_statistics: Sequence[str]
) -> Iterator[StatisticRow]:
    """`cross_model_spearman` of each pair of targets and of all, and the mean indicator one."""
    for level in _levels(protocol, rows, score_statistics):
        if len(level.scores) > 1:
            yield from _cross_model(protocol, level)
    yield from _mean_indicator(protocol, rows)


def _levels(
    protocol: str, rows: Sequence[StatisticRow], score_statistics: Sequence[str]
) -> list[_Level]:
    found: dict[str, _Level] = {}
    for row in rows:
        if row.protocol != protocol or row.statistic not in score_statistics:
            continue
        group = {name: level for name, level in row.group.items() if name != "region"}
        level = found.setdefault(canonical_json(group), _Level(group))
        regions = level.scores.setdefault(row.target, {})
        if row.value is not None:
            regions[row.group["region"]] = row.value
    return list(found.values())


def _cross_model(protocol: str, level: _Level) -> Iterator[StatisticRow]:
    """A row a pair, the target that comes first in the plan as `target`, then their mean."""
    values, sizes = [], []
    for (target, first), (other, second) in itertools.combinations(level.scores.items(), 2):
        common = [region for region in first if region in second]
        found = spearman([first[r] for r in common], [second[r] for r in common])
        if found is not None:
            values.append(found.value)
            sizes.append(len(common))
        why = NO_ORDER if len(common) >= LEAST_ITEMS else TOO_FEW
        yield Rows(protocol, target).figure(
            "cross_model_spearman",
            {**level.group, "other": other},
            found.value if found else None,
            p_value=found.p_value if found else None,
            n=len(common),
            note=None if found else why,
        )
    pairs = len(level.scores) * (len(level.scores) - 1) // 2
    yield _mean_row(
        protocol,
        "cross_model_spearman",
        {**level.group, "other": EVERYONE},
        values,
        sizes,
        f"mean over {len(values)} of {counted(pairs, 'pair of targets')}" if values else _NO_PAIR,
    )


def _mean_indicator(protocol: str, rows: Sequence[StatisticRow]) -> Iterator[StatisticRow]:
    parts: dict[str, tuple[Mapping[str, JSON], list[StatisticRow]]] = {}
    for row in rows:
        if row.protocol == protocol and row.statistic == "indicator_spearman":
            _, members = parts.setdefault(canonical_json(dict(row.group)), (row.group, []))
            members.append(row)
    for group, members in parts.values():
        known = [(row.value, row.n or 0) for row in members if row.value is not None]
        yield _mean_row(
            protocol,
            "indicator_spearman",
            group,
            [value for value, _ in known],
            [n for _, n in known],
            f"mean over {len(known)} of {counted(len(members), 'target')}" if known else _NO_TARGET,
        )


def _mean_row(
    protocol: str,
    statistic: str,
    group: Mapping[str, JSON],
    values: Sequence[float],
    sizes: Sequence[int],
    note: str,
) -> StatisticRow:
    """The plain mean of correlations, target "*"; n = regions of the one that has the fewest."""
    is_uneven = len(set(sizes)) > 1
    return Rows(protocol, EVERYONE).figure(
        statistic,
        group,
        mean(values),
        n=min(sizes, default=0),
        note=join_notes(note, f"of {min(sizes)} to {max(sizes)} regions" if is_uneven else None),
    )
