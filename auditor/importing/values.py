"""One line of an import as JSON, more strictly than Python reads it by itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from auditor.canonical import MOST_LEVELS, is_too_deep
from auditor.harmless import harmless
from auditor.types import JSON

_LONGEST_VALUE = 60


class Rejected(Exception):
    """A line that does not fit: field, what is there, what is allowed.

    `first` names the line that came before, where two contradict each other.
    """

    def __init__(self, field: str, said: str, allowed: str, *, first: str | None = None) -> None:
        super().__init__(field, said, allowed)
        self.field = field
        self.said = said
        self.allowed = allowed
        self.first = first


def read_object(raw: bytes) -> dict[str, Any]:
    """The JSON object of one line. Raises Rejected for anything else.

    Names that stand twice, NaN, infinities and numbers beyond a double are refused: whatever was
    meant by them, a reader would have to guess.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise Rejected(
            "line", f"byte {byte:#04x} at place {error.start + 1} is not UTF-8", "UTF-8 text"
        ) from None
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise Rejected(
            "line", f"not JSON: {error.msg} at column {error.colno}", "a JSON object"
        ) from None
    except _NoNumber as error:
        raise Rejected("line", f"number {error.args[0]}", "finite numbers") from None
    except RecursionError:
        raise Rejected("line", "nested too deeply", f"at most {MOST_LEVELS} levels") from None
    except ValueError:  # Python refuses to read whole numbers of thousands of digits
        raise Rejected("line", "a number of thousands of digits", "finite numbers") from None
    if is_too_deep(value):
        raise Rejected("line", "nested too deeply", f"at most {MOST_LEVELS} levels")
    if not isinstance(value, dict):
        raise Rejected("line", f"value {shown(value)}", "a JSON object")
    return value


def shown(value: JSON) -> str:
    """A value in one short printable line."""
    if isinstance(value, str):
        value = value[: 2 * _LONGEST_VALUE]
    try:
        text = harmless(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "of many levels"
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


class _NoNumber(ValueError):
    """A number that no finite double holds."""


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _NoNumber(harmless(digits, _LONGEST_VALUE))
    return number


def _whole(digits: str) -> int:
    number = int(digits)
    _finite(digits)
    return number


def _refuse_constant(name: str) -> float:
    raise _NoNumber(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise Rejected(harmless(twice, _LONGEST_VALUE) or '""', "stands twice", "once")
    return found


_decoder = json.JSONDecoder(
    parse_float=_finite,
    parse_int=_whole,
    parse_constant=_refuse_constant,
    object_pairs_hook=_object,
)
