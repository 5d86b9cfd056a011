"""When the mock server fails: by script or by chance, as a function of trial and attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auditor.draws import draw

STATUSES = {
    "429": 429,
    "429-bare": 429,
    "429-date": 429,
    "500": 500,
    "502": 502,
    "503": 503,
    "529": 529,
}
"""Faults that are an HTTP error, to their status. 429 and 503 name a second to wait, "429-date" as
an HTTP date, "429-bare" names none."""
BROKEN = {
    "reset": "breaks the connection amid the body",
    "close": "closes the connection without a byte",
    "hang": "never answers",
    "drip": "sends its body byte by byte, without end",
    "cut": "sends half of the JSON with a true length",
    "garbled": "sends what is no JSON",
    "array": "sends a JSON array",
    "number": "sends a JSON number",
    "string": "sends a JSON string",
    "html": "sends a page under a 200",
    "html-502": "sends a page under a 502",
    "no-choices": "sends an answer without choices, or content",
    "huge": "sends 40 MiB of JSON",
    "bomb": "sends 128 MiB of JSON, as 125 kB of gzip",
}
"""Faults that are an answer gone wrong, or none."""
KINDS = (*STATUSES, *BROKEN)


@dataclass(frozen=True, kw_only=True)
class Faults:
    """A plan of failures."""

    script: Mapping[int, str] = field(default_factory=dict)
    """Attempt number to fault, for every trial."""
    rate: float = 0.0
    """Share of the attempts that fail by chance."""
    kinds: tuple[str, ...] = ("429", "500", "503", "reset")
    seed: int = 0
    last_attempt: int | None = None
    """Attempts after this one never fail by chance, so that runs end."""

    def __post_init__(self) -> None:
        unknown = {*self.script.values(), *self.kinds} - set(KINDS)
        if unknown:
            raise ValueError(f"no such faults: {sorted(unknown)}; there are {KINDS}")

    def at(self, trial: str, attempt: int) -> str | None:
        """The fault of one attempt, or None."""
        if attempt in self.script:
            return self.script[attempt]
        if not self.rate or (self.last_attempt is not None and attempt > self.last_attempt):
            return None
        item = f"{trial}.{attempt}"
        if draw(self.seed, "fault", item) >= self.rate:
            return None
        return self.kinds[int(draw(self.seed, "fault kind", item) * len(self.kinds))]


def fault_body(status: int, wire: str) -> dict[str, Any]:
    """The error body that a real endpoint sends with a status."""
    openai = {
        429: ("Rate limit reached for requests", "requests", "rate_limit_exceeded"),
        500: ("The server had an error while processing your request", "server_error", None),
        502: ("Bad gateway", "server_error", None),
        503: ("The engine is currently overloaded, please try again later", "server_error", None),
        529: ("Overloaded", "overloaded_error", None),
    }
    anthropic = {
        429: "rate_limit_error",
        500: "api_error",
        502: "api_error",
        503: "api_error",
        529: "overloaded_error",
    }
    message, kind, code = openai[status]
    if wire == "anthropic":
        return {
            "type": "error",
            "error": {"type": anthropic[status], "message": message},
            "request_id": "req_mock",
        }
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
