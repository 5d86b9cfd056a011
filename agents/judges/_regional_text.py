"""Answers to the regional prompts made even, and whether they decline."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.judges._characters import Characters
from agents.judges._choice_text import has_words, without_thought
from auditor.errors import UsageError

_REPLACED = {
    **dict.fromkeys("’‘ʼ´′`", "'"),
    **dict.fromkeys("“”„«»「」『』", '"'),
    **dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    **dict.fromkeys("–—―−‐‑‒", "-"),
    **dict.fromkeys("〜～∼", "~"),
    "。": ".",
    "、": ", ",
    "½": ".5",
    "\t": " ",
}
_QUOTED = re.compile(r"^[ >#]+", re.MULTILINE)
"""How markdown begins a quotation or a heading."""
_LEVELLING = Characters(_REPLACED, is_folded=False)


def levelled(text: str) -> str:
    """Width, quotes, dashes, line ends and invisible characters made even; case is kept."""
    return text.translate(_LEVELLING)


class AnswerWords:
    """The word lists that all regional judges share, ready for use.

    Raises UsageError, naming the file, where the text is no TOML or a list is missing.
    """

    def __init__(self, words_toml: str) -> None:
        self.tables = parsed(words_toml, "regional/answers.toml")
        marks = text_lists(self.tables, "regional/answers.toml", "marks")
        refusals = text_lists(self.tables, "regional/answers.toml", "refusals")
        contrasts = text_lists(self.tables, "regional/answers.toml", "contrasts")
        self._begins, self._ends = marks["thought_begins"], marks["thought_ends"]
        self._turn_end = any_of(marks["turn_ends"])
        self._refusal = phrases(refusals)
        self._contrast = phrases(contrasts)

    def answer(self, text: str) -> str:
        """The first turn that has words, without thoughts and made even; empty without any."""
        said = without_thought(text, self._begins, self._ends)
        turn = next((part for part in self._turn_end.split(said) if has_words(part)), "")
        return _QUOTED.sub("", levelled(turn)).strip()

    def refusal_start(self, lowered: str) -> int | None:
        """Where an answer first declines, or None."""
        found = self._refusal.search(lowered)
        return None if found is None else found.start()

    def refusals_as(self, lowered: str, mark: str) -> str:
        """The text with a mark in place of every phrase that declines."""
        return self._refusal.sub(mark, lowered)

    def turns_back(self, lowered: str, start: int, end: int) -> bool:
        """Whether a contrast ("but", "if I must") stands between two places."""
        return self._contrast.search(lowered, start, end) is not None


def parsed(words_toml: str, path: str) -> Mapping[str, Any]:
    """The tables of a rubric file. Raises UsageError that names it."""
    try:
        return tomllib.loads(words_toml)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"rubrics/{path}: not TOML: {error}", where=f"rubrics/{path}") from None


def text_lists(tables: Mapping[str, Any], path: str, name: str) -> Mapping[str, Sequence[str]]:
    """The lists of texts in one table. Raises UsageError that names file and table."""
    lists = tables.get(name)
    is_sound = isinstance(lists, dict) and all(
        isinstance(entries, list) and all(isinstance(entry, str) and entry for entry in entries)
        for entries in lists.values()
    )
    if not is_sound or not isinstance(lists, dict):
        raise UsageError(
            f"rubrics/{path}: {name}: missing or no lists of texts; allowed: a table of lists",
            where=f"rubrics/{path}",
        )
    return lists


def text_list(words: object, path: str, name: str) -> list[str]:
    """A list of texts of a rubric file. Raises UsageError that names file and list."""
    if isinstance(words, list) and words and all(isinstance(w, str) and w for w in words):
        return words
    raise UsageError(
        f"rubrics/{path}: {name}: missing; allowed: a list of texts", where=f"rubrics/{path}"
    )


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these texts, as they are."""
    return re.compile(alternatives(words))


def alternatives(words: Iterable[str]) -> str:
    """A pattern of any of these texts, the longest first; of nothing where there is none."""
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    return "(?:" + ("|".join(map(re.escape, longest_first)) or "(?!)") + ")"


def any_ending(words: Iterable[str]) -> str:
    """A pattern of any of these texts, the longest first; one that ends in * may go on."""
    parts = [
        re.escape(word.removesuffix("*")) + ("[a-z]*" if word.endswith("*") else "")
        for word in sorted(words, key=len, reverse=True)
    ]
    return f"(?:{'|'.join(parts)})"


def phrases(lists: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """Finds any phrase: English ones as whole words (before a `*` any ending), others anywhere."""
    english = lists.get("en", ())
    whole = alternatives(word for word in english if not word.endswith("*"))
    begun = alternatives(word[:-1] for word in english if word.endswith("*"))
    written = alternatives(
        word for language, words in lists.items() if language != "en" for word in words
    )
    return re.compile(rf"(?<![a-z])(?:{whole}(?![a-z])|{begun})|{written}")
