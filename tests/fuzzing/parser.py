"""What is fuzzed: a parser, what it is given, and what it may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy

TAKEN, REFUSED = "taken", "refused"


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """One parser."""

    name: str
    examples: SearchStrategy[Any]
    outcome: Callable[[Any], str]
    """Parses one example, holds what comes of it against what is promised, and gives TAKEN or
    REFUSED. Any exception is a finding."""


PARSERS: dict[str, Fuzzed] = {}
"""All, in the order in which they were named."""


def fuzzed(
    name: str, examples: SearchStrategy[Any]
) -> Callable[[Callable[[Any], str]], Callable[[Any], str]]:
    """Name a parser by the function that tries one example on it."""

    def named(outcome: Callable[[Any], str]) -> Callable[[Any], str]:
        PARSERS[name] = Fuzzed(name=name, examples=examples, outcome=outcome)
        return outcome

    return named
