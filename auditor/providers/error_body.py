"""The error that a response body holds, whichever of the many shapes it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from auditor.canonical import is_too_deep

_LONGEST_MESSAGE = 400
_LONGEST_READ = 20_000
"""Characters of a body, or of what it says, in which anything is looked for."""
_MARKUP = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_STATUS = re.compile("[45][0-9][0-9]")


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorBody:
    """What an endpoint says went wrong. Unsaid things are None."""

    message: str
    """As the body says it, secrets and control characters included; "" if it says nothing."""
    code: str | None = None
    """Code, type or status of the error, the most specific one that is no HTTP status."""
    parameter: str | None = None
    """The offending parameter, where the endpoint names it in a field of its own."""
    status: int | None = None
    """HTTP status that the body carries, as gateways do under a 200."""
    words: str = ""
    """Everything said, in lower case, to look for phrases in."""
    is_markup: bool = False


def parse_error_body(content: bytes) -> ErrorBody:
    """The error in a raw body: JSON of any known shape, HTML or plain text."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return _from_text(content[:_LONGEST_READ].decode("utf-8", "replace"))
    return error_body_of(payload)


def error_body_of(payload: Any) -> ErrorBody:
    """The error in a decoded body.

    Known shapes: `{"error": {...}}`, `{"error": "text"}`, a list of those (Gemini),
    `{"type": "error", "error": {...}}` (Anthropic), `{"message": ..., "code": ...}` (vLLM,
    Mistral), `{"detail": ...}` (FastAPI).
    """
    if isinstance(payload, list):
        payload = payload[0] if payload else {}
    if is_too_deep(payload):
        return ErrorBody(message="an error nested too deeply to be read")
    if not isinstance(payload, dict):
        return _from_text(str(payload))
    error = payload.get("error")
    if error is None or not isinstance(error, dict | str):
        error = payload
    if isinstance(error, str):
        error = {"message": error, "code": payload.get("code"), "type": payload.get("type")}
    detail = error.get("detail")
    message = error.get("message") or error.get("msg") or _detail_text(detail)
    inner = _inner_message(error)
    if inner:
        message = f"{message}: {inner}" if message else inner
    codes = [value for value in _codes(error) if isinstance(value, str | int) and value != ""]
    # A whole number far beyond any status is none, and no name.
    names = [str(c)[:_LONGEST_READ] for c in codes if isinstance(c, str) or abs(c) < 10**9]
    named = [name for name in names if not name.isdigit()]
    numbers = [int(name) for name in names if _STATUS.fullmatch(name)]
    parameter = error.get("param") or _detail_field(detail)
    return ErrorBody(
        message=_shortened(message),
        code=named[0] if named else None,
        parameter=_shortened(parameter) or None,
        status=numbers[0] if numbers else None,
        words=" ".join([*names, _shortened(error)]).lower(),
    )


def one_line(text: str) -> str:
    """Printable characters of a text on one line, cut at 400: safe to show."""
    head = text[: 8 * _LONGEST_MESSAGE]
    kept = "".join(char if char.isprintable() else " " for char in head)
    line = " ".join(kept.split())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"


def _shortened(value: Any) -> str:
    """The beginning of what a field says; "" where it says nothing."""
    if not value:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:_LONGEST_READ]


def _title(text: str) -> str | None:
    # By its ends: of a page of beginnings alone a pattern would read the rest at each of them.
    lowered = text.lower()
    start = lowered.find("<title>")
    end = lowered.find("</title>", start)
    return None if start < 0 or end < 0 else text[start + len("<title>") : end].strip()


def _from_text(text: str) -> ErrorBody:
    text = text[:_LONGEST_READ]
    if _MARKUP.search(text):
        title = _title(text)
        said = "an HTML page" if title is None else f"an HTML page, titled {title!r}"
        return ErrorBody(message=said, words=text.lower(), is_markup=True)
    return ErrorBody(message=text, words=text.lower())


def _codes(error: dict[str, Any]) -> Iterator[Any]:
    inner = error.get("innererror")
    if isinstance(inner, dict):
        yield inner.get("code")
    yield error.get("code")
    kind = error.get("type")
    # "error" and "api_error" say nothing that the status does not.
    yield kind if kind not in ("error", "api_error") else None
    yield error.get("status")


def _inner_message(error: dict[str, Any]) -> str | None:
    """What a gateway passes on of the error behind it."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    return raw if isinstance(raw, str) else None


def _detail_text(detail: Any) -> str | None:
    if isinstance(detail, list):
        return "; ".join(
            f"{_location(item)}: {item.get('msg')}" for item in detail if isinstance(item, dict)
        )
    return None if detail is None else str(detail)


def _detail_field(detail: Any) -> str | None:
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):
        return _location(detail[0]) or None
    return None


def _location(item: dict[str, Any]) -> str:
    place = item.get("loc")
    steps = place if isinstance(place, list) else []
    return ".".join(str(step) for step in steps if step != "body")
