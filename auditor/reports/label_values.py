"""What a cell of a label file, or of a list of classes, says in terms of an annotation task."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping

from auditor.canonical import canonical_json, is_too_deep
from auditor.protocols.additions import is_value_checker
from auditor.protocols.base import AnyProtocol, Materials, Task
from auditor.reports.parts import task_parts
from auditor.types import JSON

INVALID = "invalid"
"""The label of a text out of which no value can be read, by people as by judges."""


_TYPED = re.compile(r"(?P<sign>[+\-\u2212]?)(?P<whole>[0-9]*)\.?(?P<rest>[0-9]*)")


class NotAllowed(ValueError):
    """A label that is none of its task's values; `allowed` says what they are."""

    def __init__(self, allowed: str) -> None:
        super().__init__(allowed)
        self.allowed = allowed


class NotAllowedPart(NotAllowed):
    """A part of a label that is none of its task's; `part` is its name."""

    def __init__(self, part: str, allowed: str) -> None:
        super().__init__(allowed)
        self.part = part


def label_value(
    protocol: AnyProtocol,
    task: Task,
    cell: str,
    *,
    materials: Materials,
    decimal_comma: bool = False,
) -> str | None:
    """A label as canonical JSON; None for "invalid". Raises NotAllowed.

    Numbers, null, true, false, objects and lists are spelt as JSON, everything else is a text. The
    classes of a task are read without regard to case. `materials`: the rubric files of the run.
    """
    if cell.lower() == INVALID:
        return None
    for value in _readings(cell, task.labels, decimal_comma):
        if allowed_instead(protocol, task.name, value, materials) is None:
            return canonical_json(value)
    allowed = allowed_instead(protocol, task.name, cell, materials)
    raise NotAllowed(f'{allowed}, or "{INVALID}"')


def label_of_parts(
    protocol: AnyProtocol,
    task: Task,
    cells: Mapping[str, str],
    *,
    materials: Materials,
    decimal_comma: bool = False,
) -> str:
    """A label that stands in cells of its own for each part, as canonical JSON.

    Values that the protocol explains one by one are read without regard to case, as classes are.
    Raises NotAllowedPart for the first part that the task does not have, or not with this value.
    """
    classes = {part.name: part.anchors for part in task_parts(protocol, task, materials)}
    found: dict[str, JSON] = {}
    for part, cell in cells.items():
        allowed = None
        for value in _readings(cell, classes.get(part, ()), decimal_comma):
            allowed = allowed_instead(protocol, task.name, {part: value}, materials)
            if allowed is None:
                found[part] = value
                break
        else:
            raise NotAllowedPart(part, allowed or "")
    return canonical_json(found)


def allowed_instead(
    protocol: AnyProtocol, task: str, value: JSON, materials: Materials
) -> str | None:
    """None for a value that the task may take by the run's own files, else what is allowed."""
    if is_value_checker(protocol):
        return protocol.check_value_by(task, value, materials)
    return protocol.check_value(task, value)


def _readings(cell: str, classes: Iterable[str], decimal_comma: bool) -> Iterator[JSON]:
    """What a cell may mean, likeliest first."""
    spellings = [cell, _written_out(cell)]
    if decimal_comma:
        pointed = cell.replace(",", ".")
        spellings += [pointed, _written_out(pointed)]
    value = next((found for each in spellings if (found := parsed(each)) is not None), None)
    if cell == "null" or (value is not None and not isinstance(value, str)):
        yield value
    yield cell
    yield from (name for name in classes if name.lower() == cell.lower())


def _written_out(cell: str) -> str:
    """A number as JSON spells it, of what people type: ".5", "1.", "+1", or with a minus sign."""
    typed = _TYPED.fullmatch(cell)
    if typed is None or not (typed["whole"] or typed["rest"]):
        return cell
    sign = "" if typed["sign"] in ("", "+") else "-"
    return f"{sign}{typed['whole'] or 0}.{typed['rest'] or 0}"


def parsed(cell: str) -> JSON:
    """A cell as JSON; None where it is none, or holds numbers that are not finite."""
    try:
        value = json.loads(cell, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return None if is_too_deep(value) else value


def _refuse(name: str) -> float:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number
