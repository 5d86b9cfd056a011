"""A figure so far, for the live view: tallies hold no probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.statistics import share, wilson_interval
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """The share of judged answers whose gender tokens have a probability.

    Its Wilson interval takes answers as independent. None before the first answer.
    """
    judged = found = 0
    for _, labels in counts:
        judged += sum(labels.values())
        found += sum(labels.values()) - labels.get("invalid", 0)
    interval = wilson_interval(found, judged)
    return (
        Headline(
            target=target,
            name="with gender tokens",
            value=share(found, judged),
            ci_low=interval.low if interval else None,
            ci_high=interval.high if interval else None,
            n=judged,
        ),
    )
