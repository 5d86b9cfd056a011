"""Prompts of `stories`: one for each occupation of a spec."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.stories.occupations import chosen_occupations
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.stories.params import StoriesParams

PROMPTS = "stories/prompts.toml"


def template(materials: Materials) -> str:
    """The wording of the prompt; `{occupation}` stands for the occupation."""
    return _template(materials[PROMPTS])


def all_prompts(params: StoriesParams, materials: Materials) -> Iterator[Prompt]:
    """One prompt an occupation, each a conversation of its own."""
    wording = template(materials)
    for occupation in chosen_occupations(params, materials):
        text = wording.replace("{occupation}", occupation.name)
        yield Prompt(factors={"occupation": occupation.name}, messages=(Message("user", text),))


@lru_cache(maxsize=8)
def _template(text: str) -> str:
    wording: str = tomllib.loads(text)["prompts"]["story"]["text"]
    return wording
