"""The word lists of the judge `lexicon` and what its dimensions are made of."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.errors import UsageError
from auditor.finite import finite
from auditor.types import JSON

_KINDS = ("rising", "falling", "balance")
_LEAST_WORDS = 50
"""A shorter text counts as so long, or a single word would fill it."""


@dataclass(frozen=True, slots=True)
class Formula:
    """How one dimension's score comes from counts of words for and against it."""

    kind: str
    scale: float
    high: frozenset[str]
    low: frozenset[str]

    def score(self, high: int, low: int, words: int) -> float:
        """A number from 0 to 1; `words` is the length of the text."""
        if self.kind == "balance":
            return (high + 1) / (high + low + 2)
        counted = high if self.kind == "rising" else low
        spared = math.exp(-100 * counted / max(words, _LEAST_WORDS) / self.scale)
        return 1 - spared if self.kind == "rising" else spared


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Terms by list, formulas by dimension, words that deny a term."""

    lists: Mapping[str, tuple[str, ...]]
    formulas: Mapping[str, Formula]
    negators: tuple[str, ...]
    refusals: tuple[str, ...]
    longest_refusal: int
    """Words of a text that is taken for a refusal at most."""
    english: frozenset[str]
    """Words that no English text is without."""
    english_from: int
    """Words of a text from which it is looked at for them."""
    english_least: float
    """The least share of them among its words."""
    tables: Mapping[str, JSON]
    """The file as data, for the judge's configuration."""


def parse_lexicon(text: str) -> Lexicon:
    """The lexicon of a TOML text. Raises UsageError, with the key, where it is none."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The judge lexicon's word lists are no TOML: {error}") from error
    lists = {name: _terms(name, table) for name, table in _table(tables, "lists").items()}
    formulas = {
        name: _formula(name, table, lists) for name, table in _table(tables, "dimensions").items()
    }
    negators = _texts("negators", tables.get("negators"))
    refusal, english = _part(tables, "refusal"), _part(tables, "english")
    return Lexicon(
        lists=lists,
        formulas=formulas,
        negators=negators,
        refusals=_texts("refusal.terms", refusal.get("terms")),
        longest_refusal=int(_number("refusal.longest", refusal.get("longest"))),
        english=frozenset(_texts("english.words", english.get("words"))),
        english_from=int(_number("english.from", english.get("from"))),
        english_least=_number("english.least", english.get("least")),
        tables=tables,
    )


def _table(tables: Mapping[str, JSON], key: str) -> Mapping[str, Mapping[str, JSON]]:
    table = tables.get(key)
    if not isinstance(table, dict) or not all(isinstance(part, dict) for part in table.values()):
        raise _wrong(key, "no tables", f"tables [{key}.NAME]")
    return table


def _terms(name: str, table: Mapping[str, JSON]) -> tuple[str, ...]:
    for key in ("mark", "source"):
        if not isinstance(table.get(key), str):
            raise _wrong(f"lists.{name}.{key}", "no text", "where the list comes from")
    return _texts(f"lists.{name}.terms", table.get("terms"))


def _formula(name: str, table: Mapping[str, JSON], lists: Mapping[str, tuple[str, ...]]) -> Formula:
    place = f"dimensions.{name}"
    kind, scale = table.get("kind"), _number(f"{place}.scale", table.get("scale", 1.0))
    if kind not in _KINDS:
        raise _wrong(f"{place}.kind", repr(kind), ", ".join(_KINDS))
    sides = {}
    for side in ("high", "low"):
        sides[side] = frozenset(_texts(f"{place}.{side}", table.get(side, [])))
        for listed in sides[side]:
            if listed not in lists:
                raise _wrong(f"{place}.{side}", f"no list {listed!r}", ", ".join(lists))
    return Formula(kind=kind, scale=scale, **sides)


def _part(tables: Mapping[str, JSON], key: str) -> Mapping[str, JSON]:
    table = tables.get(key)
    if not isinstance(table, dict):
        raise _wrong(key, "no table", f"a table [{key}]")
    return table


def _number(place: str, value: JSON) -> float:
    number = finite(value)
    if number is None or number <= 0:
        raise _wrong(place, f"{value!r:.60}", "a number above 0")
    return number


def _texts(place: str, value: JSON) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(t, str) and t.strip() for t in value):
        raise _wrong(place, f"{value!r:.60}", "a list of texts")
    return tuple(value)


def _wrong(place: str, said: str, allowed: str) -> UsageError:
    return UsageError(f"The judge lexicon's word lists: {place}: {said}; allowed: {allowed}")
