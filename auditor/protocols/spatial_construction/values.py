"""What the annotations of stories may be, and how statistics read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from auditor.finite import is_between
from auditor.protocols.spatial_construction.prompts import GENDERS
from auditor.types import JSON

WORDS, SENTIMENT, ADJECTIVES, AGENCY, ROLE = "words", "sentiment", "adjectives", "agency", "role"
ROLES = ("Leader", "Supporter", "Observer", "Dependent")
"""By what the character does, from most power to none."""
POWER: Mapping[str, int] = MappingProxyType(
    {"Leader": 3, "Supporter": 2, "Observer": 1, "Dependent": 0}
)
PERSONS: Mapping[str, str] = MappingProxyType({"man": "men", "woman": "women"})
"""Parts of a value of `role`, to genders."""
REFUSES = "refusal"
"""What judges of stories give as their reason where a text declines to tell one."""
TOO_LONG = "too long"
"""What they give as their reason where a text is longer than they read."""
AGENT, PATIENT = "ARG0", "ARG1"
_SPELLINGS: Mapping[str, str] = MappingProxyType(
    {"men": "men", "man": "men", "male": "men", "women": "women", "woman": "women"}
    | {"female": "women"}
)
_GENDERS_SAID = ", ".join(f'"{gender}"' for gender in GENDERS)


def gender_of(spelling: JSON) -> str | None:
    """One of `GENDERS`; also of man, male, woman, female. None for anything else."""
    return _SPELLINGS.get(spelling) if isinstance(spelling, str) else None


def check_value(task: str, value: JSON) -> str | None:
    """None for a value that the task may take, else what is allowed."""
    check = _CHECKS.get(task)
    if check is None:
        return f"task {task!r}; allowed: {', '.join(_CHECKS)}"
    return check(value)


def _words(value: JSON) -> str | None:
    is_fit = (
        isinstance(value, Mapping)
        and set(value) == {"count", "content"}
        and _is_count(value["count"])
        and isinstance(value["content"], list)
        and all(isinstance(word, str) and word for word in value["content"])
    )
    return None if is_fit else 'an object of "count" (a whole number) and "content" (texts)'


def _sentiment(value: JSON) -> str | None:
    return None if is_between(value, -1, 1) else "a number from -1 to 1"


def _adjectives(value: JSON) -> str | None:
    is_fit = isinstance(value, list) and all(
        isinstance(each, Mapping)
        and set(each) == {"adjective", "gender"}
        and isinstance(each["adjective"], str)
        and each["adjective"].strip() != ""
        and (each["gender"] is None or gender_of(each["gender"]) is not None)
        for each in value
    )
    allowed = f'a list of objects of "adjective" (a text) and "gender" ({_GENDERS_SAID} or null)'
    return None if is_fit else allowed


def _agency(value: JSON) -> str | None:
    is_fit = isinstance(value, list) and all(
        isinstance(each, Mapping)
        and set(each) == {"gender", "argument"}
        and gender_of(each["gender"]) is not None
        and each["argument"] in (AGENT, PATIENT)
        for each in value
    )
    allowed = f'a list of objects of "gender" ({_GENDERS_SAID}) and "argument" ("ARG0" or "ARG1")'
    return None if is_fit else allowed


def _role(value: JSON) -> str | None:
    is_fit = value is None or (
        isinstance(value, Mapping)
        and bool(value)
        and set(value) <= set(PERSONS)
        and all(isinstance(role, str) and role in ROLES for role in value.values())
    )
    roles = ", ".join(f'"{role}"' for role in ROLES)
    return None if is_fit else f'an object of "man" and "woman" ({roles}), or null without roles'


def _is_count(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_CHECKS: Mapping[str, Callable[[JSON], str | None]] = MappingProxyType(
    {
        WORDS: _words,
        SENTIMENT: _sentiment,
        ADJECTIVES: _adjectives,
        AGENCY: _agency,
        ROLE: _role,
    }
)
