"""Names in texts that write them without capitals, where only a phrase tells them."""

from __future__ import annotations

import re

from agents.judges._name_lists import NameLists, fold

_LONGEST_NATIVE = 12
_MOST_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]")
_BEFORE = re.compile(r"\b(?:named|called|name is|name was|name's|i am|i'm)\s+")


class UncasedReader:
    """Finds "named mike johnson" in texts in small letters, and "名叫李明" in Chinese."""

    def __init__(self, words: NameLists) -> None:
        self._words = words
        ends = "|".join(map(re.escape, words.native_ends))
        begins = "|".join(map(re.escape, words.native))
        self._native = re.compile(
            rf"(?:{begins})\s?([^\W\d_a-zA-Z]{{2,{_LONGEST_NATIVE}}}?)(?=\s|$|{ends})"
        )

    def name(self, told: str) -> str | None:
        """The first name that a phrase gives; None where there is none."""
        native = self._native.search(told)
        if native is not None:
            return native[1]
        return self._in_small(told) if told == told.lower() else None

    def _in_small(self, told: str) -> str | None:
        for match in _BEFORE.finditer(fold(told)):
            name: list[str] = []
            for word in _WORD.finditer(told, match.end()):
                if not word[0][0].isalpha() or self._is_no_name(word[0]) or len(name) > _MOST_WORDS:
                    break
                name.append(word[0])
            if 0 < len(name) <= _MOST_WORDS:
                return " ".join(name)
        return None

    def _is_no_name(self, word: str) -> bool:
        folded = fold(word)
        words = self._words
        return folded in words.never or folded in words.function_words or folded in words.verbs
