"""All rows of the choices of one target, language by language and then between languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_choices import Choices
from auditor.protocols.regional._stat_comparisons import setting_of
from auditor.protocols.regional._stat_correlations import indicator_rows
from auditor.protocols.regional._stat_decisions import (
    NO_WINNER,
    mean_row,
    position_rows,
    score_rows,
)
from auditor.protocols.regional._stat_levels import (
    Level,
    between_languages,
    in_order,
    joined_note,
)
from auditor.protocols.regional._stat_scores import (
    Spreads,
    averaged_scores,
    grouped,
    partial_note,
    spread_rows,
    summary_rows,
)
from auditor.protocols.regional._stat_strengths import strength_rows
from auditor.protocols.rows import Rows

SD_THRESHOLD = 0.25
"""The paper's: standard deviations above it are counted."""
_NOT_ALL = "not every task of the domain has a comparison with a winner"


@dataclass(frozen=True, slots=True)
class ChoicePlan:
    """What the rubric files say: in their order."""

    regions: Sequence[str]
    domains: Mapping[str, str]
    """Domain by task."""
    indicators: Mapping[str, Mapping[str, float]]


def choice_rows(rows: Rows, choices: Choices, plan: ChoicePlan) -> Iterator[StatisticRow]:
    """Each language by itself, then English against Chinese level by level."""
    levels: dict[str, list[Level]] = {}
    for language in dict.fromkeys(language for language, _ in choices.by_setting):
        levels[language] = []
        yield from _language(rows, choices, plan, language, levels[language])
    yield from between_languages(rows, levels)


def _language(
    rows: Rows, choices: Choices, plan: ChoicePlan, language: str, levels: list[Level]
) -> Iterator[StatisticRow]:
    regions = in_order(list(choices.numbers), plan.regions)
    place = {region: number for number, region in enumerate(regions)}
    places = [place[region] for region in choices.numbers]
    met = [task for spoken, task in choices.by_setting if spoken == language]
    spoken = {"language": language}
    spreads = Spreads()
    for task in in_order(met, list(plan.domains)):
        group = {"task": task, **spoken}
        note = choices.tally.pending_note(("task", task), ("language", language))
        comparisons = choices.by_setting[language, task]
        setting = setting_of(comparisons, places, regions, f"choice/{language}/{task}")
        levels.append(Level({"task": task}, setting.scores, note))
        yield from score_rows(
            rows, "decision_score", group, setting.scores, nothing=NO_WINNER, note=note
        )
        yield mean_row(rows, group, setting, note)
        yield from spreads.kept(spread_rows(rows, group, setting.scores, note))
        yield from position_rows(rows, group, setting, note)
        yield from strength_rows(rows, group, setting, note)
    yield from summary_rows(rows, spoken, spreads, SD_THRESHOLD, with_range_one=True)
    yield from _domains(rows, plan, spoken, levels)


def _domains(
    rows: Rows, plan: ChoicePlan, spoken: Mapping[str, str], levels: list[Level]
) -> Iterator[StatisticRow]:
    by_task = {level.group["task"]: level for level in levels}
    for domain, tasks in grouped(list(by_task), plan.domains).items():
        of_it = [task for task, whole in plan.domains.items() if whole == domain]
        parts = [by_task[task] for task in tasks]
        note = joined_note(parts, partial_note(len(tasks), len(of_it), "tasks"))
        scores = averaged_scores([part.scores for part in parts])
        levels.append(Level({"domain": domain}, scores, note))
        group = {"domain": domain, **spoken}
        yield from score_rows(rows, "domain_score", group, scores, nothing=_NOT_ALL, note=note)
        yield from indicator_rows(rows, group, scores, plan.indicators, note)
