"""A statistic's rows of all targets over the spaces, by what else they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.protocols.base import StatisticRow
from auditor.types import JSON


@dataclass(frozen=True, slots=True)
class SpaceLevel:
    """All targets under one prompt, by one judge."""

    group: dict[str, JSON]
    """What the rows' groups hold beside the space."""
    targets: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """By target, in the order of the plan, then space."""

    def values(self, target: str) -> dict[str, float]:
        """The known values of a target by space."""
        rows = self.targets[target]
        return {space: row.value for space, row in rows.items() if row.value is not None}


def space_levels(protocol: str, statistic: str, rows: Sequence[StatisticRow]) -> list[SpaceLevel]:
    """The levels in the order of their first rows; rows of other protocols are passed over."""
    levels: dict[str, SpaceLevel] = {}
    for row in rows:
        if row.protocol != protocol or row.statistic != statistic:
            continue
        group = {name: value for name, value in row.group.items() if name != "space"}
        level = levels.setdefault(canonical_json(group), SpaceLevel(group))
        level.targets.setdefault(row.target, {})[row.group["space"]] = row
    return list(levels.values())
