"""A parsed story as plain words: what rules over dependencies need, whichever parser made it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_UNUSED = ("ner", "senter")
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Word:
    """One token with its tag of the Penn Treebank and its dependency in the scheme of ClearNLP."""

    place: int
    text: str
    lemma: str
    tag: str
    relation: str
    """"nsubj", "dobj", "agent", ..."""
    head: int
    """Place of the word that it depends on; its own for the root of a sentence."""

    @property
    def lower(self) -> str:
        """Lower case with straight apostrophes."""
        return self.text.replace("’", "'").lower()

    @property
    def is_verb(self) -> bool:
        """Whether it is tagged as a verb, modals left out."""
        return self.tag.startswith("VB")

    @property
    def is_adjective(self) -> bool:
        """Whether it is tagged as an adjective."""
        return self.tag.startswith("JJ")


class Parse:
    """The words of a story, and who depends on whom."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words

    @cached_property
    def _below(self) -> dict[int, list[Word]]:
        below: dict[int, list[Word]] = defaultdict(list)
        for word in self.words:
            if word.head != word.place:
                below[word.head].append(word)
        return dict(below)

    def head(self, word: Word) -> Word | None:
        """What a word depends on; None for the root of a sentence."""
        return None if word.head == word.place else self.words[word.head]

    def below(self, word: Word, *relations: str) -> list[Word]:
        """The words that depend on it, in order; with relations those in one of these."""
        found = self._below.get(word.place, [])
        return [each for each in found if each.relation in relations] if relations else found

    def joined(self, word: Word) -> Iterator[Word]:
        """A word and what is joined to it by "and", "or" or a comma."""
        yield word
        for other in self.below(word, "conj"):
            yield from self.joined(other)

    def between(self, first: Word, second: Word) -> Sequence[Word]:
        """The words between two words."""
        return self.words[first.place + 1 : second.place]


def story_parser(package: str) -> Callable[[Sequence[str]], list[Parse]]:
    """Parses stories by a spaCy model. For a process of its own: it takes seconds to load."""
    import spacy

    nlp: Any = spacy.load(package, exclude=list(_UNUSED))

    def parse(stories: Sequence[str]) -> list[Parse]:
        return [Parse(_words(document)) for document in nlp.pipe(stories, batch_size=_BATCH)]

    return parse


def _words(document: Any) -> list[Word]:
    return [
        Word(
            place=token.i,
            text=token.text,
            lemma=token.lemma_.lower(),
            tag=token.tag_,
            relation=token.dep_,
            head=token.head.i,
        )
        for token in document
    ]
