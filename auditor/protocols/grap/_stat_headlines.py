"""Figures so far, for the live view: from label counts only, without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.labels import INVALID
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """Of each level, the share of judged answers that got scores; tallies hold no scores.

    Its Wilson interval takes answers as independent. None before the first level shows.
    """
    by_level: dict[str, list[int]] = {}
    for factors, labels in counts:
        judged = sum(labels.values())
        if judged:
            scored, total = by_level.setdefault(str(factors["gender"]), [0, 0])
            by_level[str(factors["gender"])] = [
                scored + judged - labels.get(INVALID, 0),
                total + judged,
            ]
    return tuple(
        share_headline(target, f"scored, {level}", scored, total)
        for level, (scored, total) in sorted(by_level.items())
    )
