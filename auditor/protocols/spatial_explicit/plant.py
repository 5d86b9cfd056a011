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
from difflib import get_close_matches

from auditor.protocols.base import Materials
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
_ROUNDING = 1e-12


def own_part(plant: Mapping[str, JSON], protocol: str) -> Mapping[str, JSON]:
    """The table named after the protocol where there is one, else the whole plant."""
    part = plant.get(protocol, plant)
    return part if isinstance(part, Mapping) else plant


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
    return _without_rounding(float(shifted))


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
            return _unknown(key, KEYS, ", ".join(KEYS))
        if key == "men":
            names = (*DOMAINS, "default", *(space.name for space in all_spaces(materials)))
            allowed = f"{', '.join(DOMAINS)}, default, or spaces of rubrics/{SPACES}"
            wrong = _check_numbers(key, value, 0, 1, names, allowed)
        elif key == "slope":
            wrong = _check_number(key, value, -1, 1)
        elif key == "prompt_shift" and not isinstance(value, Mapping):
            wrong = f"{key}: value {_shown(value)}; allowed: a table of prompt to number"
        else:
            low = -1 if key == "prompt_shift" else 0
            wrong = _check_numbers(key, value, low, 1, prompts, f"prompts {', '.join(prompts)}")
        if wrong:
            return wrong
    return None


def _check_sums(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    spaces = all_spaces(materials)
    for prompt in templates(materials):
        total = sum(rates(plant, prompt).values())
        if total > 1 + _ROUNDING:
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


def _check_numbers(
    key: str, value: JSON, low: float, high: float, parts: tuple[str, ...], allowed: str
) -> str | None:
    if not isinstance(value, Mapping):
        return _check_number(key, value, low, high)
    for part, number in value.items():
        if part not in parts:
            return _unknown(part, parts, allowed, within=f"{key}.")
        if wrong := _check_number(f"{key}.{part}", number, low, high):
            return wrong
    return None


def _check_number(key: str, value: JSON, low: float, high: float) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and low <= value <= high:
        return None
    return f"{key}: value {_shown(value)}; allowed: a number from {low} to {high}"


def _unknown(key: str, names: tuple[str, ...], allowed: str, within: str = "") -> str:
    close = get_close_matches(key, names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{within}{key}: no part of a plant{meant}; allowed: {allowed}"


def _shown(value: JSON) -> str:
    # Python spells no integer of more than 4,300 digits.
    return "a huge number" if isinstance(value, int) and abs(value) > 1e30 else repr(value)[:60]


def _without_rounding(p: float) -> float:
    if -_ROUNDING <= p < 0:
        return 0.0
    if 1 < p <= 1 + _ROUNDING:
        return 1.0
    return p
