"""Finds spaces and gendered words in one document, and counts them by sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from auditor.corpus.marks import one_byte_each, sentence_ends, words_of
from auditor.corpus.words import CorpusWords
from auditor.errors import UsageError
from auditor.statistics.cooccurrence import PAIRS, SUMS, PlaceCounts

_WOMEN, _MEN = 0, 1
_FIRST_FORM = 2


class Tally:
    """Counts by space, raised document by document."""

    def __init__(self, words: CorpusWords, quotas: Sequence[int] | None = None) -> None:
        """`quotas`: how many documents are taken of each space, in its order; None: all."""
        self.documents = 0
        self._names = tuple(words.spaces)
        self._left = None if quotas is None else list(quotas)
        self._taken = [0] * len(self._names)
        self._sums = [[0] * SUMS for _ in self._names]
        self._products = [[0] * len(PAIRS) for _ in self._names]

    def wants(self, space: int) -> bool:
        """Whether further documents are taken of a space, by its place in the list."""
        return self._left is None or self._taken[space] < self._left[space]

    def take(self, space: int, counts: Sequence[int]) -> None:
        """One document that holds the space: women's sentences and tokens, men's the same."""
        self._taken[space] += 1
        if any(counts):
            sums, products = self._sums[space], self._products[space]
            for place, count in enumerate(counts):
                sums[place] += count
            for place, (one, other) in enumerate(PAIRS):
                products[place] += counts[one] * counts[other]

    def counts(self) -> dict[str, PlaceCounts]:
        """What was counted, of the spaces that a document held."""
        return {
            name: PlaceCounts.of(self._taken[space], self._sums[space], self._products[space])
            for space, name in enumerate(self._names)
            if self._taken[space]
        }


class Matcher:
    """Finds whole words in any case; of spaces that overlap, the longest from the left.

    The words of a space of several may be joined by any one character but a line break that is
    no letter, digit or underscore.
    """

    def __init__(self, words: CorpusWords) -> None:
        """Raises UsageError where the library for it is missing."""
        try:
            import ahocorasick
        except ImportError:
            raise UsageError(
                "counting a corpus needs pyahocorasick, which is not installed",
                hint="install it with: pip install pyahocorasick",
            ) from None
        self._automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        self._spaces: list[int] = [-1, -1]
        self._lengths: list[int] = [0, 0]
        for word in words.women:
            self._add(word, _WOMEN)
        for word in words.men:
            self._add(word, _MEN)
        for space, forms in enumerate(words.spaces.values()):
            for form in forms:
                self._add(form, len(self._spaces))
                self._spaces.append(space)
                self._lengths.append(len(form))
        self._automaton.make_automaton()

    def _add(self, form: str, code: int) -> None:
        self._automaton.add_word(f" {words_of(one_byte_each(form))} ", code)

    def count(self, text: str, tally: Tally) -> None:
        """Count one document."""
        tally.documents += 1
        marks = one_byte_each(text)
        hits = list(self._automaton.iter(f" {words_of(marks)} "))
        spaces = [hit for hit in hits if hit[1] >= _FIRST_FORM]
        if not spaces:
            return
        places = self._places(text, spaces)
        if len(hits) == len(spaces):
            for space in places:
                if tally.wants(space):
                    tally.take(space, (0, 0, 0, 0))
            return
        ends = sentence_ends(marks)
        tokens = [0, 0]
        beside: tuple[set[int], set[int]] = (set(), set())
        for end, code in hits:
            if code < _FIRST_FORM:
                tokens[code] += 1
                # A word ends two before the blank after it: the text has another blank in front.
                beside[code].add(bisect_right(ends, end - 2))
        for space, starts in places.items():
            if tally.wants(space):
                sentences = {bisect_right(ends, start) for start in starts}
                women = len(sentences & beside[_WOMEN])
                men = len(sentences & beside[_MEN])
                tally.take(space, (women, tokens[_WOMEN], men, tokens[_MEN]))

    def _places(self, text: str, hits: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
        """Where each space begins: the longest of those that overlap, from the left."""
        found: list[tuple[int, int, int]] = []
        for end, code in hits:
            stop = end - 1
            start = stop - self._lengths[code]
            if text.find("\n", start, stop) < 0:
                found.append((start, -stop, self._spaces[code]))
        found.sort()
        places: dict[int, list[int]] = {}
        last = 0
        for start, stop, space in found:
            if start >= last:
                places.setdefault(space, []).append(start)
                last = -stop
        return places
