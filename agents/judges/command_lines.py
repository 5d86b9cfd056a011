"""The lines that a judge in a process of its own is spoken to in: JSON, one object a line.

One request a line on its stdin::

    {"id": "1", "protocol": "stories", "task": "name", "text": "Once ..."}
    {"id": "2", "protocol": "stories", "task": "gender", "reads": "name", "value": "Ada Byron"}

`text` is a response; a task that reads another one's annotations gets `value` instead. ASCII:
other characters are escaped, lone surrogates among them. One reply a line on its stdout, in any
order, flushed after each::

    {"id": "1", "value": "Ada Byron"}
    {"id": "1", "value": null, "reason": "surname only"}
    {"id": "2", "valid": false, "reason": "not a name"}
    {"id": "2", "error": "the table could not be read"}

`value` is the annotation; `reason` a short stable phrase, why it is invalid or a remark; `error`
says that this judge has failed there: no annotation is stored, and a resume asks again. Keys of
its environment are taken out of reasons and errors; a value that holds one is invalid. Before
any reply it may say what its verdicts depend on, unasked and always the same::

    {"hello": {"version": "1.2", "configuration": {...}}}

It ends with exit code 0 when its stdin ends. Anything else on stdout is a fault of the program;
stderr is free. It runs in a process group of its own, which is killed where it keeps somebody
waiting who wants to stop (5 s after the first Ctrl-C, at once at the second), and where the auditor
is gone. Without an answer in time it is started once more, then given up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from agents.judges.base import Verdict
from auditor.canonical import is_storable, is_too_deep
from auditor.errors import JudgeError
from auditor.harmless import harmless
from auditor.types import JSON

VERSION = 1
"""Of these lines: part of a judge's configuration."""
LONGEST_LINE = 1024 * 1024
"""Bytes of a line that is read."""

NO_VALUE = "no value in the reply"
NO_REASON = "no reason given"
NOT_BOOLEAN = "valid is neither true nor false"
NOT_A_REASON = "the reason is no text"

_LONGEST_REASON = 200
_LONGEST_SHOWN = 80


class Garbage(Exception):
    """A line that is no reply: nothing that comes after it can be relied on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a judge says of one request."""

    id: str
    said: Verdict | JudgeError


@dataclass(frozen=True, slots=True)
class Hello:
    """What a judge says of itself."""

    configuration: JSON


def request_line(number: str, protocol: str, task: str, reads: str | None, source: str) -> bytes:
    """One request; `source` is the response's text, or the annotation that is read as JSON."""
    body: dict[str, JSON] = {"id": number, "protocol": protocol, "task": task}
    if reads is None:
        body["text"] = source
    else:
        body |= {"reads": reads, "value": json.loads(source)}
    return json.dumps(body).encode("ascii") + b"\n"


def parse_line(line: bytes) -> Answered | Hello:
    """A line of a judge. Raises Garbage for what is neither a reply nor a hello.

    A reply to a request that does not say what it should is an invalid verdict.
    """
    try:
        body = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Garbage(f"printed a line that is not JSON: {shown(line)}") from None
    if not isinstance(body, dict):
        raise Garbage(f"printed a line that is no object: {shown(line)}")
    if is_too_deep(body.get("error")) or is_too_deep(body.get("hello")):
        raise Garbage(f"printed a line of too many levels: {shown(line)}")
    if "hello" in body:
        return Hello(body["hello"])
    number = body.get("id")
    if not isinstance(number, str):
        raise Garbage(f"printed a reply without the id of a request: {shown(line)}")
    return Answered(number, _said(body))


def shown(line: bytes) -> str:
    """The beginning of a line, fit to be shown."""
    text = line[: 4 * _LONGEST_SHOWN].decode("utf-8", "replace").strip()
    return harmless(text, _LONGEST_SHOWN) or "an empty line"


def _said(body: dict[str, Any]) -> Verdict | JudgeError:
    if body.get("error") is not None:
        return JudgeError(harmless(str(body["error"]), _LONGEST_REASON))
    valid, reason = body.get("valid", True), body.get("reason")
    words = harmless(reason, _LONGEST_REASON) if isinstance(reason, str) and reason else None
    if not isinstance(valid, bool):
        verdict = Verdict(False, reason=NOT_BOOLEAN)
    elif reason is not None and not isinstance(reason, str):
        verdict = Verdict(False, reason=NOT_A_REASON)
    elif not valid:
        verdict = Verdict(False, reason=words or NO_REASON)
    elif "value" not in body or not is_storable(body["value"]):
        verdict = Verdict(False, reason=NO_VALUE)
    else:
        verdict = Verdict(True, body["value"], words)
    return verdict


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
