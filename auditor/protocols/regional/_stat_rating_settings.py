"""All rows of the ratings of one target, language by language and then between languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_correlations import indicator_rows, spearman_row
from auditor.protocols.regional._stat_levels import (
    Level,
    between_languages,
    in_order,
    joined_note,
)
from auditor.protocols.regional._stat_ratings import Ratings, rating_scores
from auditor.protocols.regional._stat_scores import (
    Spreads,
    averaged_scores,
    grouped,
    partial_note,
    spread_rows,
    summary_rows,
)
from auditor.protocols.regional._stat_stereotypes import (
    NO_RATING,
    dimension_means,
    error_rows,
    mean_rating_rows,
    trait_mean_row,
)
from auditor.protocols.rows import Rows
from auditor.statistics import SampleMean

SD_THRESHOLD = 0.5
"""The paper's: standard deviations above it are counted."""
_NOT_ALL = "not every trait of the dimension has a valid rating"


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """What the rubric files say: in their order."""

    regions: Sequence[str]
    dimensions: Mapping[str, str]
    """Dimension by trait."""
    indicators: Mapping[str, Mapping[str, float]]


def rating_rows(rows: Rows, ratings: Ratings, plan: RatingPlan) -> Iterator[StatisticRow]:
    """Each language by itself, then English against Chinese level by level."""
    levels: dict[str, list[Level]] = {}
    for language in dict.fromkeys(language for language, _ in ratings.by_setting):
        levels[language] = []
        yield from _language(rows, ratings, plan, language, levels[language])
    yield from between_languages(rows, levels)


def _language(
    rows: Rows, ratings: Ratings, plan: RatingPlan, language: str, levels: list[Level]
) -> Iterator[StatisticRow]:
    regions = in_order(list(ratings.regions), plan.regions)
    met = [trait for spoken, trait in ratings.by_setting if spoken == language]
    traits = in_order(met, list(plan.dimensions))
    spoken = {"language": language}
    means: dict[str, dict[str, SampleMean]] = {}
    spreads = Spreads()
    for trait in traits:
        group = {"trait": trait, **spoken}
        pending = ratings.tally.pending_note(("trait", trait), ("language", language))
        means[trait] = ratings.means(language, trait)
        scores = rating_scores(
            means[trait],
            ratings.by_setting[language, trait],
            regions,
            f"rating/{language}/{trait}",
        )
        levels.append(Level({"trait": trait}, scores, pending))
        yield from mean_rating_rows(
            rows,
            "stereotype_score",
            group,
            regions,
            means[trait],
            nothing=NO_RATING,
            note=pending,
        )
        yield from error_rows(rows, group, regions, means[trait], pending)
        yield trait_mean_row(rows, group, means[trait], pending)
        yield from spreads.kept(spread_rows(rows, group, scores, pending))
    yield from summary_rows(rows, spoken, spreads, SD_THRESHOLD, with_range_one=False)
    yield from _dimensions(rows, plan, language, means, levels)


def _dimensions(
    rows: Rows,
    plan: RatingPlan,
    language: str,
    means: Mapping[str, Mapping[str, SampleMean]],
    levels: list[Level],
) -> Iterator[StatisticRow]:
    by_trait = {level.group["trait"]: level for level in levels}
    spoken = {"language": language}
    dimensions: dict[str, Level] = {}
    for dimension, traits in grouped(list(by_trait), plan.dimensions).items():
        of_it = [trait for trait, whole in plan.dimensions.items() if whole == dimension]
        parts = [by_trait[trait] for trait in traits]
        note = joined_note(parts, partial_note(len(traits), len(of_it), "traits"))
        scores = averaged_scores([part.scores for part in parts])
        dimensions[dimension] = Level({"dimension": dimension}, scores, note)
        yield from mean_rating_rows(
            rows,
            "dimension_score",
            {"dimension": dimension, **spoken},
            scores.regions,
            dimension_means([means[trait] for trait in traits]),
            nothing=_NOT_ALL,
            note=note,
        )
    for dimension, level in dimensions.items():
        group = {"dimension": dimension, **spoken}
        yield from indicator_rows(rows, group, level.scores, plan.indicators, level.note)
    if {"Warmth", "Competence"} <= dimensions.keys():
        warmth, competence = dimensions["Warmth"], dimensions["Competence"]
        yield spearman_row(
            rows,
            "warmth_competence_spearman",
            spoken,
            warmth.scores,
            competence.scores,
            joined_note([warmth, competence]),
        )
    levels.extend(dimensions.values())
