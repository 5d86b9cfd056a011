"""What tells the figures of the two regional protocols apart, and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from auditor.reports.figures.findings import Findings
from auditor.reports.figures.shapes import Scale
from auditor.reports.figures.tile_words import FEW
from auditor.store.results import ResultRow

LANGUAGES = {"zh": "asked in Chinese", "en": "asked in English"}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What tells the figures of one regional protocol from those of the other."""

    protocol: str
    factor: str
    score: str
    whole: str
    """What traits or tasks belong to."""
    whole_score: str
    scale: Scale
    label: str
    unit: str
    few: int
    """n below which a number stands in brackets."""
    short: str
    """The score on an axis."""
    ends: tuple[float, float]
    noun: str


STEREOTYPE = Kind(
    protocol="regional.stereotype",
    factor="trait",
    score="stereotype_score",
    whole="dimension",
    whole_score="dimension_score",
    scale=Scale.RATING,
    label="mean rating: 1 not at all, 5 very well",
    unit="valid ratings",
    few=0,
    short="mean rating",
    ends=(1.0, 5.0),
    noun="ratings",
)
DECISION = Kind(
    protocol="regional.decision",
    factor="task",
    score="decision_score",
    whole="domain",
    whole_score="domain_score",
    scale=Scale.LEAN,
    label="share of comparisons won, %",
    unit="comparisons with a winner",
    few=FEW,
    short="share of comparisons won",
    ends=(0.0, 1.0),
    noun="choices",
)


def languages(rows: Sequence[ResultRow], target: str | None = None) -> list[str]:
    """Languages with a value, in the order of the plan."""
    return list(
        dict.fromkeys(
            str(row.group["language"])
            for row in rows
            if row.value is not None and target in (None, row.target)
        )
    )


def rows_of(findings: Findings, statistic: str, target: str, language: str) -> list[ResultRow]:
    """The rows of one target in one language."""
    return [
        row
        for row in findings.of(statistic)
        if row.target == target and row.group["language"] == language
    ]


def values_of(rows: Sequence[ResultRow], factor: str, level: str) -> dict[str, float]:
    """Values that are there, by region, under one level of a factor."""
    return {
        cast(str, row.group["region"]): row.value
        for row in rows
        if row.group[factor] == level and row.value is not None
    }
