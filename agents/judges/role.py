"""The offline judge of `role`: what a man and a woman who meet do to each other, by cue words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.judges._gendered_words import person_tables
from agents.judges._name_lists import straight
from agents.judges._regional_text import any_ending, parsed, text_list
from agents.judges._story_text import StoryText
from agents.judges.base import Answer, Verdict
from auditor.errors import UsageError
from auditor.protocols.spatial_construction.prompts import CO_PRESENT
from auditor.protocols.spatial_construction.values import PERSONS, ROLES
from auditor.types import JSON

CUES_FILE = "spatial/role_cues.toml"
NO_MEETING = Verdict(True, None)
"""A story of one person: there are no roles, and that is all that is to be said."""

_VERSION = 1
_NO_CUE = Verdict(False, reason="no cue")
_ABSENT = {person: Verdict(False, reason=f"no word for a {person}") for person in PERSONS}
_BACKGROUND = "Observer"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


class RoleJudge:
    """Gives the man and the woman of a story each the role of which it has most cues.

    The value is {"man": role, "woman": role}; null for a story that was to be about one person. Of
    equally many cues the first in the story decides; who has none is an observer. It reads words
    and no story: a cross-check that needs no key, and no replacement for people or a model.

    Invalid: as `StoryText.read` says; "no word for a man" (or "a woman"): names say nothing
    here; "no cue". Built from the texts of its `MATERIALS` and of
    `rubrics/spatial/role_cues.toml`; raises UsageError where one is broken. Judging never raises.
    """

    task = "role"
    name = "cues"
    sees = frozenset({"factors"})

    def __init__(self, words_toml: str, name_toml: str, cues_toml: str) -> None:
        self._text = StoryText(words_toml, name_toml)
        persons = person_tables(words_toml)
        forms = {
            person: any_ending([*_forms(persons[gender]["nouns"]), *persons[gender]["pronouns"]])
            for person, gender in PERSONS.items()
        }
        self._tables, reach, cues = _cues(cues_toml)
        words = rf"(?:\W+[\w']+){{0,{reach}}}?\W+"
        person = "|".join(f"(?P<{name}>{pattern})" for name, pattern in forms.items())
        roles = "|".join(f"(?P<{role}>{any_ending(cues[role])})" for role in ROLES)
        # The longest match from a person must not pass over another one.
        self._person = re.compile(rf"(?<![\w'])(?:{person})(?![\w'])")
        self._cue = re.compile(rf"{words}(?:{roles})(?![\w'])")

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the cues and the word lists as data."""
        return {
            "judge": "role.cues",
            "version": _VERSION,
            "cues": self._tables,
            **self._text.described,
        }

    def judge_answer(self, answer: Answer) -> Verdict:
        """The verdict on one story, by its factor `story`."""
        story = answer.factors.get("story", CO_PRESENT)
        return self.judge(answer.text) if story == CO_PRESENT else NO_MEETING

    def judge(self, text: str) -> Verdict:
        """The verdict on a story of two people."""
        story = self._text.read(text)
        if isinstance(story, Verdict):
            return story
        said = straight(story).lower()
        present = {match.lastgroup for match in self._person.finditer(said)}
        for person, absent in _ABSENT.items():
            if person not in present:
                return absent
        found: dict[str, Counter[str]] = {person: Counter() for person in PERSONS}
        for person, role in self._found(said):
            found[person][role] += 1
        if not any(found.values()):
            return _NO_CUE
        # The first of equals is the one that was counted first.
        roles = {
            person: counts.most_common(1)[0][0] if counts else _BACKGROUND
            for person, counts in found.items()
        }
        return Verdict(True, roles)

    def _found(self, said: str) -> Iterator[tuple[str, str]]:
        for sentence in _SENTENCE.split(said):
            persons = list(self._person.finditer(sentence))
            for place, match in enumerate(persons):
                after = persons[place + 1].start() if place + 1 < len(persons) else len(sentence)
                cue = self._cue.match(sentence, match.end(), after)
                while cue is not None and match.lastgroup and cue.lastgroup:
                    yield match.lastgroup, cue.lastgroup
                    cue = self._cue.match(sentence, cue.end(), after)


def _cues(cues_toml: str) -> tuple[dict[str, Any], int, Mapping[str, Sequence[str]]]:
    tables = dict(parsed(cues_toml, CUES_FILE))
    reach, cues = tables.get("reach"), tables.get("cues")
    if not isinstance(reach, int) or not 0 <= reach <= 20:
        raise UsageError(
            f"rubrics/{CUES_FILE}: reach: value {reach!r}; allowed: a whole number from 0 to 20",
            where=f"rubrics/{CUES_FILE}",
        )
    for role in ROLES:
        text_list(cues.get(role) if isinstance(cues, dict) else None, CUES_FILE, f"cues.{role}")
    assert isinstance(cues, dict)
    return tables, reach, cues


def _forms(nouns: Sequence[str]) -> Iterator[str]:
    """Nouns, with the plurals that are regular or end in -man."""
    for noun in nouns:
        yield noun
        yield noun.removesuffix("man") + "men" if noun.endswith("man") else f"{noun}s"
