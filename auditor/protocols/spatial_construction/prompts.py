"""The kinds of stories, and the prompts that ask for them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from auditor.protocols.base import Materials
from auditor.protocols.spatial_construction.params import SpatialConstructionParams
from auditor.protocols.spatial_explicit.prompts import named_spaces
from auditor.types import Message, Prompt

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
    limit: int = _tables(materials[CONSTRUCTION])["word_limit"]
    return limit


def all_prompts(params: SpatialConstructionParams, materials: Materials) -> Iterator[Prompt]:
    """Space by space, each kind of story.

    So what is compared stands together in the plan. Raises UsageError with where="spaces" for
    spaces that are none.
    """
    wording = _tables(materials[CONSTRUCTION])["prompts"]
    for space in named_spaces(params.spaces, materials):
        for story in params.stories:
            text = wording[story]["text"].replace("{space}", space.name)
            yield Prompt(
                factors={"space": space.name, "story": story},
                messages=(Message("user", text),),
                defaults={"temperature": TEMPERATURE},
            )


@lru_cache(maxsize=8)
def _tables(text: str) -> Mapping[str, Any]:
    return tomllib.loads(text)
