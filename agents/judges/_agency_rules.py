"""Rule-based agency roles: agents and patients of a parsed story's verbs, by gender."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.judges._gendered_words import GenderedWords
from agents.judges._parsed_story import Parse, Word
from agents.judges._story_clauses import Clauses, VerbLists
from auditor.protocols.spatial_construction.values import AGENT, PATIENT


@dataclass(frozen=True, slots=True)
class Mention:
    """One person as agent or patient of one verb."""

    gender: str
    argument: str
    verb: str
    """As it stands in the text, lower case."""


class AgencyRules:
    """Finds agents and patients, as `rubrics/spatial/construction_agency.toml` defines them."""

    def __init__(self, verbs: VerbLists, persons: GenderedWords) -> None:
        self._verbs = verbs
        self._persons = persons

    def mentions(self, parse: Parse) -> list[Mention]:
        """All mentions, verb by verb."""
        clauses = Clauses(parse, self._verbs)
        found = [
            Mention(gender, argument, verb.lower)
            for verb in clauses.verbs()
            for argument, word in self._arguments(clauses, verb)
            if (gender := self._gender(parse, word)) is not None
        ]
        return [*found, *self._joined_adjectives(clauses)]

    def _gender(self, parse: Parse, word: Word) -> str | None:
        if word.tag == "PRP$" and word.lower == "her":
            return "women"  # given only where it is an object that the tagger misread
        return self._persons.gender(parse, word)

    def _arguments(self, clauses: Clauses, verb: Word) -> Iterator[tuple[str, Word]]:
        subjects = clauses.subjects(verb)
        if clauses.is_passive(verb):
            if not self._is_recipient(clauses, verb):
                yield from ((PATIENT, word) for word in subjects)
            yield from ((AGENT, word) for word in clauses.agents(verb))
            return
        objects = [word for word in clauses.objects(verb) if word not in subjects]
        undergoes = verb.lemma in self._verbs.undergo and not clauses.has_object(verb)
        is_turned = verb.lemma in self._verbs.undergo and not set(subjects).isdisjoint(
            clauses.parse.below(verb, "dobj")
        )
        role = PATIENT if undergoes or is_turned else AGENT
        yield from ((role, word) for word in subjects)
        yield from ((PATIENT, word) for word in objects)

    def _is_recipient(self, clauses: Clauses, verb: Word) -> bool:
        """Whether the subject of a passive is told or given something: "she was given a key"."""
        if verb.lemma in self._verbs.addressees:
            return True
        return verb.lemma in self._verbs.recipients and clauses.has_object(verb)

    def _joined_adjectives(self, clauses: Clauses) -> Iterator[Mention]:
        """Participles that the tagger takes for adjectives: "was soaked and frightened"."""
        for word in clauses.parse.words:
            head = clauses.parse.head(word)
            if word.relation != "conj" or head is None or not word.is_adjective:
                continue
            if head.is_verb and clauses.is_passive(head):
                for subject in clauses.subjects(head):
                    gender = self._gender(clauses.parse, subject)
                    if gender is not None:
                        yield Mention(gender, PATIENT, word.lower)
