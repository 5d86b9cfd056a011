"""What the regional protocols compute from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.regional._stat_across import across_rows
from auditor.protocols.regional._stat_choice_settings import ChoicePlan, choice_rows
from auditor.protocols.regional._stat_choices import collect_choices
from auditor.protocols.regional._stat_labels import rate_rows
from auditor.protocols.regional._stat_rating_settings import RatingPlan, rating_rows
from auditor.protocols.regional._stat_ratings import collect_ratings
from auditor.protocols.regional.regions import all_regions, indicators
from auditor.protocols.regional.tasks import all_tasks
from auditor.protocols.regional.traits import all_traits
from auditor.protocols.rows import Rows

if TYPE_CHECKING:
    from auditor.protocols.regional.params import DecisionParams, StereotypeParams

STEREOTYPE = "regional.stereotype"
DECISION = "regional.decision"


def stereotype_rows(
    target: str,
    cells: Iterable[CellRecord],
    params: StereotypeParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target's ratings: rates, then language by language, then between them.

    `cells` is passed over once; ratings alone are kept. Without a response there are the overall
    rates only, null with a note. Raises StatisticsError for a rating that the task does not
    allow, and UsageError for a table that is wrong.
    """
    plan = RatingPlan(
        regions=[region.code for region in all_regions(materials, params)],
        dimensions={trait.name: trait.dimension for trait in all_traits(materials, params)},
        indicators=indicators(materials, params),
    )
    ratings = collect_ratings(cells)
    rows = Rows(STEREOTYPE, target)
    yield from rate_rows(rows, ratings.tally)
    yield from rating_rows(rows, ratings, plan)


def decision_rows(
    target: str,
    cells: Iterable[CellRecord],
    params: DecisionParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target's choices: rates, then language by language, then between them.

    `cells` is passed over once and 25 bytes a response are kept. Without a response there are
    the overall rates only, null with a note. Raises StatisticsError for a choice that the task
    does not allow and for a region compared with itself, and UsageError for a table that is
    wrong.
    """
    plan = ChoicePlan(
        regions=[region.code for region in all_regions(materials, params)],
        domains={task.code: task.domain for task in all_tasks(materials, params)},
        indicators=indicators(materials, params),
    )
    choices = collect_choices(cells)
    rows = Rows(DECISION, target)
    yield from rate_rows(rows, choices.tally)
    yield from choice_rows(rows, choices, plan)


def across_stereotype(rows: Sequence[StatisticRow], materials: Materials) -> Iterator[StatisticRow]:
    """Rows that compare the ratings of targets, on dimensions and on each trait."""
    del materials
    return across_rows(STEREOTYPE, rows, ("dimension_score", "stereotype_score"))


def across_decision(rows: Sequence[StatisticRow], materials: Materials) -> Iterator[StatisticRow]:
    """Rows that compare the choices of targets, in domains and in each task."""
    del materials
    return across_rows(DECISION, rows, ("domain_score", "decision_score"))
