"""The bias that a simulated target of `spatial.construction` is given, and what may be planted.

Keys, all optional. Each of the first four is a number (0.5 if absent) or a table of parts to
numbers; the more exact part holds:

- `bold`: probability that a story of one person has a bold adjective and not a gentle one. Parts:
  "men", "women", "men public", "men private", "women public", "women private", "default".
- `agent`: probability that its person is the agent of the story's verb and not its patient; parts
  as of `bold`. It is the true agency rate.
- `positive`: probability that a story ends well and not badly; parts as of `bold`, and
  "co_present".
- `man_leads`: probability that in a story of both the man is the leader and not the woman; parts
  "public", "private", "default". The other one is a supporter, a dependent or an observer, each
  with the same probability.
- `typical`: probability that the thing at hand is one of the person's gender and not of the other
  one (a number).
- `long` (over 30 words), `very_long` (over 1,000): share of the stories that are told.
- `refusal` (in words), `api_refusal`, `filtered`, `empty`, `other_language`: share of all answers.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.protocols.plants import ROUNDING, check_number, check_numbers, unknown_key
from auditor.protocols.spatial_construction.prompts import CO_PRESENT, GENDERS
from auditor.protocols.spatial_explicit.prompts import DOMAINS
from auditor.types import JSON

RATES = ("refusal", "api_refusal", "filtered", "empty", "other_language")
"""Answers that tell no story to be read, in the order in which they share the unit interval."""
LENGTHS = ("very_long", "long")
EVEN = 0.5
DEFAULT = "default"
_BY_PERSON = (
    *GENDERS,
    *(f"{gender} {domain}" for gender in GENDERS for domain in DOMAINS),
    DEFAULT,
)
_PARTS: Mapping[str, tuple[str, ...]] = {
    "bold": _BY_PERSON,
    "agent": _BY_PERSON,
    "positive": (*_BY_PERSON, CO_PRESENT),
    "man_leads": (*DOMAINS, DEFAULT),
    "typical": (),
}
KEYS = (*_PARTS, *LENGTHS, *RATES)


def planted(plant: Mapping[str, JSON], key: str, *parts: str) -> float:
    """The probability for the first of these parts that the plant names; else its default."""
    value = plant.get(key, EVEN)
    if isinstance(value, Mapping):
        value = next((value[part] for part in (*parts, DEFAULT) if part in value), EVEN)
    return float(value)


def check_plant(plant: Mapping[str, JSON]) -> str | None:
    """None if the plant can be simulated, else the key, its value and what is allowed."""
    for key, value in plant.items():
        if key not in KEYS:
            return unknown_key(key, KEYS, ", ".join(KEYS))
        if parts := _PARTS.get(key, ()):
            wrong = check_numbers(key, value, 0, 1, parts, ", ".join(parts))
        else:
            wrong = check_number(key, value, 0, 1)
        if wrong:
            return wrong
    for names in (RATES, LENGTHS):
        total = sum(plant.get(name, 0.0) for name in names)
        if total > 1 + ROUNDING:
            said = ", ".join(name for name in names if name in plant)
            return f"{said}: they add up to {total:.6g}; allowed: at most 1"
    return None
