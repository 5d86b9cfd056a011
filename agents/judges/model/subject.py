"""What a judge that is a model is asked about, and the requests that this takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.store.sources import Source
from auditor.types import JSON, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Which two responses a judge is shown in one call: they differ in one factor's level alone."""

    factor: str
    levels: tuple[str, str]

    def partner_of(self, factors: Mapping[str, JSON]) -> dict[str, JSON] | None:
        """The factors of the other response; None for a level that is none of the two."""
        level = factors.get(self.factor)
        if level not in self.levels:
            return None
        return {**factors, self.factor: self.levels[level == self.levels[0]]}

    def common_of(self, factors: Mapping[str, JSON]) -> dict[str, JSON]:
        """What both have in common: all other factors."""
        return {name: level for name, level in factors.items() if name != self.factor}


@dataclass(frozen=True, slots=True)
class Subject:
    """One source, or the two of a pair in the order in which they are shown."""

    source: Source
    """By which its calls are named and journaled; of a pair, the one that came last."""
    shown: tuple[Source, ...]
    judged: frozenset[int] = frozenset()
    """Sequence numbers of those that have their annotation already."""

    @property
    def open(self) -> tuple[Source, ...]:
        """Those that are to be annotated."""
        return tuple(source for source in self.shown if source.seq not in self.judged)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are shown."""
        return tuple(source.text for source in self.shown)


def alone(source: Source) -> Subject:
    """The subject of a judge that is shown one source at a time."""
    return Subject(source, (source,))


@dataclass(frozen=True, slots=True)
class Question:
    """One request about a subject, before it is sent."""

    messages: tuple[Message, ...]
    topic: str = ""
    """What it asks about, where a judge asks for one thing at a time; else empty."""
