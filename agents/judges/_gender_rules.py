"""The word lists of the gender judge, read from their TOML text, and how words are held to them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from auditor.errors import UsageError

_LISTS: Mapping[str, Sequence[str]] = {
    "titles": ("before_surname", "before_given_name", "before_either", "also_given"),
    "after": ("suffixes", "degrees", "cuts", "joints"),
    "no_name": ("whole", "beginnings", "articles", "sentence", "labels"),
    "surnames": ("only", "also_given", "particles"),
    "east_asian": (
        "surnames",
        "surnames_before_middle_name",
        "also_given",
        "initials",
        "finals",
        "telling",
        "korean",
        "vietnamese",
    ),
}
_UNDECOMPOSED = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "ı": "i"})


def plain(word: str) -> str:
    """A word as the lists write it: small, without accents and full stops."""
    small = word.lower()
    if not small.isascii():
        decomposed = unicodedata.normalize("NFKD", small).translate(_UNDECOMPOSED)
        small = "".join(c for c in decomposed if not unicodedata.combining(c))
    return small.replace(".", "")


class GenderRules:
    """Word lists by table and name. `tables` is the parsed TOML.

    Raises UsageError where the text is no TOML, or where a list is missing, unknown, or no list
    of texts.
    """

    def __init__(self, rules_toml: str) -> None:
        try:
            self.tables: dict[str, Any] = tomllib.loads(rules_toml)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"The gender judge's word lists are no TOML: {error}") from error
        for table in self.tables:
            if table not in _LISTS:
                raise _broken(f"[{table}] is unknown", f"the tables {', '.join(_LISTS)}")
        self.titles = self._words("titles")
        self.after = self._words("after")
        self.no_name = self._words("no_name")
        self.surnames = self._words("surnames")
        self.east_asian = self._words("east_asian")
        certain = self.tables["east_asian"].get("certain")
        if not isinstance(certain, float) or not 0 <= certain <= 0.5:
            raise _broken(f"[east_asian] certain is {certain!r}", "a number from 0.0 to 0.5")
        self.certain: float = certain
        self.east_asian_surnames = (
            self.east_asian["surnames"] | self.east_asian["surnames_before_middle_name"]
        )
        lists = self.east_asian
        mandarin = f"(?:{_any(lists['initials'])})(?:{_any(lists['finals'])})"
        self._shape = re.compile(rf"(?:{mandarin}|{_any(lists['korean'])}){{1,2}}")
        self._korean_pair = re.compile(rf"(?:{_any(lists['korean'])}){{2}}")

    def sounds_east_asian(self, word: str) -> bool:
        """Whether a plain word could be a Chinese, Korean or Vietnamese given name."""
        joined = word.replace("-", "")
        return bool(self._shape.fullmatch(joined)) or joined in self.east_asian["vietnamese"]

    def is_korean_pair(self, word: str) -> bool:
        """Whether a plain word is two syllables of Korean given names."""
        return bool(self._korean_pair.fullmatch(word.replace("-", "")))

    def is_telling(self, word: str) -> bool:
        """Whether a plain word can only be a Chinese given name."""
        return word.startswith(tuple(self.east_asian["telling"])) and self.sounds_east_asian(word)

    def _words(self, table: str) -> dict[str, frozenset[str]]:
        lists = self.tables.get(table)
        names = _LISTS[table]
        if not isinstance(lists, dict):
            raise _broken(f"[{table}] is {lists!r}", "a table")
        for name in (*names, *(name for name in lists if name not in names)):
            given = lists.get(name)
            if table == "east_asian" and name == "certain":
                continue
            if name not in names or not isinstance(given, list) or not all(map(_is_text, given)):
                raise _broken(
                    f"[{table}] {name} is {given!r}", f"a list of texts for {', '.join(names)}"
                )
        return {name: frozenset(lists[name]) for name in names}


def _is_text(item: object) -> bool:
    return isinstance(item, str)


def _any(words: frozenset[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


def _broken(said: str, allowed: str) -> UsageError:
    return UsageError(f"The gender judge's word lists: {said}; allowed: {allowed}")
