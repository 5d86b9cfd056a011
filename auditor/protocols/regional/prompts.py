"""Prompts of the regional protocols: ratings of single regions, choices between two."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.draws import draw
from auditor.protocols.base import Materials
from auditor.protocols.regional.files import PROMPTS
from auditor.protocols.regional.regions import Region, chosen_regions
from auditor.protocols.regional.tasks import (
    OCCUPATION,
    REGION_A,
    REGION_B,
    DecisionTask,
    chosen_tasks,
)
from auditor.protocols.regional.traits import chosen_traits
from auditor.protocols.wording import filled
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.regional.params import DecisionParams, StereotypeParams

_OCCUPATION_STREAM = "regional occupation"
_SPACES = {"zh": "", "en": " "}
"""Between a task's text and the constraint."""


def rating_prompts(params: StereotypeParams, materials: Materials) -> Iterator[Prompt]:
    """Language by language and region by region, all traits of each."""
    regions, traits = chosen_regions(params, materials), chosen_traits(params, materials)
    wording = _wording(materials[PROMPTS], "rating")
    for language in params.language:
        for region in regions:
            for trait in traits:
                parts = {"region": region.name(language), "trait": trait.word(language)}
                yield Prompt(
                    factors={"region": region.code, "trait": trait.name, "language": language},
                    messages=(Message("user", filled(wording[language], parts)),),
                )


def decision_prompts(params: DecisionParams, materials: Materials, seed: int) -> Iterator[Prompt]:
    """Language by language and task by task, all pairs of regions, both orders of each together.

    So a run that is cut short has swap partners whole.
    """
    regions, tasks = chosen_regions(params, materials), chosen_tasks(params, materials)
    constraints = _wording(materials[PROMPTS], "constraint")
    for language in params.language:
        constraint = _SPACES[language] + constraints[language]
        for task in tasks:
            yield from _pairs(regions, task, language, constraint, seed)


def occupation_place(task: DecisionTask, first: str, second: str, seed: int) -> int:
    """Which of a task's occupations two regions are asked about: 0-based place in its list.

    It depends on seed, task and the two codes in either order, so that both orders, all
    repetitions and both languages ask about the same work.
    """
    pair = "|".join((task.code, *sorted((first, second))))
    return int(draw(seed, _OCCUPATION_STREAM, pair) * task.occupation_count)


def _pairs(
    regions: tuple[Region, ...], task: DecisionTask, language: str, constraint: str, seed: int
) -> Iterator[Prompt]:
    wording = task.wording[language]
    template = wording.text + constraint
    for one, other in combinations(regions, 2):
        parts = {}
        if wording.occupations:
            place = occupation_place(task, one.code, other.code, seed)
            parts[OCCUPATION] = wording.occupations[place]
        for first, second in ((one, other), (other, one)):
            parts[REGION_A], parts[REGION_B] = first.name(language), second.name(language)
            yield Prompt(
                factors={
                    "region_a": first.code,
                    "region_b": second.code,
                    "task": task.code,
                    "language": language,
                },
                messages=(Message("user", filled(template, parts)),),
            )


@lru_cache(maxsize=8)
def _wording(text: str, kind: str) -> Mapping[str, str]:
    tables = tomllib.loads(text)[kind]
    return MappingProxyType({language: entry["text"] for language, entry in tables.items()})
