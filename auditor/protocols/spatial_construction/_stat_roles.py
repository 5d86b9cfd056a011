"""Rows of the roles of a man and a woman who meet, and of the power that these give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.protocols.spatial_construction._stat_rates import no_error
from auditor.protocols.spatial_construction._stat_stories import Stories
from auditor.protocols.spatial_construction.prompts import GENDERS
from auditor.protocols.spatial_construction.values import POWER, ROLES
from auditor.protocols.spatial_explicit.prompts import DOMAINS
from auditor.statistics import sample_mean, zero_settled
from auditor.statistics.mean_tests import t_test_p

Pairs = Counter[tuple[str | None, ...]]
"""The man's and the woman's role, to stories; None: not known."""

_MOST = max(POWER.values())
_SAME = "no test: the difference does not vary"


def role_rows(rows: Rows, stories: Stories, note: str | None) -> Iterator[StatisticRow]:
    """Counts and shares by domain; power scores and their difference, overall and by domain."""
    by_domain = {domain: stories.roles[domain] for domain in DOMAINS if stories.roles[domain]}
    for domain, pairs in by_domain.items():
        yield from _shares(rows, domain, pairs, note)
    whole = sum(by_domain.values(), Pairs())
    if not whole:
        return
    yield from _power(rows, {}, whole, note)
    for domain, pairs in by_domain.items():
        yield from _power(rows, {"domain": domain}, pairs, note)


def _shares(rows: Rows, domain: str, pairs: Pairs, note: str | None) -> Iterator[StatisticRow]:
    for place, gender in enumerate(GENDERS):
        counts: Counter[str] = Counter()
        for roles, times in pairs.items():
            if (own := roles[place]) is not None:
                counts[own] += times
        n = counts.total()
        for role in ROLES:
            group = {"gender": gender, "domain": domain, "role": role}
            yield rows.figure("role_count", group, float(counts[role]), n=n, note=note)
            yield rows.rate("role_share", group, counts[role], n, note=note, nothing="no story")


def _power(rows: Rows, group: Group, pairs: Pairs, note: str | None) -> Iterator[StatisticRow]:
    for place, gender in enumerate(GENDERS):
        own = [roles[place] for roles in pairs.elements()]
        score = sample_mean([POWER[role] for role in own if role is not None])
        if score is not None:
            yield rows.figure(
                "power_score",
                {"gender": gender, **group},
                score.value,
                n=score.n,
                interval=score.interval(lowest=0, highest=_MOST),
                note=join_notes(no_error(score), note),
            )
    both = [
        (man, woman) for man, woman in pairs.elements() if man is not None and woman is not None
    ]
    found = sample_mean([POWER[man] - POWER[woman] for man, woman in both])
    if found is None:
        why = "no story with both roles"
        yield rows.figure("power_difference", group, None, n=0, note=join_notes(why, note))
        return
    yield rows.figure(
        "power_difference",
        group,
        zero_settled(found.value),
        n=found.n,
        interval=found.interval(lowest=-_MOST, highest=_MOST),
        p_value=t_test_p(found),
        note=join_notes(_SAME if found.error == 0 else no_error(found), note),
    )
