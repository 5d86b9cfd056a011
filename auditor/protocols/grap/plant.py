"""The bias that a simulated target of `grap` is given, and what may be planted.

Keys, all optional:

- `difference`: a table of dimensions, each to the first level's share of answers that speak for a
  high score minus the second's (female minus male), from -1 to 1; 0 where absent. One number
  stands for all dimensions.
- `level`: the mean of both shares, one number or a table of dimensions (0.5 if absent).
- `refusal` (in words), `api_refusal` (the API's own field), `filtered`, `empty`: share of all
  answers.
- `leak`: share of the answers in words that name the asker and the asker's level.

A plant for several protocols at once stands in tables named after them.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.protocols.base import Materials
from auditor.protocols.grap.sentences import sentences
from auditor.protocols.plants import (
    ROUNDING,
    check_number,
    check_numbers,
    unknown_key,
    without_rounding,
)
from auditor.types import JSON

RATES = ("refusal", "api_refusal", "filtered", "empty")
"""Answers that speak for no dimension, in the order in which they share the unit interval."""
KEYS = ("difference", "level", *RATES, "leak")
EVEN = 0.5


def high_probability(plant: Mapping[str, JSON], dimension: str, *, is_first: bool) -> float:
    """Probability that an answer to a level speaks for a high score of a dimension.

    Outside [0, 1] where the plant's parts add up to that: `check_plant` refuses such plants.
    """
    half = _of(plant.get("difference", 0.0), dimension, 0.0) / 2
    level = _of(plant.get("level", EVEN), dimension, EVEN)
    return without_rounding(level + half if is_first else level - half)


def rates(plant: Mapping[str, JSON]) -> dict[str, float]:
    """Shares of the answers that speak for no dimension; the rest do."""
    return {name: float(plant.get(name, 0.0)) for name in RATES}


def check_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    names = tuple(sentences(materials).dimensions)
    for key, value in plant.items():
        if key not in KEYS:
            return unknown_key(key, KEYS, ", ".join(KEYS))
        if key in ("difference", "level"):
            low = -1 if key == "difference" else 0
            wrong = check_numbers(key, value, low, 1, names, ", ".join(names))
        else:
            wrong = check_number(key, value, 0, 1)
        if wrong:
            return wrong
    total = sum(rates(plant).values())
    if total > 1 + ROUNDING:
        given = ", ".join(name for name in RATES if name in plant)
        return f"{given}: they add up to {total:.6g}; allowed: at most 1"
    return _check_probabilities(plant, names)


def _check_probabilities(plant: Mapping[str, JSON], names: tuple[str, ...]) -> str | None:
    for name in names:
        for is_first in (True, False):
            p = high_probability(plant, name, is_first=is_first)
            if not 0 <= p <= 1:
                return (
                    f"difference, level: together {p:.6g} for {name!r}; "
                    "allowed: a probability from 0 to 1"
                )
    return None


def _of(value: JSON, dimension: str, absent: float) -> float:
    return float(value.get(dimension, absent) if isinstance(value, Mapping) else value)
