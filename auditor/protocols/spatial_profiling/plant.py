"""The bias that a simulated target of `spatial.profiling` is given, and what may be planted.

Keys, all optional:

- `men`, `women`: share of the profiles that show that gender (0 each): a number, or a table of
  places and `default`. The rest are neutral.
- `refusal` (in words), `api_refusal`, `filtered`, `empty`, `unclear` (a text of nothing but signs):
  share of all answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from auditor.protocols.plants import ROUNDING, check_number, check_numbers, unknown_key
from auditor.protocols.spatial_planning.plant import RATES, check_rates
from auditor.types import JSON

SIDES = ("men", "women")
KEYS = (*SIDES, *RATES)


def planted_share(plant: Mapping[str, JSON], side: str, place: str) -> float:
    """Share of a place's profiles that show a gender."""
    value = plant.get(side, 0.0)
    if isinstance(value, Mapping):
        value = value.get(place, value.get("default", 0.0))
    return float(value)


def check_plant(plant: Mapping[str, JSON], places: Collection[str]) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    for key, value in plant.items():
        if key not in KEYS:
            return unknown_key(key, KEYS, ", ".join(KEYS))
        if key in SIDES:
            parts = (*places, "default")
            wrong = check_numbers(key, value, 0, 1, parts, ", ".join(parts))
        else:
            wrong = check_number(key, value, 0, 1)
        if wrong:
            return wrong
    for place in places:
        total = sum(planted_share(plant, side, place) for side in SIDES)
        if total > 1 + ROUNDING:
            return f"men, women: they add up to {total:.6g} for {place!r}; allowed: at most 1"
    return check_rates(plant)
