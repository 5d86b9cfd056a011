"""Figures so far, for the live view: from label counts only, without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.spatial_planning.facilities import MAJORITIES
from auditor.types import JSON


def headlines(
    target: str,
    counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]],
    male: Iterable[str],
) -> Sequence[Headline]:
    """Share of choices that take the male-dominated facility, by the residents' majority.

    Its Wilson interval takes choices as independent. None before the first choice.
    """
    dominated = frozenset(male)
    taken = dict.fromkeys(MAJORITIES, 0)
    total = dict.fromkeys(MAJORITIES, 0)
    for factors, labels in counts:
        majority = str(factors["majority"])
        chosen = "A" if factors["space_a"] in dominated else "B"
        taken[majority] += labels.get(chosen, 0)
        total[majority] += labels.get("A", 0) + labels.get("B", 0)
    return tuple(
        share_headline(target, f"male facility, 80% {m}", taken[m], total[m]) for m in MAJORITIES
    )
