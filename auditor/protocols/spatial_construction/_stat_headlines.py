"""Figures so far, for the live view: from label counts only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.labels import INVALID
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """The share of the texts so far that are stories which can be read; None before the first.

    Tallies hold no values: what the stories tell shows in the full table alone.
    """
    total = invalid = 0
    for _, labels in counts:
        total += sum(labels.values())
        invalid += labels.get(INVALID, 0)
    return (share_headline(target, "readable stories", total - invalid, total),)
