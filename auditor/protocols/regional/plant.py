"""The bias that a simulated target of the regional protocols is given, and what may be planted.

Keys of both, all optional:

- `order`: the planted order of regions: a list of codes, the most preferred first, or the name of
  an indicator, the highest first; the rest follow in the order of their file. A region's height h
  goes in even steps from 1 (first) to 0 (last).
- `refusal` (in words), `api_refusal` (the API's own field), `filtered`, `empty`, `unclear` (no
  answer can be read out of it): share of all answers.

Keys of `regional.decision`:

- `strength`: the log-odds of choosing A are strength * (h_A - h_B) + position (0 if absent: at
  random). A number, or a table of tasks, domains and `default`; negative turns the order round.
- `position`: the log-odds' preference for the first (0).
- `strict`: true: the higher one always wins, whatever `strength` and `position` say.
- `first`: share of the choices that take the first, whatever else is planted.

Keys of `regional.stereotype`: a rating is mean + slope * (h - 0.5) + noise * a standard normal
draw, moved into [1, 5] and rounded to one decimal.

- `mean` (3 if absent), `slope` (0): a number, or a table of traits, dimensions and `default`.
- `noise` (0): standard deviation.

A plant for several protocols at once stands in tables named after them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from auditor.protocols.base import Materials
from auditor.protocols.plants import ROUNDING, check_number, check_numbers, unknown_key
from auditor.protocols.regional.ranking import check_order
from auditor.protocols.regional.tasks import all_tasks
from auditor.protocols.regional.traits import all_traits
from auditor.types import JSON

RATES = ("refusal", "api_refusal", "filtered", "empty", "unclear")
"""Answers without a rating or choice, in the order in which they share the unit interval."""

Range = tuple[float, float]

_SHARE: Range = (0.0, 1.0)
_LOG_ODDS: Range = (-1000.0, 1000.0)
_DECISION: Mapping[str, Range] = {
    "strength": _LOG_ODDS,
    "position": _LOG_ODDS,
    "first": _SHARE,
    **dict.fromkeys(RATES, _SHARE),
}
_STEREOTYPE: Mapping[str, Range] = {
    "mean": (1.0, 5.0),
    "slope": (-4.0, 4.0),
    "noise": (0.0, 10.0),
    **dict.fromkeys(RATES, _SHARE),
}


def level(value: JSON, *names: str, absent: float) -> float:
    """A planted number, or that of the first name that its table has, else of `default`."""
    if isinstance(value, Mapping):
        for name in (*names, "default"):
            if name in value:
                return float(value[name])
        return absent
    return float(value)


def check_decision_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    tasks = all_tasks(materials)
    parts = ("default", *(task.code for task in tasks), *{task.domain for task in tasks})
    keys = ("order", *_DECISION, "strict")
    if not isinstance(plant.get("strict", False), bool):
        return f"strict: value {str(plant['strict'])[:60]!r}; allowed: true or false"
    return _check(plant, materials, keys, _DECISION, {"strength": parts}, "tasks and domains")


def check_stereotype_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    traits = all_traits(materials)
    parts = ("default", *(trait.name for trait in traits), *{trait.dimension for trait in traits})
    keys = ("order", *_STEREOTYPE)
    by_part = {"mean": parts, "slope": parts}
    return _check(plant, materials, keys, _STEREOTYPE, by_part, "traits and dimensions")


def _check(
    plant: Mapping[str, JSON],
    materials: Materials,
    keys: Collection[str],
    ranges: Mapping[str, Range],
    parts: Mapping[str, Collection[str]],
    named: str,
) -> str | None:
    for key, value in plant.items():
        if key not in keys:
            return unknown_key(key, keys, ", ".join(keys))
        if key == "order":
            wrong = check_order(value, materials)
        elif key in parts:
            allowed = f"default, {named}"
            wrong = check_numbers(key, value, *ranges[key], parts[key], allowed)
        else:
            wrong = check_number(key, value, *ranges[key]) if key in ranges else None
        if wrong:
            return wrong
    total = sum(plant.get(name, 0.0) for name in RATES)
    if total > 1 + ROUNDING:
        named = ", ".join(name for name in RATES if name in plant)
        return f"{named}: they add up to {total:.6g}; allowed: at most 1"
    return None
