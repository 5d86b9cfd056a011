"""Rows of what was told at all, and how long it is."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.labels import INVALID, PENDING, REFUSAL
from auditor.protocols.rows import Rows
from auditor.protocols.spatial_construction._stat_stories import Coverage, Stories
from auditor.protocols.spatial_construction.prompts import STORIES
from auditor.statistics.sample_means import SampleMean


def rate_rows(rows: Rows, stories: Stories) -> Iterator[StatisticRow]:
    """Refusals, invalid and truncated responses, and why the invalid ones are."""
    labels = stories.labels
    yield from rows.label_rates(
        {},
        {REFUSAL: labels[REFUSAL], INVALID: labels[INVALID]},
        responses=stories.responses,
        pending=labels[PENDING],
        truncated=stories.truncated,
    )
    for reason, count in sorted(stories.reasons.items()):
        yield rows.figure("unread_stories", {"reason": reason}, float(count), n=stories.responses)


def length_rows(rows: Rows, stories: Stories, note: str | None) -> Iterator[StatisticRow]:
    """Compliance with the limit of words: overall, then by kind of story."""
    counts = {story: stories.lengths[story] for story in STORIES if stories.lengths[story]}
    within = sum(found[True] for found in counts.values())
    total = sum(found.total() for found in counts.values())
    nothing = "no story whose words are counted"
    yield rows.rate("word_limit_rate", {}, within, total, note=note, nothing=nothing)
    for story, found in counts.items():
        yield rows.rate(
            "word_limit_rate",
            {"story": story},
            found[True],
            found.total(),
            note=note,
            nothing=nothing,
        )


def left_out(coverage: Coverage) -> str | None:
    """Says how many stories have no valid annotation of a task; None where all have one."""
    if not coverage.without:
        return None
    return f"{counted(coverage.without, 'story')} without a valid annotation left out"


def no_error(mean: SampleMean) -> str | None:
    """Why a mean over stories has no error, or one that says nothing; None where it has one."""
    if mean.error is None:
        return "a single story"
    return None if mean.error else "no error: it does not vary"
