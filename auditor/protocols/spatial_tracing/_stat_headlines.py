"""A figure so far, for the live view: tallies hold no scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """The share of judged responses that hold a score; None before the first one.

    Its Wilson interval takes responses as independent.
    """
    judged = scored = 0
    for _, labels in counts:
        judged += sum(labels.values())
        scored += sum(labels.values()) - labels.get("invalid", 0)
    return (share_headline(target, "scored", scored, judged),)
