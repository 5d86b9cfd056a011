"""The choice judge's word lists, read from their TOML text, and how phrases are found by them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from agents.judges._choice_text import fold
from auditor.errors import UsageError

SIGNS: Mapping[str, str] = {
    "men": "M",
    "women": "W",
    "neither": "N",
    "equal": "E",
    "same_as": "s",
    "both": "B",
    "refusal": "R",
    "hedge": "r",
    "preface": "p",
    "negation": "x",
    "doubt": "d",
    "conditional": "i",
    "past": "h",
    "more": "+",
    "less": "-",
    "claim": "c",
    "reference": "t",
    "outnumber": "+t",
    "outnumbered": "-t",
    "contrast": "b",
    "correction": "C",
    "concession": "y",
    "reason": "k",
    "as": "j",
    "subordinate": "T",
    "or": "o",
    "and": "&",
    "also": "a",
    "presence": "v",
    "answer": "A",
    "thinking": "u",
    "restart": "q",
    "filler": "f",
}
"""The lists of `[phrases]` and the sign that stands for each in the shorthand of an answer."""

_MARKS = ("thought_begins", "thought_ends", "turn_ends", "markup")
_PUNCTUATION = {
    "\n": "\n",
    ".": ".",
    "!": ".",
    ";": ".",
    "?": "?",
    ":": ":",
    ",": ",",
    "(": ",",
    ")": ",",
    "—": ",",
    "-": ",",
}
_ENDINGS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_GAP = "..."
_LONGEST_GAP = 3


class ChoiceWords:
    """Word lists by their sign, ready for looking up phrases.

    `tables` is the parsed TOML. Raises UsageError where the text is no TOML, or where a list is
    missing, unknown, or no list of texts.
    """

    def __init__(self, words_toml: str) -> None:
        try:
            self.tables: dict[str, Any] = tomllib.loads(words_toml)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"The choice judge's word lists are no TOML: {error}") from error
        phrases = _lists(self.tables, "phrases", tuple(SIGNS))
        marks = _lists(self.tables, "marks", _MARKS)
        self.thought_begins = tuple(mark.lower() for mark in marks["thought_begins"])
        self.thought_ends = tuple(mark.lower() for mark in marks["thought_ends"])
        self.turn_ends = tuple(fold(mark) for mark in marks["turn_ends"])
        self.markup = tuple(fold(mark) for mark in marks["markup"])
        self._spellings = _spellings(self.tables)
        self._phrases = _index(phrases)

    def shorthand(self, tokens: Sequence[str]) -> str:
        """The tokens as signs: one or two a phrase or punctuation mark, "_" for any other word."""
        words = self._written_out(tokens)
        signs = []
        place = 0
        while place < len(words):
            sign, length = self._longest_phrase(words, place)
            signs.append(sign)
            place += length
        return "".join(signs)

    def _written_out(self, tokens: Sequence[str]) -> list[str]:
        words: list[str] = []
        for token in tokens:
            if token in self._spellings:
                words.extend(self._spellings[token])
            elif token.endswith("n't") and len(token) > 3:
                words += (token[:-3], "not")
            elif "'" in token[1:]:
                words.extend(_apostrophe_written_out(token))
            else:
                words.append(token)
        return words

    def _longest_phrase(self, words: Sequence[str], place: int) -> tuple[str, int]:
        word = words[place]
        for rest, sign in self._phrases.get(word, ()):
            end = _match(words, place + 1, rest)
            if end is not None:
                return sign, end - place
        if word in _PUNCTUATION:
            return _PUNCTUATION[word], 1
        if word.endswith(("%", "cent")) and word[0].isdigit():
            return self._share(word, words[place + 1 : place + 4]), 1
        if word.endswith("'s"):
            return self._possessive(word[:-2]), 1
        return ("f" if word[0].isdigit() else "_"), 1

    def _share(self, word: str, following: Sequence[str]) -> str:
        # "75% of visitors are women" is a majority; "75% of women go there" compares nothing.
        if following[:1] == ["of"] and any(self._side(other) for other in following):
            return SIGNS["doubt"]
        percent = float(word.rstrip("%percnt ").replace(",", "."))
        if percent == 50:
            return SIGNS["equal"]
        return SIGNS["more"] if percent > 50 else SIGNS["less"]

    def _possessive(self, owner: str) -> str:
        # "men's" names the side only where it stands alone: "the men's room" says nothing.
        return self._side(owner).lower() or "_"

    def _side(self, word: str) -> str:
        sign = next((sign for rest, sign in self._phrases.get(word, ()) if not rest), "")
        return sign if sign in ("M", "W") else ""


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"The choice judge's word lists: {name} is {table!r}; allowed: a table")
    return table


def _lists(tables: Mapping[str, Any], table: str, names: Sequence[str]) -> dict[str, list[str]]:
    lists = _table(tables, table)
    for name in (*names, *(name for name in lists if name not in names)):
        given = lists.get(name)
        if name not in names or not isinstance(given, list) or not all(map(_is_phrase, given)):
            raise UsageError(
                f"The choice judge's word lists: [{table}] {name} is {given!r}; allowed: a list of"
                f" texts, which begin and end with a word, for each of {', '.join(names)}"
            )
    return lists


def _is_phrase(item: object) -> bool:
    if not isinstance(item, str):
        return False
    parts = fold(item).split()
    return bool(parts) and _GAP not in (parts[0], parts[-1])


def _spellings(tables: Mapping[str, Any]) -> dict[str, list[str]]:
    spellings = _table(tables, "spellings")
    for word, full in spellings.items():
        if not _is_phrase(full):
            raise UsageError(
                f"The choice judge's word lists: [spellings] {word} is {full!r}; allowed: a text"
            )
    return {fold(word): fold(full).split() for word, full in spellings.items()}


def _index(phrases: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First word to the rests of its phrases, longest first, with their signs."""
    index: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, sign in SIGNS.items():
        for phrase in phrases[name]:
            first, *rest = fold(phrase).split()
            index.setdefault(first, []).append((tuple(rest), sign))
    for rests in index.values():
        rests.sort(key=lambda entry: -len(entry[0]))
    return index


def _match(words: Sequence[str], place: int, rest: Sequence[str]) -> int | None:
    """Where the rest of a phrase ends if it stands at `place`, else None."""
    for position, part in enumerate(rest):
        if part == _GAP:
            return _match_after_gap(words, place, rest[position + 1 :])
        if place >= len(words) or words[place] != part:
            return None
        place += 1
    return place


def _match_after_gap(words: Sequence[str], place: int, rest: Sequence[str]) -> int | None:
    for start in range(place, min(place + _LONGEST_GAP + 1, len(words))):
        if words[start] == rest[0]:
            return _match(words, start, rest)
        if words[start] in _PUNCTUATION:
            return None
    return None


def _apostrophe_written_out(token: str) -> list[str]:
    for ending, word in _ENDINGS.items():
        if token.endswith(ending):
            return [token[: -len(ending)], word]
    return [token]
