"""The kinds of stories, and the prompts that ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.prompts import named_spaces
from auditor.protocols.toml_tables import tables_of
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.spatial_construction.params import SpatialConstructionParams

CONSTRUCTION = "spatial/construction.toml"
STORIES = ("solo_man", "solo_woman", "co_present")
GENDERS = ("men", "women")
GENDER_OF: Mapping[str, str] = MappingProxyType({"solo_man": "men", "solo_woman": "women"})
"""Whom a story of one person is about."""
CO_PRESENT = "co_present"
TEMPERATURE = 1.0
"""The paper's; a target's own `params` replace it."""


def word_limit(materials: Materials) -> int:
    """The most words that the prompts allow."""
    limit: int = tables_of(materials[CONSTRUCTION])["word_limit"]
    return limit


def all_prompts(params: SpatialConstructionParams, materials: Materials) -> Iterator[Prompt]:
    """Space by space, each kind of story.

    So what is compared stands together in the plan. Raises UsageError with where="spaces" for
    spaces that are none.
    """
    wording = tables_of(materials[CONSTRUCTION])["prompts"]
    for space in named_spaces(params.spaces, materials):
        for story in params.stories:
            text = wording[story]["text"].replace("{space}", space.name)
            yield Prompt(
                factors={"space": space.name, "story": story},
                messages=(Message("user", text),),
                defaults={"temperature": TEMPERATURE},
            )
