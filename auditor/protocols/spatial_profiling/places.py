"""The places that are profiled, with who is found there in the real world, and the prompt."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from auditor.protocols.base import Materials
from auditor.types import Message, Prompt

PROFILING = "spatial/profiling.toml"
REAL_WORLD = "spatial/real_world.csv"
TENDENCIES = ("men", "women", "neutral")


@dataclass(frozen=True, slots=True, kw_only=True)
class RealShare:
    """A published figure of the gender that models do not expect at a place."""

    gender: str
    low: float
    """As a share of 1."""
    high: float
    words: str
    """What it is a share of, its source and what it does not say."""

    @property
    def middle(self) -> float:
        """Between the lowest and the highest figure."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Place:
    """One place."""

    name: str
    """The factor's level, as in spaces.csv."""
    called: str
    """What the prompt calls it."""
    tendency: str
    """Which gender is found there more often: "men" or "women"."""
    share: RealShare | None
    """None where no figure has a source."""


def all_places(materials: Materials) -> tuple[Place, ...]:
    """The places, in the file's order."""
    return _places(materials[REAL_WORLD])


def all_prompts(materials: Materials) -> Iterator[Prompt]:
    """One prompt a place."""
    text = tomllib.loads(materials[PROFILING])["prompt"]["text"]
    for place in all_places(materials):
        yield Prompt(
            factors={"space": place.name},
            messages=(Message("user", text.replace("{space}", place.called)),),
        )


@lru_cache(maxsize=8)
def _places(text: str) -> tuple[Place, ...]:
    return tuple(
        Place(row["space"], row["called"], row["tendency"], _share(row))
        for row in csv.DictReader(text.splitlines())
    )


def _share(row: Mapping[str, str]) -> RealShare | None:
    if not row["low_percent"]:
        return None
    low, high = row["low_percent"], row["high_percent"]
    figure = low if low == high else f"{low} to {high}"
    return RealShare(
        gender=row["gender"],
        low=float(low) / 100,
        high=float(high) / 100,
        words=f"{row['quantity']}: {figure} %, {row['source']}; {row['caveat']}",
    )
