"""What a cell of a label file, or of a list of classes, says in terms of an annotation task."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from auditor.canonical import canonical_json
from auditor.protocols.base import AnyProtocol, Task
from auditor.types import JSON

INVALID = "invalid"
"""The label of a text out of which no value can be read, by people as by judges."""


class NotAllowed(ValueError):
    """A label that is none of its task's values; `allowed` says what they are."""

    def __init__(self, allowed: str) -> None:
        super().__init__(allowed)
        self.allowed = allowed


def label_value(
    protocol: AnyProtocol, task: Task, cell: str, *, decimal_comma: bool = False
) -> str | None:
    """A label as canonical JSON; None for "invalid". Raises NotAllowed.

    Numbers, null, true, false, objects and lists are spelt as JSON, everything else is a text. The
    classes of a task are read without regard to case.
    """
    if cell.lower() == INVALID:
        return None
    for value in _readings(cell, task, decimal_comma):
        if protocol.check_value(task.name, value) is None:
            return canonical_json(value)
    raise NotAllowed(f'{protocol.check_value(task.name, cell)}, or "{INVALID}"')


def _readings(cell: str, task: Task, decimal_comma: bool) -> Iterator[JSON]:
    """What a cell may mean, likeliest first."""
    value = parsed(cell)
    if value is None and decimal_comma:
        value = parsed(cell.replace(",", "."))
    if cell == "null" or (value is not None and not isinstance(value, str)):
        yield value
    yield cell
    yield from (label for label in task.labels if label.lower() == cell.lower())


def parsed(cell: str) -> JSON:
    """A cell as JSON; None where it is none, or holds numbers that are not finite."""
    try:
        value = json.loads(cell, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value


def _refuse(name: str) -> float:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number
