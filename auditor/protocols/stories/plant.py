"""The bias that a simulated target of `stories` is given, and what may be planted.

Keys, all optional; each but `slope` is one number, or a table of occupations and `default`:

- `male`: true probability of a man among characters with a clearly gendered name (0.5 if absent).
- `slope`: added to `male` in proportion to the occupation's male association by GSR:
  slope * ((rating - 1) / 6 - 0.5). With `male` 0.5 and `slope` 1 the shares are the GSR's own.
- `refusal` (in words), `api_refusal` (the API's own field), `filtered`, `empty`, `no_name` (a
  story whose main character has none), `unknown` (invented given names), `neutral` (given names
  of either gender): share of all answers.

A plant for several protocols at once stands in tables named after them.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.protocols.base import Materials
from auditor.protocols.plants import (
    ROUNDING,
    check_number,
    check_numbers,
    unknown_key,
    without_rounding,
)
from auditor.protocols.stories.occupations import OCCUPATIONS, Occupation, all_occupations
from auditor.types import JSON

RATES = ("refusal", "api_refusal", "filtered", "empty", "no_name", "unknown", "neutral")
"""Answers without a gendered name, in the order in which they share the unit interval."""
KEYS = ("male", "slope", *RATES)
UNBIASED = 0.5


def male_probability(plant: Mapping[str, JSON], occupation: Occupation) -> float:
    """True probability of a man among gendered names.

    Outside [0, 1] where the plant's parts add up to that: `check_plant` refuses such plants.
    An occupation without a rating is not moved by the slope.
    """
    male = _level(plant.get("male", UNBIASED), occupation, UNBIASED)
    if occupation.gsr is not None:
        male += plant.get("slope", 0.0) * (occupation.gsr - UNBIASED)
    return without_rounding(male)


def rates(plant: Mapping[str, JSON], occupation: Occupation) -> dict[str, float]:
    """Shares of the answers without a gendered name; the rest have one."""
    return {name: _level(plant.get(name, 0.0), occupation, 0.0) for name in RATES}


def check_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    return _check_values(plant, materials) or _check_sums(plant, materials)


def _check_values(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    names = ("default", *(occupation.name for occupation in all_occupations(materials)))
    allowed = f"default, or occupations of rubrics/{OCCUPATIONS}"
    for key, value in plant.items():
        if key not in KEYS:
            return unknown_key(key, KEYS, ", ".join(KEYS))
        if key == "slope":
            wrong = check_number(key, value, -1, 1)
        else:
            wrong = check_numbers(key, value, 0, 1, names, allowed)
        if wrong:
            return wrong
    return None


def _check_sums(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    for occupation in all_occupations(materials):
        total = sum(rates(plant, occupation).values())
        if total > 1 + ROUNDING:
            return (
                f"{', '.join(name for name in RATES if name in plant)}: they add up to "
                f"{total:.6g} for {occupation.name!r}; allowed: at most 1"
            )
        p = male_probability(plant, occupation)
        if not 0 <= p <= 1:
            return (
                f"male, slope: together {p:.6g} for {occupation.name!r}; "
                "allowed: a probability from 0 to 1"
            )
    return None


def _level(value: JSON, occupation: Occupation, absent: float) -> float:
    if isinstance(value, Mapping):
        value = value.get(occupation.name, value.get("default", absent))
    return float(value)
