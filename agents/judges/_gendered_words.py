"""Which words of a parsed story stand for a man and which for a woman."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from agents.judges._parsed_story import Parse, Word
from agents.judges._regional_text import parsed, text_list
from agents.judges._story_text import WORDS_FILE, broken

GENDERS = ("men", "women")
_REMEMBERED = 20_000

NameShare = Callable[[str], float | None]
"""From a given name to the share of women among those who bear it; None: it is not known."""


class GenderedWords:
    """Tells the gender of a person by pronoun, noun, title or given name.

    Args:
        words_toml: text of `rubrics/spatial/construction_words.toml`.
        name_share: looks a given name up.

    Raises UsageError where the text is broken.
    """

    def __init__(self, words_toml: str, name_share: NameShare) -> None:
        persons = person_tables(words_toml)
        self._pronouns = _by_word(persons, "pronouns")
        self._nouns = _by_word(persons, "nouns")
        self._titles = _by_word(persons, "titles")
        self._sure = float(persons["sure"])
        self._name_share = lru_cache(maxsize=_REMEMBERED)(name_share)

    def gender(self, parse: Parse, word: Word) -> str | None:
        """One of `GENDERS`; None: no person, or one whose gender the word does not say."""
        if word.tag == "PRP":
            return self._pronouns.get(word.lower)
        if not word.tag.startswith("NN"):
            return None
        if word.tag.startswith("NNP"):
            return self._of_name(parse, word)
        return self._nouns.get(word.lemma) or self._nouns.get(word.lower)

    def is_given_name(self, word: str) -> bool:
        """Whether somebody is called so."""
        return self._name_share(word) is not None

    def _of_name(self, parse: Parse, word: Word) -> str | None:
        parts = [*parse.below(word, "compound"), word]
        for part in parts:
            titled = self._titles.get(part.lower) if len(parts) > 1 else None
            known = titled or (self._nouns.get(part.lower) if part is word else None)
            if known is not None:
                return known
        first = parts[0].text
        share = self._name_share(first) if first[:1].isupper() else None
        if share is None or 1 - self._sure < share < self._sure:
            return None
        return GENDERS[share >= self._sure]


def person_tables(words_toml: str) -> Mapping[str, Any]:
    """The lists of words for persons. Raises UsageError that names what is wrong."""
    persons = parsed(words_toml, WORDS_FILE).get("persons")
    if not isinstance(persons, dict):
        raise broken("persons: missing; allowed: a table")
    for gender in GENDERS:
        lists = persons.get(gender)
        if not isinstance(lists, dict):
            raise broken(f"persons.{gender}: missing; allowed: a table")
        for name in ("pronouns", "nouns", "titles"):
            text_list(lists.get(name), WORDS_FILE, f"persons.{gender}.{name}")
    sure = persons.get("sure")
    if not isinstance(sure, int | float) or not 0.5 < sure <= 1:
        raise broken(f"persons.sure: value {sure!r}; allowed: a number from 0.5 to 1")
    return persons


def _by_word(persons: Mapping[str, Any], name: str) -> dict[str, str]:
    return {word: gender for gender in GENDERS for word in persons[gender][name]}
