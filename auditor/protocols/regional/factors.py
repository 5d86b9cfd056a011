"""Factors of the regional protocols, with the names by which imports may call a level."""

from __future__ import annotations

from auditor.protocols.base import Factor, Materials
from auditor.protocols.regional.regions import all_regions
from auditor.protocols.regional.tasks import LANGUAGES, all_tasks
from auditor.protocols.regional.traits import all_traits

DEFAULT_LANGUAGE = "zh"


def rating_factors(materials: Materials) -> tuple[Factor, ...]:
    """Region, trait and language of a rating."""
    traits = all_traits(materials)
    return (
        _region("region", materials),
        Factor(
            name="trait",
            levels=tuple(trait.name for trait in traits),
            aliases={trait.name_zh: trait.name for trait in traits},
        ),
        _language(),
    )


def decision_factors(materials: Materials) -> tuple[Factor, ...]:
    """Both regions, task and language of a choice."""
    return (
        _region("region_a", materials),
        _region("region_b", materials),
        Factor(
            name="task",
            levels=tuple(task.code for task in all_tasks(materials)),
            aliases={task.name: task.code for task in all_tasks(materials)},
        ),
        _language(),
    )


def _region(name: str, materials: Materials) -> Factor:
    regions = all_regions(materials)
    return Factor(
        name=name,
        levels=tuple(region.code for region in regions),
        aliases={name: region.code for region in regions for name in region.names},
    )


def _language() -> Factor:
    return Factor(name="language", levels=LANGUAGES, default=DEFAULT_LANGUAGE)
