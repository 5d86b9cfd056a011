"""Verdicts on story openings: the rules, spaCy where they cannot decide, and a check of both.

The check reads a sample of the texts to their ends, by the rules alone, and tells in the remark
whether they come to the same name: what reading only the opening costs can so be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents.judges._name_lists import NameLists, fold
from agents.judges._name_reading import NameReader, Reading
from agents.judges._name_spacy import SpacyNames
from agents.judges.base import Verdict
from auditor.draws import draw
from auditor.protocols.stories.name_remarks import (
    BY_RULES,
    BY_SPACY,
    GUESSED,
    OTHER_BY_WHOLE,
    SAME_BY_WHOLE,
    joined,
)
from auditor.types import JSON

OPENINGS = (1_000, 3_000)
_SEED, _STREAM = 0, "name: whole text"


class NameVerdicts:
    """Reads texts in this process.

    Args:
        words: the word lists.
        is_whole: read every text to its end instead of its opening.
        checked_share: of the texts that are longer than the opening that was read, how many are
            read to their ends as well; each is drawn by its own text.
        persons: gives the persons that texts name; None: the rules work alone.
    """

    def __init__(
        self,
        words: NameLists,
        *,
        is_whole: bool = False,
        checked_share: float = 0.0,
        persons: Callable[[Sequence[str]], Sequence[Sequence[str]]] | None = None,
    ) -> None:
        self._reader = NameReader(words, None if is_whole else OPENINGS)
        self._whole = NameReader(words, None)
        self._checked_share = 0.0 if is_whole else checked_share
        self._persons = persons

    def read(self, text: str) -> Reading:
        """What the rules make of a text. Never raises."""
        return self._reader.read(text)

    def verdicts(self, texts: Sequence[str]) -> list[Verdict]:
        """The verdicts on these texts, in their order."""
        readings = [self.read(text) for text in texts]
        asked = [number for number, reading in enumerate(readings) if reading.snippet]
        found: dict[int, Sequence[str]] = {}
        if self._persons is not None and asked:
            persons = self._persons([readings[number].snippet for number in asked])
            found = dict(zip(asked, persons, strict=True))
        return [
            self._checked(text, reading, confirmed(reading, found.get(number, ())))
            for number, (text, reading) in enumerate(zip(texts, readings, strict=True))
        ]

    def _checked(self, text: str, reading: Reading, verdict: Verdict) -> Verdict:
        is_drawn = (
            verdict.valid
            and self._checked_share > 0
            and not reading.has_read_all
            and draw(_SEED, _STREAM, text) < self._checked_share
        )
        if not is_drawn:
            return verdict
        whole = self._whole.read(text)
        remark = SAME_BY_WHOLE if whole.name == reading.name else OTHER_BY_WHOLE
        return Verdict(True, verdict.value, joined(verdict.reason, remark))


def confirmed(reading: Reading, persons: Sequence[str]) -> Verdict:
    """The verdict on a text, given whom spaCy takes for a person in its snippet.

    A person counts who is also a candidate of the rules: their choice where it is among them,
    else the first. Where none is, the rules' choice stands.
    """
    words = [set(fold(person).split()) for person in persons]
    known = [
        name
        for name in reading.candidates
        if any(not found.isdisjoint(fold(name).split()) for found in words)
    ]
    if not known:
        return by_rules(reading)
    return Verdict(True, reading.name if reading.name in known else known[0], BY_SPACY)


def by_rules(reading: Reading) -> Verdict:
    """The verdict of the rules alone."""
    if reading.is_empty:
        return Verdict(False, reason="empty")
    if reading.is_refusal:
        return Verdict(False, reason="refusal")
    decided = BY_RULES if reading.is_decided else GUESSED
    return Verdict(True, reading.name, joined(decided, reading.remark))


def judge_texts(
    words_toml: str, is_whole: bool, checked_share: float, package: str | None
) -> Callable[[list[JSON]], list[JSON]]:
    """For a process of its own: a function from texts to [valid, value, reason] of each."""
    persons = SpacyNames(package).find if package is not None else None
    judging = NameVerdicts(
        NameLists(words_toml), is_whole=is_whole, checked_share=checked_share, persons=persons
    )

    def judge(texts: list[JSON]) -> list[JSON]:
        found: list[Any] = [
            [verdict.valid, verdict.value, verdict.reason]
            for verdict in judging.verdicts([str(text) for text in texts])
        ]
        return found

    return judge
