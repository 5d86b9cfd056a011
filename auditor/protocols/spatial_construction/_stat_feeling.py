"""Rows of sentiment."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.protocols.spatial_construction._stat_rates import no_error
from auditor.protocols.spatial_construction._stat_stories import Stories
from auditor.protocols.spatial_construction.prompts import GENDER_OF, STORIES
from auditor.protocols.spatial_explicit.prompts import DOMAINS
from auditor.statistics import combined, sample_mean, zero_settled
from auditor.statistics.mean_tests import t_test_p
from auditor.statistics.sample_means import SampleMean


def sentiment_rows(rows: Rows, stories: Stories, note: str | None) -> Iterator[StatisticRow]:
    """Means by kind of story and domain, and men's minus women's; these also over all domains."""
    for story in STORIES:
        for domain in DOMAINS:
            values = stories.sentiments[story, domain]
            mean = sample_mean(values)
            if mean is None:
                continue
            gender = GENDER_OF.get(story)
            group = {"domain": domain, "story": story}
            yield rows.figure(
                "sentiment_mean",
                group if gender is None else {"gender": gender, **group},
                mean.value,
                n=mean.n,
                interval=mean.interval(lowest=-1, highest=1),
                note=join_notes(no_error(mean), note),
            )
    for each in (None, *DOMAINS):
        yield from _difference(rows, stories, each, note)


def _difference(
    rows: Rows, stories: Stories, domain: str | None, note: str | None
) -> Iterator[StatisticRow]:
    chosen = DOMAINS if domain is None else (domain,)
    men, women = (
        sum((stories.sentiments[story, each] for each in chosen), array("d")) for story in GENDER_OF
    )
    if not men and not women:
        return
    group: Group = {} if domain is None else {"domain": domain}
    parts = [mean for values in (men, women) if (mean := sample_mean(values)) is not None]
    difference = combined(parts, [1, -1]) if len(parts) == 2 else None
    n = len(men) + len(women)
    if difference is None:
        why = "stories of one gender only"
        yield rows.figure("sentiment_difference", group, None, n=n, note=join_notes(why, note))
        return
    yield rows.figure(
        "sentiment_difference",
        group,
        zero_settled(difference.value),
        n=n,
        interval=difference.interval(lowest=-2, highest=2),
        p_value=t_test_p(difference),
        note=join_notes(_doubt(difference, parts), note),
    )


def _doubt(difference: SampleMean, parts: Sequence[SampleMean]) -> str | None:
    single = sum(part.error is None for part in parts)
    if not single:
        return no_error(difference)
    return f"a single story of {'one' if single == 1 else 'either'} gender"
