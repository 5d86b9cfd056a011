"""What of a model's answer is the story, and whether it can be read: one rule for all judges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.judges._choice_text import has_words
from agents.judges._name_lines import OpeningText
from agents.judges._name_lists import NameLists, fold
from agents.judges._name_refusal import RefusalReader
from agents.judges._regional_text import parsed, text_list
from agents.judges.base import Verdict
from auditor.errors import UsageError
from auditor.protocols.spatial_construction import values

WORDS_FILE = "spatial/construction_words.toml"
MATERIALS = (WORDS_FILE, "stories/name_rules.toml")
"""Rubric files that a `StoryText` is made of, in its order."""

EMPTY = Verdict(False, reason="empty")
ONLY_THOUGHT = Verdict(False, reason="thought without answer")
TOO_LONG = Verdict(False, reason=values.TOO_LONG)
NOT_ENGLISH = Verdict(False, reason="not English")
REFUSAL = Verdict(False, reason=values.REFUSES)

_LONGEST_READ = 8_000
_MARKUP = re.compile(r"[*`#>]+|(?<!\w)_+|_+(?!\w)")
_DASH = re.compile(r"[—–]|(?<=\s)-+(?=\s)|--+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN_END = "\u024f"
_FEW = 6
"""So few words show no share of function words."""


class StoryText:
    """Cuts a story out of an answer.

    Built from the texts of `MATERIALS`; raises UsageError where one is broken.
    """

    def __init__(self, words_toml: str, name_toml: str) -> None:
        self.tables = parsed(words_toml, WORDS_FILE)
        names = NameLists(name_toml)
        english = self._table("english")
        self.english = frozenset(text_list(english.get("words"), WORDS_FILE, "english.words"))
        self._others = [
            frozenset(text_list(words, WORDS_FILE, f"english.others.{name}"))
            for name, words in dict(english.get("others", {})).items()
        ]
        self._least = float(english.get("least", 0))
        self._notes = [re.compile(note, re.IGNORECASE) for note in self.tables.get("notes", ())]
        self._opening = OpeningText(names)
        self._refusals = RefusalReader(names)
        self.described: Mapping[str, Any] = {
            "words": dict(self.tables),
            "refusals": dict(names.refusals),
            "marks": dict(names.marks),
        }
        """All that a reading depends on, for a judge's configuration."""

    def read(self, text: str) -> str | Verdict:
        """The story without thoughts, markup and notes on its length; or why there is none.

        Reasons: "empty"; "thought without answer"; "too long" (over 8,000 characters);
        "refusal" (in words); "not English". Never raises.
        """
        if not has_words(text):
            return EMPTY
        told = self._opening.told(text)
        if not told:
            return ONLY_THOUGHT
        if len(told) > _LONGEST_READ:
            return TOO_LONG
        if self._refusals.is_refusal(told):
            return REFUSAL
        # Half a character, as broken encodings leave it, is none that a parser takes.
        story = _MARKUP.sub("", told.encode("utf-8", "replace").decode())
        for note in self._notes:
            story = note.sub("", story).rstrip()
        if not has_words(story):
            return EMPTY
        return story if self._is_english(story) else NOT_ENGLISH

    def _is_english(self, story: str) -> bool:
        letters = [letter for letter in story if letter.isalpha()]
        if sum(letter <= _LATIN_END for letter in letters) * 2 < len(letters):
            return False
        words = [fold(word) for word in _WORD.findall(story)]
        own = sum(word in self.english for word in words)
        if any(sum(word in other for word in words) > own for other in self._others):
            return False
        return len(words) < _FEW or own >= self._least * len(words)

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.tables.get(name)
        if not isinstance(table, dict):
            raise broken(f"{name}: missing; allowed: a table")
        return table


def spoken_words(story: str) -> list[str]:
    """The words of a story as people count them: what blanks and dashes part, with a letter."""
    return [word for word in _DASH.sub(" ", story).split() if has_words(word)]


def word_forms(story: str) -> list[str]:
    """Its words without punctuation, as they are written."""
    return _WORD.findall(story)


def broken(said: str) -> UsageError:
    """What is wrong with the file of word lists."""
    return UsageError(f"rubrics/{WORDS_FILE}: {said}", where=f"rubrics/{WORDS_FILE}")
