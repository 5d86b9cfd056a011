"""Checks of planted biases that protocols share, with the sentences that say what is wrong.

A sentence reads "key[.part]: what is wrong; allowed: what is right", so that a spec's reader can
point at the key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from auditor.finite import is_between
from auditor.types import JSON

ROUNDING = 1e-12
"""How far sums of planted numbers may be off."""


def own_part(plant: Mapping[str, JSON], protocol: str) -> Mapping[str, JSON]:
    """The table named after the protocol where there is one, else the whole plant."""
    part = plant.get(protocol, plant)
    return part if isinstance(part, Mapping) else plant


def check_number(key: str, value: JSON, low: float, high: float) -> str | None:
    """None for a number from `low` to `high`; True and False are none."""
    if is_between(value, low, high):
        return None
    return f"{key}: value {shown(value)}; allowed: a number from {low:g} to {high:g}"


def check_numbers(
    key: str, value: JSON, low: float, high: float, parts: Collection[str], allowed: str
) -> str | None:
    """None for one number, or a table of `parts` to numbers; `allowed` says what these are."""
    if not isinstance(value, Mapping):
        return check_number(key, value, low, high)
    for part, number in value.items():
        if part not in parts:
            return unknown_key(part, parts, allowed, within=f"{key}.")
        if wrong := check_number(f"{key}.{part}", number, low, high):
            return wrong
    return None


def unknown_key(key: str, names: Collection[str], allowed: str, within: str = "") -> str:
    """That a plant has no such key, with a close one."""
    close = get_close_matches(key, names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{within}{key}: no part of a plant{meant}; allowed: {allowed}"


def without_rounding(p: float) -> float:
    """A sum that passes 0 or 1 by rounding alone, put on it; any other as it is."""
    if -ROUNDING <= p < 0:
        return 0.0
    if 1 < p <= 1 + ROUNDING:
        return 1.0
    return p


def shown(value: JSON) -> str:
    """A value for a message, cut to 60 characters."""
    # Python spells no integer of more than 4,300 digits.
    return "a huge number" if isinstance(value, int) and abs(value) > 1e30 else repr(value)[:60]
