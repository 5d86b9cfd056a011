"""The name judge's word lists, read from their TOML text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from auditor.errors import UsageError

LISTS: Mapping[str, Sequence[str]] = {
    "names": (
        "titles",
        "abbreviations",
        "given_titles",
        "courtesy",
        "doubtful_titles",
        "particles",
        "suffixes",
        "degrees",
        "places_last",
        "places_or_surnames",
        "places_first",
        "never",
        "places",
        "names_too",
        "surnames_too",
        "openers",
    ),
    "cues": (
        "name_headings",
        "other_headings",
        "named",
        "first_person",
        "native",
        "native_ends",
        "closings",
        "no_person",
        "relations",
        "place_prepositions",
        "prepositions",
        "place_nouns",
        "verbs",
        "epithets",
        "speech",
        "function_words",
        "appositions",
        "name_holders",
    ),
    "refusals": ("openings", "cannot", "to_do", "request"),
    "marks": ("thought_begins", "thought_ends", "turn_ends"),
}
"""The tables of the file and the lists that each holds."""

_MAY_BE_MISSING = ("name_holders",)
"""Lists that the files of older stores lack: as if they were empty."""

Phrases = Mapping[str, Sequence[tuple[str, ...]]]
"""Last word to the phrases that end with it, each backwards and without that word."""

_APOSTROPHES = str.maketrans("’‘ʼ´", "''''")
"""Characters that stand for a straight apostrophe, each by one, so that places stay the same."""


class NameLists:
    """The lists as sets of folded entries, and phrases by their last word.

    `tables` is the parsed TOML. Raises UsageError where the text is no TOML, or where a list is
    missing, unknown, or no list of texts.
    """

    def __init__(self, words_toml: str) -> None:
        try:
            self.tables: dict[str, Any] = tomllib.loads(words_toml)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"The name judge's word lists are no TOML: {error}") from error
        _check(self.tables)
        names, cues = self.tables["names"], self.tables["cues"]
        self.abbreviations = _folded(names, "abbreviations")
        self.given_titles = _folded(names, "given_titles")
        self.doubtful_titles = _folded(names, "doubtful_titles")
        self.courtesy = _folded(names, "courtesy")
        self.titles = _folded(names, "titles") | self.given_titles | self.doubtful_titles
        self.bare_titles = self.titles - self.doubtful_titles
        self.particles = _folded(names, "particles")
        self.suffixes = _folded(names, "suffixes")
        self.degrees = _folded(names, "degrees")
        self.places_last = _folded(names, "places_last")
        self.places_or_surnames = _folded(names, "places_or_surnames")
        self.places_first = _folded(names, "places_first")
        self.places = _folded(names, "places")
        self.never = _folded(names, "never") | self.places
        self.names_too = _folded(names, "names_too")
        self.surnames_too = _folded(names, "surnames_too") | self.names_too
        self.openers = _folded(names, "openers")
        self.name_headings = _folded(cues, "name_headings")
        self.other_headings = _folded(cues, "other_headings")
        self.closings = _folded(cues, "closings")
        self.no_person = _folded(cues, "no_person")
        self.relations = _folded(cues, "relations")
        self.place_prepositions = _folded(cues, "place_prepositions")
        self.prepositions = _folded(cues, "prepositions")
        self.before_places = self.prepositions | self.place_prepositions
        self.place_nouns = _folded(cues, "place_nouns")
        self.verbs = _folded(cues, "verbs")
        self.epithets = _folded(cues, "epithets")
        self.speech = _folded(cues, "speech")
        self.function_words = _folded(cues, "function_words")
        self.appositions = _folded(cues, "appositions")
        self.name_holders = _folded(cues, "name_holders")
        self.named = _phrases(cues, "named")
        self.first_person = _phrases(cues, "first_person")
        self.native: Sequence[str] = cues["native"]
        self.native_ends: Sequence[str] = cues["native_ends"]
        self.refusals: Mapping[str, Sequence[str]] = self.tables["refusals"]
        self.marks: Mapping[str, Sequence[str]] = self.tables["marks"]


def straight(text: str) -> str:
    """The text with straight apostrophes."""
    return text.translate(_APOSTROPHES)


def fold(text: str) -> str:
    """Lower case with straight apostrophes."""
    return straight(text).lower()


def _check(tables: Mapping[str, Any]) -> None:
    for table, names in LISTS.items():
        lists = tables.get(table, {})
        if not isinstance(lists, dict):
            raise UsageError(f"The name judge's word lists: {table} is {lists!r}; allowed: a table")
        for name in (*names, *(name for name in lists if name not in names)):
            given = lists.get(name, [] if name in _MAY_BE_MISSING else None)
            if name not in names or not isinstance(given, list) or not all(map(_is_text, given)):
                raise UsageError(
                    f"The name judge's word lists: [{table}] {name} is {given!r}; allowed: a list"
                    f" of texts for each of {', '.join(names)}"
                )


def _is_text(item: object) -> bool:
    return isinstance(item, str) and bool(item.strip())


def _folded(lists: Mapping[str, Sequence[str]], name: str) -> frozenset[str]:
    return frozenset(map(fold, lists.get(name, ())))


def _phrases(lists: Mapping[str, Sequence[str]], name: str) -> Phrases:
    by_last: dict[str, list[tuple[str, ...]]] = {}
    for phrase in lists[name]:
        last, *rest = reversed(fold(phrase).split())
        by_last.setdefault(last, []).append(tuple(rest))
    return by_last
