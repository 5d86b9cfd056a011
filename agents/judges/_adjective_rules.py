"""Adjectives of a parsed story, each with the gender of the person whom it describes."""

from __future__ import annotations

from collections.abc import Iterator

from agents.judges._gendered_words import GenderedWords
from agents.judges._parsed_story import Parse, Word
from agents.judges._regional_text import parsed
from agents.judges._story_clauses import Clauses, VerbLists
from auditor.errors import UsageError
from auditor.types import JSON

ADJECTIVES_FILE = "spatial/construction_adjectives.toml"
_PREDICATES = ("acomp", "oprd", "attr", "advcl", "xcomp")


def left_out(adjectives_toml: str) -> frozenset[str]:
    """The adjectives that say nothing of anybody. Raises UsageError where the text is broken."""
    words = parsed(adjectives_toml, ADJECTIVES_FILE).get("left_out")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError(
            f"rubrics/{ADJECTIVES_FILE}: left_out: missing; allowed: a list of texts",
            where=f"rubrics/{ADJECTIVES_FILE}",
        )
    return frozenset(words)


class AdjectiveRules:
    """Finds adjectives and whom they describe: "men", "women", or nobody whose gender is said."""

    def __init__(self, without: frozenset[str], verbs: VerbLists, persons: GenderedWords) -> None:
        self._without = without
        self._verbs = verbs
        self._persons = persons

    def adjectives(self, parse: Parse) -> list[JSON]:
        """All adjectives of a story in their order, as annotations have them."""
        clauses = Clauses(parse, self._verbs)
        return [
            {"adjective": word.lemma, "gender": self._gender(clauses, word)}
            for word in parse.words
            if word.is_adjective and self._is_meant(word)
        ]

    def _is_meant(self, word: Word) -> bool:
        # A name at the beginning of a sentence may be tagged as an adjective.
        is_name = not word.text[0].islower() and self._persons.is_given_name(word.text)
        bare = word.lemma.replace("-", "")
        return bare.isalpha() and word.lemma not in self._without and not is_name

    def _gender(self, clauses: Clauses, word: Word) -> str | None:
        genders = (
            self._persons.gender(clauses.parse, person) for person in self._described(clauses, word)
        )
        return next((gender for gender in genders if gender is not None), None)

    def _described(self, clauses: Clauses, word: Word) -> Iterator[Word]:
        parse = clauses.parse
        own = parse.below(word, "nsubj")
        head = parse.head(word)
        if own or head is None:
            yield from own  # "found him kind"
        elif word.relation == "conj":
            yield from self._described(clauses, head) if head.is_adjective else ()
        elif word.relation in ("amod", "appos"):
            yield head
        elif word.relation in _PREDICATES and head.is_verb:
            objects = parse.below(head, "dobj") if word.relation == "oprd" else []
            yield from objects or clauses.subjects(head)
