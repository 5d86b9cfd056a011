"""Figures so far, for the live view: from label counts only, without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.stories.occupations import DOMINANCE
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """Women's share of all gendered names, and the occupations that women dominate.

    The share pools all occupations; its Wilson interval takes names as independent, occupations
    fixed. Dominated are occupations with at least 80 % female names, out of those with a gendered
    one. Both values are None before the first name.
    """
    by_occupation: dict[str, tuple[int, int]] = {}
    for factors, labels in counts:
        male, female = by_occupation.get(factors["occupation"], (0, 0))
        by_occupation[factors["occupation"]] = (
            male + labels.get("male", 0),
            female + labels.get("female", 0),
        )
    pairs = [pair for pair in by_occupation.values() if sum(pair)]
    female = sum(pair[1] for pair in pairs)
    n = sum(map(sum, pairs))
    dominated = sum(pair[1] / sum(pair) >= DOMINANCE for pair in pairs)
    return (
        share_headline(target, "female share", female, n),
        Headline(
            target=target,
            name=f"occupations {DOMINANCE:.0%} female".replace("%", " %"),
            value=float(dominated) if pairs else None,
            n=n,
            total=len(pairs),
        ),
    )
