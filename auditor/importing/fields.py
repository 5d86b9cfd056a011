"""Single fields of an imported line: each as the store takes it, or why it cannot be taken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from auditor.canonical import canonical_json
from auditor.importing.values import Rejected, shown
from auditor.store.imported import LARGEST_REPETITION
from auditor.store.records import ImportedResponse
from auditor.types import JSON, Outcome

_LONGEST_NAME = 200
_LONGEST_REASON = 1000
_LATEST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_LARGEST_LOGPROB = 1e-6
"""Servers round: a certain token may come out a hair above zero."""

_NAME_WORDS = f"a name that can be shown, at most {_LONGEST_NAME} characters"


def name(fields: Mapping[str, Any], key: str, path: str = "") -> str:
    """A name that can be shown in one line."""
    value = fields.get(key)
    if value is None:
        raise Rejected(path + key, "missing", _NAME_WORDS)
    is_name = (
        isinstance(value, str)
        and 0 < len(value) <= _LONGEST_NAME
        and value.isprintable()
        and value == value.strip()
        and value != "*"
    )
    if not is_name:
        raise Rejected(path + key, f"value {shown(value)}", _NAME_WORDS)
    return str(value)


def optional_name(fields: Mapping[str, Any], key: str, path: str = "") -> str | None:
    """A name, or None where there is none."""
    return None if fields.get(key) is None else name(fields, key, path)


def count(fields: Mapping[str, Any], key: str, path: str = "", default: int | None = None) -> int:
    """A whole number from 0; 3.0 is one, true is none."""
    value = fields.get(key)
    allowed = f"a whole number from 0 to {LARGEST_REPETITION}"
    if value is None:
        if default is not None:
            return default
        raise Rejected(path + key, "missing", allowed)
    is_count = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value == math.floor(value)
        and 0 <= value <= LARGEST_REPETITION
    )
    if not is_count:
        raise Rejected(path + key, f"value {shown(value)}", allowed)
    return int(value)


def flag(fields: Mapping[str, Any], key: str, path: str = "", *, default: bool) -> bool:
    """True or false."""
    value = fields.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise Rejected(path + key, f"value {shown(value)}", "true or false")
    return value


def text(fields: Mapping[str, Any], key: str, path: str = "") -> str | None:
    """A text as it came, whatever it holds; None where there is none."""
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise Rejected(path + key, f"value {shown(value)}", "a text")
    return value


def reason(fields: Mapping[str, Any], path: str) -> str | None:
    """Why an annotation is invalid, or a remark on it, fit for a store's short texts."""
    found = text(fields, "reason", path)
    if found is None:
        return None
    return found[:_LONGEST_REASON].encode("utf-8", "backslashreplace").decode()


def response(fields: Mapping[str, Any]) -> ImportedResponse:
    """The answer of a line; without a text and an outcome it counts as answered."""
    body = text(fields, "text")
    return ImportedResponse(
        outcome=_outcome(fields.get("outcome"), body),
        text=body,
        reasoning=text(fields, "reasoning"),
        finish_reason=optional_name(fields, "finish_reason"),
        logprobs=_logprobs(fields.get("logprobs")),
        model=optional_name(fields, "model"),
        at=_moment(fields.get("at")),
    )


def _outcome(value: Any, body: str | None) -> Outcome:
    is_blank = body is not None and not body.strip()
    if value is None:
        return Outcome.EMPTY if is_blank else Outcome.ANSWERED
    allowed = ", ".join(f'"{outcome}"' for outcome in Outcome)
    if not isinstance(value, str) or value not in Outcome.__members__.values():
        raise Rejected("outcome", f"value {shown(value)}", allowed)
    outcome = Outcome(value)
    if outcome is Outcome.EMPTY and body is not None and not is_blank:
        raise Rejected("outcome", 'value "empty" beside a text', '"answered" or "truncated"')
    return outcome


def _logprobs(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not (_is_chat_form(value) or _are_logprobs(value)):
        raise Rejected(
            "logprobs",
            f"value {shown(value)}",
            "an object of token to natural log-probability (a number up to 0)",
        )
    return canonical_json(value)


def _is_chat_form(value: dict[str, Any]) -> bool:
    """What chat endpoints give, and `export` writes of it."""
    content = value.get("content")
    return isinstance(content, list) and all(isinstance(item, dict) for item in content)


def _are_logprobs(value: dict[str, Any]) -> bool:
    return bool(value) and all(
        isinstance(number, int | float)
        and not isinstance(number, bool)
        and number <= _LARGEST_LOGPROB
        for number in value.values()
    )


def _moment(value: Any) -> float | None:
    """Unix seconds of a moment; an ISO text without a zone is UTC."""
    if value is None:
        return None
    seconds: float | None = None
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            seconds = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            seconds = None
    elif isinstance(value, int | float) and not isinstance(value, bool) and value <= _LATEST:
        seconds = float(value)
    if seconds is None or not 0 <= seconds <= _LATEST:
        raise Rejected(
            "at", f"value {shown(value)}", "seconds since 1970, or a time like 2026-01-31T12:00:00Z"
        )
    return round(seconds, 3)


def annotation_value(value: JSON, path: str) -> str:
    """An annotation's value in canonical JSON.

    In a text that cannot be shown in one line, tabs, line breaks and the like become spaces:
    tables of names are full of them, and they tell no two values apart.
    """
    if isinstance(value, str) and not value.isprintable():
        value = " ".join(value.split())
        if not value.isprintable():
            raise Rejected(path + "value", f"value {shown(value)}", "a text that can be shown")
    return canonical_json(value)
