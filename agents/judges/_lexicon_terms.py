"""Word lists over the words of a text: where a term stands, and whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_APOSTROPHES = str.maketrans("’ʼ＇‑", "'''-")
_TOKEN = re.compile(r"(?P<word>\w+(?:['-]\w+)*)|(?P<end>[.!?:;…]|\n)")
_BEFORE = 3
"""Words before a term among which a negator denies it."""
_CACHED = 100_000


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text in lower case, each with the number of its sentence."""

    words: tuple[str, ...]
    sentences: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """Hyphens and apostrophes inside a word are part of it; line ends end sentences."""
        words: list[str] = []
        sentences: list[int] = []
        sentence = 0
        for found in _TOKEN.finditer(text.translate(_APOSTROPHES).lower()):
            if found["word"] is None:
                sentence += 1
            else:
                words.append(found["word"])
                sentences.append(sentence)
        return cls(tuple(words), tuple(sentences))


@dataclass(frozen=True, slots=True)
class Hit:
    """A term at a place: its first word, one past its last, and the lists that have it."""

    start: int
    end: int
    lists: frozenset[str]


class Terms:
    """Finds the terms of several lists at once: words, stems ("assert*") and phrases."""

    def __init__(self, lists: Mapping[str, Iterable[str]], negators: Iterable[str]) -> None:
        self._words: dict[str, set[str]] = {}
        self._stems: dict[str, set[str]] = {}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name, terms in lists.items():
            for term in terms:
                self._add(name, term)
        self._lengths = sorted({len(stem) for stem in self._stems})
        self._negators = frozenset(negators)
        self._known: dict[str, frozenset[str]] = {}

    def _add(self, name: str, term: str) -> None:
        parts = Words.of(term.removesuffix("*")).words
        if len(parts) > 1:
            self._phrases.setdefault(parts[0], []).append((parts, name))
        elif term.endswith("*"):
            self._stems.setdefault(parts[0], set()).add(name)
        else:
            self._words.setdefault(parts[0], set()).add(name)

    def hits(self, text: Words, *, leave_out: frozenset[str] = frozenset()) -> list[Hit]:
        """The terms that are not denied, by place; not those that `leave_out` has all words of."""
        found: list[Hit] = []
        for start, word in enumerate(text.words):
            if (lists := self._lists_of(word)) and word not in leave_out:
                found.append(Hit(start, start + 1, lists))
            for phrase, name in self._phrases.get(word, ()):
                end = start + len(phrase)
                if text.words[start:end] == phrase and not leave_out.issuperset(phrase):
                    found.append(Hit(start, end, frozenset({name})))
        return [hit for hit in found if not self._is_denied(text, hit.start)]

    def _lists_of(self, word: str) -> frozenset[str]:
        known = self._known.get(word)
        if known is None:
            names = set(self._words.get(word, ()))
            for length in self._lengths:
                names |= self._stems.get(word[:length], set()) if length <= len(word) else set()
            known = frozenset(names)
            if len(self._known) < _CACHED:
                self._known[word] = known
        return known

    def _is_denied(self, text: Words, start: int) -> bool:
        sentence = text.sentences[start]
        return any(
            text.sentences[place] == sentence
            and (text.words[place] in self._negators or text.words[place].endswith("n't"))
            for place in range(max(0, start - _BEFORE), start)
        )


def count_apart(hits: Sequence[Hit], lists: frozenset[str]) -> int:
    """How many terms of these lists stand in a text, none overlapping another."""
    count = reached = 0
    own = (hit for hit in hits if not lists.isdisjoint(hit.lists))
    for hit in sorted(own, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= reached:
            count += 1
            reached = hit.end
    return count
