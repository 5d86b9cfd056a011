"""A figure so far, for the live view: tallies hold no probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
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
    return (share_headline(target, "with gender tokens", found, judged),)
