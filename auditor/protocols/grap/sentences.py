"""The sentences of which simulated targets of `grap` make their answers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from auditor.protocols.base import Materials
from auditor.protocols.grap.files import SENTENCES


@dataclass(frozen=True, slots=True)
class Sides:
    """Sentences that speak for a high and for a low score of one dimension; a side may be empty."""

    high: tuple[str, ...]
    low: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """What answers are made of."""

    openings: tuple[str, ...]
    fillers: tuple[str, ...]
    closings: tuple[str, ...]
    refusals: tuple[str, ...]
    leaks: tuple[str, ...]
    """Sentences that name the asker and the level, with the places {name} and {word}."""
    dimensions: Mapping[str, Sides]
    """By dimension: those that can be planted."""


def sentences(materials: Materials) -> Sentences:
    """The sentences of the rubric file."""
    return _sentences(materials[SENTENCES])


@lru_cache(maxsize=8)
def _sentences(text: str) -> Sentences:
    table = tomllib.loads(text)
    dimensions = {
        key: Sides(high=tuple(sides.get("high", ())), low=tuple(sides.get("low", ())))
        for key, sides in table.pop("dimensions").items()
    }
    return Sentences(dimensions=dimensions, **{key: tuple(texts) for key, texts in table.items()})
