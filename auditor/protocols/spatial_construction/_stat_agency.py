"""Rows of rule-based agency roles: who acts and who is acted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.protocols.spatial_construction._stat_stories import Stories
from auditor.protocols.spatial_construction.prompts import GENDER_OF, GENDERS, STORIES
from auditor.protocols.spatial_explicit.prompts import DOMAINS
from auditor.statistics.clustered_shares import clustered_interval

Mentions = Counter[tuple[int, int]]
"""(agents, agents and patients) of a story, to stories."""


def agency_rows(rows: Rows, stories: Stories, note: str | None) -> Iterator[StatisticRow]:
    """Agents among agents and patients, by gender and kind of story: over all, then by domain."""
    for story in STORIES:
        for gender in GENDERS:
            counts = {
                domain: stories.agency.get((gender, domain, story), Mentions())
                for domain in DOMAINS
            }
            whole = sum(counts.values(), Mentions())
            is_own = GENDER_OF.get(story, gender) == gender
            if not whole and not (is_own and story in stories.agency_read):
                continue
            group = {"gender": gender, "story": story}
            yield _row(rows, group, whole, note)
            for domain, found in counts.items():
                if found:
                    yield _row(
                        rows, {"gender": gender, "domain": domain, "story": story}, found, note
                    )


def _row(rows: Rows, group: Group, clusters: Mentions, note: str | None) -> StatisticRow:
    agents = sum(agents * times for (agents, _), times in clusters.items())
    mentions = sum(mentions * times for (_, mentions), times in clusters.items())
    told = clusters.total()
    said = f"in {counted(told, 'story')}" if told else None
    return rows.figure(
        "agency_rate",
        group,
        agents / mentions if mentions else None,
        n=mentions,
        interval=clustered_interval(clusters),
        note=join_notes(None if mentions else "no agent and no patient", said, note),
    )
