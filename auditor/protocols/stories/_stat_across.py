"""Rows over several targets: whom one gender dominates whoever is asked, and tuned against base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditor.canonical import canonical_json
from auditor.protocols.base import NO_BASES, Bases, Materials, StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.stories._stat_shares import dominance_rows
from auditor.protocols.stories._stat_tuning import Shares, tuning_rows
from auditor.protocols.stories.occupations import DOMINANCE
from auditor.types import JSON

PROTOCOL = "stories"
_READ = ("male_share", "female_dominant")
"""Every target has the second, whether it has responses or not."""
_FACTORS = ("occupation", "threshold")


@dataclass(slots=True)
class _Judged:
    """The rows that rest on one judge of each task."""

    marks: dict[str, JSON]
    """What a group holds beside the factors: the judge, where there are two."""
    shares: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """Rows of `male_share` by target and occupation; a target without responses has none."""
    thresholds: dict[float, None] = field(default_factory=dict)


def across(
    rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
) -> Iterator[StatisticRow]:
    """`female_dominant` and `male_dominant` of all targets pooled; `tuning_shift` of each pair.

    In the pooled rows, target "*", a target with more names weighs more. Rows of different
    judges are kept apart.
    """
    del materials
    for judged in _by_judge(rows):
        for threshold in judged.thresholds:
            for row in dominance_rows(Rows(PROTOCOL, "*"), _pooled(judged.shares), threshold):
                yield _marked(row, judged.marks)
        for tuned, base in bases.items():
            if tuned in judged.shares:
                for row in tuning_rows(Rows(PROTOCOL, tuned), base, judged.shares):
                    yield _marked(row, judged.marks)


def _by_judge(rows: Sequence[StatisticRow]) -> list[_Judged]:
    parts: dict[str, _Judged] = {}
    for row in rows:
        if row.protocol != PROTOCOL or row.statistic not in _READ or row.target == "*":
            continue
        marks = {name: level for name, level in row.group.items() if name not in _FACTORS}
        judged = parts.setdefault(canonical_json(marks), _Judged(marks))
        shares = judged.shares.setdefault(row.target, {})
        if row.statistic == "female_dominant":
            judged.thresholds[row.group.get("threshold", DOMINANCE)] = None
        elif row.statistic == "male_share":
            shares[row.group["occupation"]] = row
    return list(parts.values())


def _pooled(shares: Shares) -> dict[str, tuple[int, int]]:
    """Male and female names of all targets by occupation."""
    names: dict[str, tuple[int, int]] = {}
    for by_occupation in shares.values():
        for occupation, row in by_occupation.items():
            n = row.n or 0
            male = round(row.value * n) if row.value is not None else 0
            earlier = names.get(occupation, (0, 0))
            names[occupation] = (earlier[0] + male, earlier[1] + n - male)
    return names


def _marked(row: StatisticRow, marks: Mapping[str, JSON]) -> StatisticRow:
    return replace(row, group={**row.group, **marks})
