"""The offline judge of `name`: the protagonist of a story opening, by rules over word lists.

spaCy is asked where the rules cannot decide, if a model of it is installed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.judges._name_lists import NameLists, fold
from agents.judges._name_reading import NameReader, Reading
from agents.judges._name_spacy import AUTO, NONE, SpacyModel, installed_model
from agents.judges.base import Verdict
from agents.worker import Worker
from auditor.errors import UsageError
from auditor.types import JSON

BY_SPACY = "found by spaCy"
GUESSED = "not decided by the rules"

_VERSION = 1
_OPENINGS = (1_000, 3_000)
_BEFORE_OTHERS = 8
"""Texts read in one go, so that nobody else on the event loop waits for long."""
_PLACE = "agents.judges._name_spacy:finder"


@dataclass(slots=True)
class Needs:
    """How often the rules were not enough."""

    texts: int = 0
    undecided: int = 0
    """Of them, those that the rules could not decide."""

    @property
    def share(self) -> float | None:
        """Undecided texts among all; None before the first."""
        return self.undecided / self.texts if self.texts else None


class NameJudge:
    """Reads the protagonist's full name out of a story opening; the value is null without one.

    Titles, degrees and nicknames are left out; particles, initials and "Jr." belong to the name;
    words stand in the order of the text, with straight apostrophes. A surname behind a title
    ("Mrs. Henderson") is no full name: null, with the remark "surname only". Valid verdicts that
    the rules could not decide carry "found by spaCy", or "not decided by the rules" where the
    value is their guess. Invalid: "refusal" (in words), "empty" (also: thoughts without a story).

    Built from the text of `rubrics/stories/name_rules.toml` and the spec's `params`:
    `spacy_model`, "auto" (the official small English model, else its re-upload, else none),
    "none", or a model's package; and `opening`, "short" or "whole" (the whole text is read, to
    tell what the short reading costs). Raises UsageError where either is broken, or where a
    model that is asked for by name is not installed. spaCy runs in a process of its own.
    """

    task = "name"
    name = "rules"

    def __init__(self, words_toml: str, params: Mapping[str, JSON] | None = None) -> None:
        settings = _settings(params or {})
        words = NameLists(words_toml)
        self.needs = Needs()
        self._opening = settings["opening"]
        self._tables = words.tables
        self._reader = NameReader(words, None if self._opening == "whole" else _OPENINGS)
        self.spacy: SpacyModel | None = installed_model(settings["spacy_model"])
        self._worker = (
            Worker(_PLACE, {"package": self.spacy.package}, name="the judge rules of name")
            if self.spacy
            else None
        )

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the word lists as data, and the spaCy model that takes part."""
        return {
            "judge": "name.rules",
            "version": _VERSION,
            "opening": self._opening,
            "words": self._tables,
            "spacy": self.spacy.described if self.spacy else None,
        }

    async def start(self) -> None:
        """Load the model, if there is one."""
        if self._worker is not None:
            await self._worker.start()

    async def close(self) -> None:
        """End the process that holds the model."""
        if self._worker is not None:
            await self._worker.close()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        """The verdicts on these texts. Raises as `Worker.answer` does."""
        readings = []
        for number, text in enumerate(values):
            readings.append(self.read(text))
            if number % _BEFORE_OTHERS == _BEFORE_OTHERS - 1:
                await asyncio.sleep(0)
        asked = [number for number, reading in enumerate(readings) if reading.snippet]
        if self._worker is None or not asked:
            return [_verdict(reading) for reading in readings]
        answers = await self._worker.answer([readings[number].snippet for number in asked])
        persons = dict(zip(asked, answers, strict=True))
        return [
            confirmed(reading, _texts(persons.get(number)))
            for number, reading in enumerate(readings)
        ]

    def judge(self, text: str) -> Verdict:
        """The verdict of the rules alone. Never raises."""
        return _verdict(self.read(text))

    def read(self, text: str) -> Reading:
        """What the rules make of a text, counted in `needs`. Never raises."""
        reading = self._reader.read(text)
        self.needs.texts += 1
        self.needs.undecided += not reading.is_decided
        return reading


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
        return _verdict(reading)
    return Verdict(True, reading.name if reading.name in known else known[0], BY_SPACY)


def _texts(value: JSON) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _verdict(reading: Reading) -> Verdict:
    if reading.is_empty:
        return Verdict(False, reason="empty")
    if reading.is_refusal:
        return Verdict(False, reason="refusal")
    return Verdict(True, reading.name, reading.remark or (None if reading.is_decided else GUESSED))


def _settings(params: Mapping[str, JSON]) -> dict[str, str]:
    settings = {"spacy_model": AUTO, "opening": "short"}
    for key, value in params.items():
        if key not in settings:
            raise UsageError(f"params.{key}: unknown key; allowed: {', '.join(settings)}")
        if not isinstance(value, str) or not value:
            allowed = f'"{AUTO}", "{NONE}" or the package of a spaCy model'
            raise UsageError(f"params.{key}: value {json.dumps(value)}; allowed: {allowed}")
        settings[key] = value
    if settings["opening"] not in ("short", "whole"):
        raise UsageError(
            f'params.opening: value "{settings["opening"]}"; allowed: "short" or "whole"'
        )
    return settings
