"""What carries a body to an endpoint and brings an answer back, whatever its status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple, Protocol

import orjson

from auditor.canonical import MOST_LEVELS, is_too_deep
from auditor.errors import RejectedError, TransientError

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""An answer longer than this is not read: no audit asks for one."""

MAX_REQUEST_ID_CHARACTERS = 512
"""OpenAI answers 400 to a longer X-Client-Request-Id."""

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
_decode = json.JSONDecoder(
    parse_constant=lambda _: None,
    # "1e999" is JSON and no float.
    parse_float=lambda digits: number if isfinite(number := float(digits)) else None,
).decode


class Answer(NamedTuple):
    """A response as it came."""

    status: int
    headers: Mapping[str, str]
    """Looked up without regard to case."""
    content: bytes


class Body(dict[str, Any]):
    """A body that may be sent many times: it is not changed any more, and encoded once."""

    __slots__ = ("encoded",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.encoded: bytes | None = None


class Transport(Protocol):
    """Connections to one endpoint, shared by the adapters that use it."""

    @property
    def place(self) -> str:
        """How messages name the endpoint: its address without credentials."""
        ...

    def scrub(self, text: str) -> str:
        """A text without the endpoint's key and URL credentials."""
        ...

    async def post(
        self, path: str, body: Mapping[str, Any], *, request_id: str, timeout_seconds: float
    ) -> Answer:
        """Send once, read the whole answer. Raises TransientError, AuthError or RejectedError."""
        ...

    def share(self) -> Transport:
        """The same transport for one more user; each gives it back with `close`."""
        ...

    async def close(self) -> None:
        """Give one share back; the last one closes the connections."""
        ...


def encode_body(body: Mapping[str, Any]) -> bytes:
    """The body as ASCII JSON, lone surrogates escaped; RejectedError for what is not JSON."""
    if isinstance(body, Body) and body.encoded is not None:
        return body.encoded
    try:
        encoded = _encode(body).encode("ascii")
    except (ValueError, TypeError) as error:
        problem = str(error)
    else:
        if isinstance(body, Body):
            body.encoded = encoded
        return encoded
    raise RejectedError(f"a parameter cannot be written as JSON: {problem}")


def decode_body(content: bytes) -> Any:
    """The JSON value in an answer; NaN, infinities and what overflows become None, as unknown.

    Raises ValueError if it is none, RecursionError or ValueError where it is too deep to be kept.
    """
    try:
        value = orjson.loads(content)
    except ValueError:
        # Stricter than what comes over the wire: byte order marks, NaN, lone surrogates.
        encoding = "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"
        value = _decode(content.decode(encoding))
    # A value of fewer openings has no more levels than that.
    if content.count(b"[") + content.count(b"{") > MOST_LEVELS and is_too_deep(value):
        raise ValueError("nested too deeply")
    return value


def header_request_id(request_id: str) -> str:
    """The request id as the header takes it: whole ids only, at most 512 characters."""
    if len(request_id) <= MAX_REQUEST_ID_CHARACTERS:
        return request_id
    kept = request_id[: MAX_REQUEST_ID_CHARACTERS + 1]
    return kept.rpartition(",")[0] or kept[:MAX_REQUEST_ID_CHARACTERS]


def too_long(place: str, status: int) -> TransientError:
    """The error for an answer above the size cap; it was made, so it was billed."""
    megabytes = MAX_ANSWER_BYTES // 2**20
    return TransientError(
        f"{place} sent an answer of more than {megabytes} MiB: not read",
        status=status,
        unknown=True,
    )
