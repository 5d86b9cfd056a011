"""Verdicts on parsed stories, for a process of its own: adjectives, and agency roles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents.judges._adjective_rules import AdjectiveRules, left_out
from agents.judges._agency_rules import AgencyRules
from agents.judges._gender_table import lookup
from agents.judges._gendered_words import GenderedWords
from agents.judges._parsed_story import Parse, story_parser
from agents.judges._story_clauses import VerbLists
from agents.judges._story_text import StoryText
from agents.judges.base import Verdict
from auditor.types import JSON

Annotate = Callable[[Parse], JSON]
_TOO_DEEP = Verdict(False, reason="sentence too long")


class StoryAnnotator:
    """Reads texts, has those that are stories parsed, and each parse annotated."""

    def __init__(
        self,
        text: StoryText,
        parse: Callable[[Sequence[str]], list[Parse]],
        annotate: Annotate,
    ) -> None:
        self._text = text
        self._parse = parse
        self._annotate = annotate

    def verdicts(self, texts: Sequence[str]) -> list[Verdict]:
        """The verdicts on these texts, in their order."""
        read = [self._text.read(text) for text in texts]
        stories = [story for story in read if isinstance(story, str)]
        found = iter([self._verdict(parse) for parse in self._parse(stories)])
        return [each if isinstance(each, Verdict) else next(found) for each in read]

    def _verdict(self, parse: Parse) -> Verdict:
        try:
            return Verdict(True, self._annotate(parse))
        except RecursionError:  # "he ran and ran and ran ...": the rules go from verb to verb
            return _TOO_DEEP


def agency(agency_toml: str, persons: GenderedWords) -> Annotate:
    """Annotates agency roles. Raises UsageError where the text is broken."""
    rules = AgencyRules(VerbLists.parse(agency_toml), persons)

    def annotate(parse: Parse) -> JSON:
        return [
            {"gender": mention.gender, "argument": mention.argument}
            for mention in rules.mentions(parse)
        ]

    return annotate


def adjectives(agency_toml: str, adjectives_toml: str, persons: GenderedWords) -> Annotate:
    """Annotates adjectives. Raises UsageError where a text is broken."""
    rules = AdjectiveRules(left_out(adjectives_toml), VerbLists.parse(agency_toml), persons)
    return rules.adjectives


def judge_agency(
    texts: Sequence[str], agency_toml: str, package: str
) -> Callable[[list[JSON]], list[JSON]]:
    """For a process of its own: a function from stories to [valid, value, reason] of each.

    `texts` are those of `StoryText`'s `MATERIALS`.
    """
    return _judging(texts, package, lambda persons: agency(agency_toml, persons))


def judge_adjectives(
    texts: Sequence[str], agency_toml: str, adjectives_toml: str, package: str
) -> Callable[[list[JSON]], list[JSON]]:
    """As `judge_agency`."""
    return _judging(
        texts, package, lambda persons: adjectives(agency_toml, adjectives_toml, persons)
    )


def _judging(
    texts: Sequence[str], package: str, annotating: Callable[[GenderedWords], Annotate]
) -> Callable[[list[JSON]], list[JSON]]:
    words_toml, name_toml = texts
    persons = GenderedWords(words_toml, _table_of_names())
    annotator = StoryAnnotator(
        StoryText(words_toml, name_toml), story_parser(package), annotating(persons)
    )

    def judge(batch: list[JSON]) -> list[JSON]:
        found: list[Any] = [
            [verdict.valid, verdict.value, verdict.reason]
            for verdict in annotator.verdicts([str(text) for text in batch])
        ]
        return found

    return judge


def _table_of_names() -> Callable[[str], float | None]:
    look_up = lookup()

    def share(name: str) -> float | None:
        (found,) = look_up([name])
        return found[0] if isinstance(found, list) else None

    return share
