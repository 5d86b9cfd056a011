"""What an offline judge is: a pure function of a text, with a name and a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from auditor.types import JSON


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one source."""

    valid: bool
    value: JSON = None
    """The annotation's value; None where invalid."""
    reason: str | None = None
    """Why it is invalid: a short stable phrase, so that reasons can be counted."""


class TextJudge(Protocol):
    """Reads one text at a time; deterministic, needs no network."""

    task: str
    name: str
    """What the spec and the store call it, "rules" for example."""

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """All that its verdicts depend on: version, word lists, settings. Its hash is its name."""
        ...

    def judge(self, text: str) -> Verdict:
        """The verdict on one text. Never raises for any text."""
        ...
