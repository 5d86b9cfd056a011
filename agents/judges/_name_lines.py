"""From a model's raw text to the lines of its opening: markup off, headings and values told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from agents.judges._choice_text import has_words, without_thought
from agents.judges._name_lists import NameLists, fold, straight


class LineKind(Enum):
    """What a line is there for."""

    PROSE = "prose"
    TITLE = "title"
    """A heading without a value: "## The Cartographer's Daughter"."""
    NAME = "name"
    """The value of a heading that announces the protagonist."""
    OTHER = "other"
    """The value of another heading: setting, occupation."""
    SIGNATURE = "signature"
    """The line after a letter's closing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the opening without its markup."""

    kind: LineKind
    text: str


_EMPHASIS = re.compile(r"[*`\ufeff\u200b\u200e\u200f\u2060]+|(?<!\w)_+|_+(?!\w)")
_LEAD = re.compile(r"[ \t#>•●▪◦–—-]*(?:\(?\d{1,2}[.)][ \t]+)?")
_IS_HEADED = re.compile(r"[ \t]*(?:#|\*\*[^*]+\*\*[ \t]*$|__[^_]+__[ \t]*$)")
_KEY = re.compile(
    r"(?P<key>[^\W\d_][^:：.!?\n]{0,60}?)[ \t]*(?:[:：][ \t]*|[ \t]+[–—-][ \t]+|[–—][ \t]*)"
)
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|\\n(?![a-z])")
_TITLE_END = (".", "!", "?", ",", ";")
_LONGEST_TITLE = 90
_LONGEST_CLOSING = 60


class OpeningText:
    """Cuts thoughts and later turns off, and reads an opening line by line."""

    def __init__(self, words: NameLists) -> None:
        self._words = words
        self._closings = tuple(words.closings)
        self._turn_end = re.compile("|".join(map(re.escape, words.marks["turn_ends"])) or "(?!)")

    def told(self, text: str) -> str:
        """The first turn that has words, without its thoughts. Empty where there is none."""
        marks = self._words.marks
        text = without_thought(text, marks["thought_begins"], marks["thought_ends"])
        return next((turn for turn in self._turn_end.split(text) if has_words(turn)), "").strip()

    def lines(self, opening: str) -> Iterator[Line]:
        """Its lines, each with its kind; empty ones are left out."""
        expected: LineKind | None = None
        for raw in _LINE_BREAK.split(straight(opening)):
            is_headed = _IS_HEADED.match(raw) is not None
            text = _EMPHASIS.sub("", _LEAD.sub("", raw, count=1)).strip()
            if not has_words(text):
                continue
            if expected is not None:
                kind, expected = expected, None
                announced = self._announced(text)
                if announced is None:
                    yield Line(kind, text)
                    continue
            line, expected = self._line(text, is_headed)
            if line is not None:
                yield line

    def _line(self, text: str, is_headed: bool) -> tuple[Line | None, LineKind | None]:
        """The line, or what the one below it is to be."""
        if len(text) <= _LONGEST_CLOSING and fold(text).rstrip(" ,.").endswith(self._closings):
            return None, LineKind.SIGNATURE
        announced = self._announced(text)
        if announced is not None:
            kind, value = announced
            return (Line(kind, value), None) if has_words(value) else (None, kind)
        if is_headed and fold(text) in self._words.name_headings:
            return None, LineKind.NAME
        is_title = len(text) <= _LONGEST_TITLE and not text.endswith(_TITLE_END)
        return Line(LineKind.TITLE if is_headed and is_title else LineKind.PROSE, text), None

    def _announced(self, text: str) -> tuple[LineKind, str] | None:
        key = _KEY.match(text)
        if key is None:
            return None
        name = fold(key["key"]).strip()
        if name in self._words.name_headings:
            return LineKind.NAME, text[key.end() :]
        if name in self._words.other_headings or name.removeprefix("the ") in (
            self._words.other_headings
        ):
            return LineKind.OTHER, text[key.end() :]
        return None
