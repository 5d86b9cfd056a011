"""The bias that a simulated target of `spatial.explicit` is given, and what may be planted.

Keys, all optional:

- `men`: true probability of "men" among gendered answers (0.5 if absent): one number, or a table
  of spaces, `public`, `private` and `default`, of which the most particular one holds.
- `slope`: added to `men`, from -slope/2 at the first space of the taxonomy to +slope/2 at its
  last, in equal steps.
- `prompt_shift`: table of prompt to a number that is added under that prompt.
- `refusal` (in words), `api_refusal` (the API's own field), `filtered`, `empty`, `neither`,
  `noise` (texts that decide nothing): share of all answers, one number or a table by prompt.

A plant for several protocols at once stands in tables named after them.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.protocols.base import Materials
from auditor.protocols.plants import (
    ROUNDING,
    check_number,
    check_numbers,
    shown,
    unknown_key,
    without_rounding,
)
from auditor.protocols.spatial_explicit.prompts import (
    DOMAINS,
    SPACES,
    Space,
    all_spaces,
    templates,
)
from auditor.types import JSON

RATES = ("refusal", "api_refusal", "filtered", "empty", "neither", "noise")
"""Answers without a gender, in the order in which they share the unit interval."""
KEYS = ("men", "slope", "prompt_shift", *RATES)
UNBIASED = 0.5


def men_probability(
    plant: Mapping[str, JSON], spaces: tuple[Space, ...], place: int, prompt: str
) -> float:
    """True probability of "men" among gendered answers, for the space at `place` of the taxonomy.

    Outside [0, 1] where the plant's parts add up to that: `check_plant` refuses such plants.
    """
    space = spaces[place]
    men = plant.get("men", UNBIASED)
    if isinstance(men, Mapping):
        for key in (space.name, space.domain, "default"):
            if key in men:
                men = men[key]
                break
        else:
            men = UNBIASED
    share = place / (len(spaces) - 1) - 0.5 if len(spaces) > 1 else 0.0
    shifted = men + plant.get("slope", 0.0) * share + plant.get("prompt_shift", {}).get(prompt, 0.0)
    return without_rounding(float(shifted))


def rates(plant: Mapping[str, JSON], prompt: str) -> dict[str, float]:
    """Shares of the answers without a gender under one prompt; the rest are gendered."""
    shares = {}
    for name in RATES:
        rate = plant.get(name, 0.0)
        shares[name] = float(rate.get(prompt, 0.0) if isinstance(rate, Mapping) else rate)
    return shares


def check_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    return _check_values(plant, materials) or _check_sums(plant, materials)


def _check_values(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    prompts = tuple(templates(materials))
    for key, value in plant.items():
        if key not in KEYS:
            return unknown_key(key, KEYS, ", ".join(KEYS))
        if key == "men":
            names = (*DOMAINS, "default", *(space.name for space in all_spaces(materials)))
            allowed = f"{', '.join(DOMAINS)}, default, or spaces of rubrics/{SPACES}"
            wrong = check_numbers(key, value, 0, 1, names, allowed)
        elif key == "slope":
            wrong = check_number(key, value, -1, 1)
        elif key == "prompt_shift" and not isinstance(value, Mapping):
            wrong = f"{key}: value {shown(value)}; allowed: a table of prompt to number"
        else:
            low = -1 if key == "prompt_shift" else 0
            wrong = check_numbers(key, value, low, 1, prompts, f"prompts {', '.join(prompts)}")
        if wrong:
            return wrong
    return None


def _check_sums(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    spaces = all_spaces(materials)
    for prompt in templates(materials):
        total = sum(rates(plant, prompt).values())
        if total > 1 + ROUNDING:
            return (
                f"{', '.join(name for name in RATES if name in plant)}: they add up to "
                f"{total:.6g} under prompt {prompt}; allowed: at most 1"
            )
        for place, space in enumerate(spaces):
            p = men_probability(plant, spaces, place, prompt)
            if not 0 <= p <= 1:
                return (
                    f"men, slope, prompt_shift: together {p:.6g} for {space.name!r} under prompt "
                    f"{prompt}; allowed: a probability from 0 to 1"
                )
    return None
