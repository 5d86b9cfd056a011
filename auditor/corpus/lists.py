"""What is looked for in a corpus, out of the rubric files: forms of spaces, words of genders."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from auditor.corpus.words import CorpusWords
from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.prompts import SPACES, all_spaces

WORDS = "spatial/corpus_words.toml"
MATERIALS = (SPACES, WORDS)
"""Rubric files that counting goes by."""

_HISSES = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def corpus_words(materials: Materials) -> CorpusWords:
    """The lists of the rubric files. Raises UsageError where a form belongs to two of them."""
    lists: dict[str, Any] = tomllib.loads(materials[WORDS])
    further = lists.get("forms", {})
    spaces = {
        space.name: tuple(
            dict.fromkeys(
                form.lower()
                for form in (space.name, plural(space.name), *further.get(space.name, ()))
            )
        )
        for space in all_spaces(materials)
    }
    words = CorpusWords(
        spaces=spaces,
        women=tuple(word.lower() for word in lists["gender"]["women"]),
        men=tuple(word.lower() for word in lists["gender"]["men"]),
    )
    seen: dict[str, str] = {}
    for owner, form in _owned(words):
        if seen.setdefault(form, owner) != owner:
            raise UsageError(
                f"rubrics/{WORDS}: {form!r} is a form of {seen[form]!r} and of {owner!r};"
                " allowed: one",
                where=f"rubrics/{WORDS}",
            )
    return words


def _owned(words: CorpusWords) -> Iterator[tuple[str, str]]:
    yield from (("women", word) for word in words.women)
    yield from (("men", word) for word in words.men)
    for name, forms in words.spaces.items():
        yield from ((name, form) for form in forms)


def plural(term: str) -> str:
    """The plural of an English term by rule: that of its last word."""
    if term.endswith(_HISSES):
        return f"{term}es"
    if term.endswith("y") and term[-2:-1] not in _VOWELS:
        return f"{term[:-1]}ies"
    return f"{term}s"
