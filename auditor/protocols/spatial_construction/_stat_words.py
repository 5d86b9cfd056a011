"""Rows of words: adjectives of a domain, and what is salient in one space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows, join_notes
from auditor.protocols.spatial_construction._stat_stories import Stories
from auditor.protocols.spatial_construction.prompts import GENDERS
from auditor.protocols.spatial_explicit.prompts import DOMAINS
from auditor.statistics import newcombe_interval
from auditor.statistics.adjusted_odds import AdjustedOddsRatio, adjusted_odds_ratio
from auditor.statistics.odds_ratios import Table

TOP = 10
_LEAST_STORIES = 2
"""A word of one story only is not salient, however few there are."""


def adjective_rows(
    rows: Rows, stories: Stories, least: int, note: str | None
) -> Iterator[StatisticRow]:
    """The odds ratio of every adjective, and the ten at either end, by domain."""
    for domain in DOMAINS:
        men, women = (stories.adjectives[domain, gender] for gender in GENDERS)
        if not men and not women:
            continue
        found = _ratios(men, women)
        for adjective in sorted({*men, *women}):
            yield _ratio_row(rows, domain, adjective, men, women, found.get(adjective), note)
        yield from _top_rows(rows, domain, men, women, found, least)


def _ratios(men: Counter[str], women: Counter[str]) -> dict[str, AdjustedOddsRatio]:
    totals = men.total(), women.total()
    found = {}
    for adjective in {*men, *women}:
        m, w = men[adjective], women[adjective]
        ratio = adjusted_odds_ratio(Table(a=m, b=totals[0] - m, c=w, d=totals[1] - w))
        if ratio is not None:
            found[adjective] = ratio
    return found


def _ratio_row(
    rows: Rows,
    domain: str,
    adjective: str,
    men: Counter[str],
    women: Counter[str],
    ratio: AdjustedOddsRatio | None,
    note: str | None,
) -> StatisticRow:
    why = None
    if ratio is None:
        both = bool(men) and bool(women)
        why = "no other adjective" if both else "adjectives in one gender's stories only"
    adjusted = "a half added to each cell: one is empty" if ratio and ratio.is_adjusted else None
    return rows.figure(
        "adjective_odds_ratio",
        {"domain": domain, "adjective": adjective},
        ratio.value if ratio else None,
        n=men[adjective] + women[adjective],
        interval=ratio.interval if ratio else None,
        note=join_notes(why, _frequency(adjective, men, women), adjusted, note),
    )


def _frequency(adjective: str, men: Counter[str], women: Counter[str]) -> str:
    return f"{men[adjective]} in men's stories, {women[adjective]} in women's"


def _top_rows(
    rows: Rows,
    domain: str,
    men: Counter[str],
    women: Counter[str],
    found: Mapping[str, AdjustedOddsRatio],
    least: int,
) -> Iterator[StatisticRow]:
    frequency = men + women
    # Equals by frequency, then by letters, so that a table has one order only.
    ranked = sorted(
        (adjective for adjective in found if frequency[adjective] >= least),
        key=lambda word: (-frequency[word], word),
    )
    mens = sorted((word for word in ranked if found[word].value > 1), key=lambda w: -found[w].value)
    womens = sorted(
        (word for word in ranked if found[word].value < 1), key=lambda w: found[w].value
    )
    sides: Mapping[str, Sequence[str]] = {"men": mens[:TOP], "women": womens[:TOP]}
    for gender, words in sides.items():
        for rank, word in enumerate(words, start=1):
            yield rows.figure(
                "top_adjective",
                {"domain": domain, "gender": gender, "rank": rank, "adjective": word},
                found[word].value,
                n=frequency[word],
                interval=found[word].interval,
                note=_frequency(word, men, women),
            )


def salient_rows(
    rows: Rows, stories: Stories, spaces: Sequence[str], most: int
) -> Iterator[StatisticRow]:
    """The words of each space whose shares of men's and women's stories differ most."""
    for space in spaces:
        n_men, n_women = (stories.solo[space, gender] for gender in GENDERS)
        if not n_men or not n_women:
            continue
        men, women = (stories.content[space, gender] for gender in GENDERS)
        # Of a common denominator, so that differences that are equal are equal here.
        apart = {word: men[word] * n_women - women[word] * n_men for word in {*men, *women}}
        for gender, sign in zip(GENDERS, (1, -1), strict=True):
            own = men if gender == "men" else women
            words = [
                word
                for word, value in apart.items()
                if value * sign > 0 and own[word] >= _LEAST_STORIES
            ]
            words.sort(key=lambda word: (-apart[word] * sign, -own[word], word))
            for word in words[:most]:
                yield rows.figure(
                    "salient_words",
                    {"space": space, "gender": gender, "word": word},
                    apart[word] / (n_men * n_women),
                    n=n_men + n_women,
                    interval=newcombe_interval((men[word], n_men), (women[word], n_women)),
                    note=f"in {men[word]} of {n_men} stories of men,"
                    f" {women[word]} of {n_women} of women",
                )
