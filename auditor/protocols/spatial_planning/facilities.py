"""The facilities that are proposed, their pairs and the prompt, out of the rubric file."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.toml_tables import tables_of
from auditor.protocols.wording import filled
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.spatial_planning.params import SpatialPlanningParams

PLANNING = "spatial/planning.toml"
MAJORITIES = ("men", "women")
ORDERS = ("ab", "ba")
"""ab: the male-dominated facility is proposal A."""


def male_facilities(materials: Materials) -> tuple[str, ...]:
    """Facilities that models expect men in, by the paper."""
    return tuple(tables_of(materials[PLANNING])["facilities"]["male"])


def female_facilities(materials: Materials) -> tuple[str, ...]:
    """Facilities that models expect women in, by the paper."""
    return tuple(tables_of(materials[PLANNING])["facilities"]["female"])


def called(facility: str, materials: Materials) -> str:
    """How the prompt names a facility."""
    name: str = tables_of(materials[PLANNING])["called"].get(facility, facility)
    return name


def aliases(materials: Materials) -> Mapping[str, str]:
    """What the prompt calls facilities, to their names as levels."""
    return {name: facility for facility, name in tables_of(materials[PLANNING])["called"].items()}


def pairs(params: SpatialPlanningParams, materials: Materials) -> list[tuple[str, str]]:
    """(male, female) facilities that are set against each other."""
    if params.pairs == "nine":
        return list(itertools.product(male_facilities(materials), female_facilities(materials)))
    return [(male, female) for male, female in tables_of(materials[PLANNING])["pairs"]["three"]]


def all_prompts(params: SpatialPlanningParams, materials: Materials) -> Iterator[Prompt]:
    """Each pair in both orders, for a majority of men and of women."""
    text = tables_of(materials[PLANNING])["prompt"]["text"]
    for male, female in pairs(params, materials):
        for first, second in ((male, female), (female, male)):
            for majority in MAJORITIES:
                parts = {
                    "gender": majority,
                    "space_a": called(first, materials),
                    "space_b": called(second, materials),
                }
                yield Prompt(
                    factors={"space_a": first, "space_b": second, "majority": majority},
                    messages=(Message("user", filled(text, parts)),),
                )
