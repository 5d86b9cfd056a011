"""Figures so far, for the live view: from label counts only, without numpy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pstdev

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.labels import INVALID, REFUSAL
from auditor.types import JSON

Counts = Iterable[tuple[Mapping[str, JSON], LabelCounts]]


def rating_headlines(target: str, counts: Counts) -> Sequence[Headline]:
    """Shares of the answers that give a rating, and that refuse one.

    Tallies hold no values, so what was rated shows in the full table alone. The Wilson intervals
    take answers as independent, cells fixed. None before the first annotation.
    """
    total = refused = invalid = 0
    for _, labels in counts:
        total += sum(labels.values())
        refused += labels.get(REFUSAL, 0)
        invalid += labels.get(INVALID, 0)
    return (
        share_headline(target, "rated", total - refused - invalid, total),
        share_headline(target, "refused", refused, total),
    )


def choice_headlines(target: str, counts: Counts) -> Sequence[Headline]:
    """The share of choices that take the first, and the mean SD of decision scores over tasks.

    The share pools all cells; its Wilson interval takes answers as independent, cells fixed. The
    SD (population form, over regions) is that of each task and language in which every region has
    been compared as often as there are other regions; n is the number of choices in all of them.
    None before the first choice, and before the first such task.
    """
    first = n = 0
    won: dict[tuple[JSON, JSON], dict[JSON, int]] = defaultdict(lambda: defaultdict(int))
    compared: dict[tuple[JSON, JSON], dict[JSON, int]] = defaultdict(lambda: defaultdict(int))
    for factors, labels in counts:
        a, b = labels.get("A", 0), labels.get("B", 0)
        first += a
        n += a + b
        task = (factors["task"], factors["language"])
        for region, wins in ((factors["region_a"], a), (factors["region_b"], b)):
            won[task][region] += wins
            compared[task][region] += a + b
    scores = {
        task: [won[task][region] / times for region, times in regions.items()]
        for task, regions in compared.items()
        if min(regions.values()) >= max(1, len(regions) - 1)
    }
    used = sum(sum(compared[task].values()) // 2 for task in scores)
    return (
        share_headline(target, "first chosen", first, n),
        Headline(
            target=target,
            name="mean score SD",
            value=fmean(map(pstdev, scores.values())) if scores else None,
            n=used,
        ),
    )
