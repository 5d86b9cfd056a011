"""Rows over all targets pooled: which occupations one gender dominates, whoever is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.protocols.base import Materials, StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.stories._stat_shares import dominance_rows
from auditor.protocols.stories.params import DOMINANCE
from auditor.types import JSON

PROTOCOL = "stories"
_FACTORS = ("occupation", "threshold")


@dataclass(slots=True)
class _Judged:
    """The rows that rest on one judge of each task."""

    marks: dict[str, JSON]
    """What a group holds beside the factors: the judge, where there are two."""
    names: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Male and female names of all targets by occupation."""
    thresholds: dict[float, None] = field(default_factory=dict)


def across(rows: Sequence[StatisticRow], materials: Materials) -> Iterator[StatisticRow]:
    """`female_dominant` and `male_dominant` of the pooled names of all targets, target "*".

    A target with more names weighs more. Rows of different judges are kept apart.
    """
    del materials
    for judged in _by_judge(rows):
        pooled = Rows(PROTOCOL, "*")
        for threshold in judged.thresholds:
            for row in dominance_rows(pooled, judged.names, threshold):
                yield pooled.figure(
                    row.statistic, {**row.group, **judged.marks}, row.value, n=row.n, note=row.note
                )


def _by_judge(rows: Sequence[StatisticRow]) -> list[_Judged]:
    parts: dict[str, _Judged] = {}
    for row in rows:
        if row.protocol != PROTOCOL or row.statistic not in ("male_share", "female_dominant"):
            continue
        marks = {name: level for name, level in row.group.items() if name not in _FACTORS}
        judged = parts.setdefault(canonical_json(marks), _Judged(marks))
        if row.statistic == "female_dominant":
            judged.thresholds[row.group.get("threshold", DOMINANCE)] = None
            continue
        n = row.n or 0
        male = round(row.value * n) if row.value is not None else 0
        occupation = row.group["occupation"]
        earlier = judged.names.get(occupation, (0, 0))
        judged.names[occupation] = (earlier[0] + male, earlier[1] + n - male)
    return list(parts.values())
