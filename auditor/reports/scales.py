"""How the values of an annotation task are compared: as classes, numbers, texts, or by part."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from auditor.canonical import canonical_json
from auditor.protocols.base import Task
from auditor.reports.label_values import INVALID

Said = str | None
"""A value in canonical JSON; None: invalid."""
SaidPairs = Mapping[tuple[Said, Said], int]

_NOTHING = "null"
NUMBER = "number"
"""The class of every number, where values are numbers."""
OBJECT = "object"
"""The class of every object of numbers that is compared as a whole."""


class Scale(StrEnum):
    """What a task's values are."""

    CATEGORIES = "categories"
    """The task's own labels."""
    NUMBERS = "numbers"
    """Numbers, some perhaps with words beside them ("refusal")."""
    TEXTS = "texts"
    """Any text, compared without regard to case and blanks; and whatever else, as JSON."""


def scale_of(task: Task) -> Scale:
    """The scale of a task's values as the task declares it."""
    if task.numbers is not None:
        return Scale.NUMBERS
    return Scale.CATEGORIES if task.labels else Scale.TEXTS


def class_of(said: Said, scale: Scale) -> str:
    """The class that a value counts as; texts of any wording are in quotation marks.

    "invalid" for what is invalid, "null" for null, "number" for any number where values are
    numbers.
    """
    if said is None:
        return INVALID
    if scale is Scale.NUMBERS and is_number(said):
        return NUMBER
    if scale is Scale.NUMBERS and said.startswith("{"):
        return OBJECT
    if not said.startswith('"'):
        return said
    text: str = json.loads(said)
    if scale is Scale.TEXTS:
        return json.dumps(" ".join(text.split()).casefold(), ensure_ascii=False)
    return text


def class_pairs(pairs: SaidPairs, scale: Scale) -> Counter[tuple[str, str]]:
    """Pairs of values as pairs of their classes."""
    found: Counter[tuple[str, str]] = Counter()
    for (first, second), count in pairs.items():
        found[class_of(first, scale), class_of(second, scale)] += count
    return found


def number_pairs(pairs: SaidPairs) -> Counter[tuple[float, float]]:
    """Pairs of which both are numbers."""
    found: Counter[tuple[float, float]] = Counter()
    for (first, second), count in pairs.items():
        if first is not None and second is not None and is_number(first) and is_number(second):
            found[number(first), number(second)] += count
    return found


def is_number(said: str) -> bool:
    """Whether a value is a number. True and false are none."""
    return said[:1] in "-0123456789"


def number(said: str) -> float:
    """The number that a value is."""
    return float(json.loads(said))


def parts_of(said: Iterable[Said]) -> list[str]:
    """Names of the parts, where every valid value is an object of single values; else none.

    Null, that there is nothing, may stand beside such objects.
    """
    names: dict[str, None] = {}
    for value in set(said):
        if value is None or value == _NOTHING:
            continue
        fields = json.loads(value) if value.startswith("{") else None
        if fields is None or any(isinstance(part, dict | list) for part in fields.values()):
            return []
        names.update(dict.fromkeys(fields))
    return sorted(names)


def part_of(said: Said, name: str) -> tuple[Said] | None:
    """One part of a value in a tuple; None where it has no such part. Invalid in all is invalid."""
    if said is None:
        return (None,)
    if said == _NOTHING:
        return None
    fields = json.loads(said)
    return (canonical_json(fields[name]),) if name in fields else None


def part_pairs(pairs: SaidPairs, name: str) -> Counter[tuple[Said, Said]]:
    """Pairs of one part, where both values have it."""
    found: Counter[tuple[Said, Said]] = Counter()
    for (first, second), count in pairs.items():
        a, b = part_of(first, name), part_of(second, name)
        if a is not None and b is not None:
            found[a[0], b[0]] += count
    return found
