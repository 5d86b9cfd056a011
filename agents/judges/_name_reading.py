"""Reads a text by the rules: a name, none or a refusal, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.judges._name_bare import bare_name
from agents.judges._name_cues import mention_weight
from agents.judges._name_lines import Line, LineKind, OpeningText
from agents.judges._name_lists import NameLists
from agents.judges._name_mentions import Mention, MentionReader
from agents.judges._name_persons import Person, persons_of, scored
from agents.judges._name_refusal import RefusalReader
from agents.judges._name_tokens import Token, tokens_of
from agents.judges._name_uncased import UncasedReader
from agents.judges._name_weights import OUTRIGHT

SURNAME_ONLY = "surname only"

_DECIDED = 5.0
"""Score from which on a person is taken for the protagonist, if none comes near."""
_MARGIN = 1.5
_ALONE = 3.0
"""The same for a full name beside which there is no other person."""
_GUESSED = 1.5
_LONGEST_BARE = 80
_REST = 20_000
"""Characters in which the full form of a first name is looked for."""
_MOST_LOOKED_UP = 20
_LOOKED_AT = 80
_SENTENCE_END = re.compile(r"[.!?]['\")]?\s+(?=[^\W\d_a-z'\"])")
_LONGEST_SNIPPET = 600


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules make of a text."""

    name: str | None = None
    """The protagonist's name, or the likeliest one; None for nobody."""
    is_decided: bool = True
    """Whether the rules are sure of it."""
    is_refusal: bool = False
    is_empty: bool = False
    """Whether there is no text, or nothing but thoughts."""
    has_read_all: bool = True
    """Whether it comes from the whole text, and not only from an opening."""
    remark: str | None = None
    """Why there is no name, where the rules know."""
    snippet: str = ""
    """Where they are not sure: the sentences round the first words that may be the name."""
    candidates: tuple[str, ...] = ()
    """Where they are not sure: the names in the text, the likeliest first."""


class NameReader:
    """Mentions, their cues, persons, and the heaviest of these.

    `openings` are the lengths, in characters, of the beginnings to read: the next one only where
    the one before does not decide. None reads the whole text.
    """

    def __init__(self, words: NameLists, openings: Sequence[int] | None) -> None:
        self._words = words
        self._openings = openings
        self._text = OpeningText(words)
        self._mentions = MentionReader(words)
        self._refusals = RefusalReader(words)
        self._uncased = UncasedReader(words)

    def read(self, text: str) -> Reading:
        """The reading of a text, by the shortest of its openings that decides."""
        told = self._text.told(text)
        if not told:
            return Reading(is_empty=True)
        if len(told) <= _LONGEST_BARE and "\n" not in told:
            tokens = self._tokens(list(self._text.lines(told)))
            for token in tokens:
                token.is_first = False  # a text that is only a name has no sentences
            found = bare_name(tokens, list(self._mentions.mentions(tokens)), self._words)
            if found is not None:
                return Reading(found.name)
        reading, length = Reading(), 0
        for length in self._openings or (len(told),):
            reading = self._opening(told, length)
            if reading.is_decided or length >= len(told):
                break
        return reading if length >= len(told) else replace(reading, has_read_all=False)

    def _opening(self, told: str, length: int) -> Reading:
        lines = list(self._text.lines(told[:length]))
        tokens = self._tokens(lines)
        persons = persons_of(
            (mention, mention_weight(tokens, mention, self._words))
            for mention in self._mentions.mentions(tokens)
        )
        order = scored(persons)
        is_outright = bool(order) and order[0][1].weight >= OUTRIGHT
        if not is_outright:
            if self._refusals.is_refusal(told):
                return Reading(is_refusal=True)
            uncased = self._uncased.name(told[:length])
            if uncased is not None:
                return Reading(uncased)
        if not persons:
            return Reading()
        if order and _is_decided(order):
            name = self._full(order[0][1].best, told)
            return Reading(name, remark=None if name else SURNAME_ONLY)
        likely = [person for _, person in order]
        names = [self._full(person.best, told) for person in likely or persons]
        return Reading(
            names[0] if order and order[0][0] >= _GUESSED else None,
            is_decided=False,
            remark=None if names[0] or not order else SURNAME_ONLY,
            snippet=_snippet(lines, tokens, (likely or persons)[0]),
            candidates=tuple(name for name in names if name is not None),
        )

    def _tokens(self, lines: Sequence[Line]) -> list[Token]:
        return tokens_of(lines, self._words.abbreviations)

    def _full(self, mention: Mention, told: str) -> str | None:
        """The name, fuller where a first name has its surname further on.

        None for a surname behind a title: that is no full name, and has no gender of its own.
        """
        name = " ".join(mention.words)
        if mention.is_full:
            return name
        if mention.title is not None and mention.title not in self._words.given_titles:
            return None
        told = told[:_REST]
        for count, match in enumerate(re.finditer(rf"(?<!\w){re.escape(name)}\s", told)):
            if count >= _MOST_LOOKED_UP:
                break
            text = told[match.start() : match.start() + _LOOKED_AT].splitlines()[0]
            tokens = self._tokens([Line(LineKind.PROSE, text)])
            fuller = next(self._mentions.mentions(tokens), None)
            if fuller is None or fuller.start > 0 or not fuller.is_full:
                continue
            if mention_weight(tokens, fuller, self._words) > 0:
                return " ".join(fuller.words)
        return name


def _is_decided(order: Sequence[tuple[float, Person]]) -> bool:
    score, best = order[0]
    runner_up = order[1][0] if len(order) > 1 else float("-inf")
    if best.best.is_full and score >= _ALONE and runner_up < _GUESSED:
        return True
    return score >= _DECIDED and score - runner_up >= _MARGIN


def _snippet(lines: Sequence[Line], tokens: Sequence[Token], person: Person) -> str:
    """The sentence of a person's first mention, the one before it and the one after."""
    text = lines[tokens[person.first_place].line].text
    place = max(text.find(tokens[person.first_place].text), 0)
    starts = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]
    own = max(number for number, start in enumerate(starts) if start <= place)
    begin = starts[max(own - 1, 0)]
    begin = max(begin, place - _LONGEST_SNIPPET // 2)
    return text[begin : starts[min(own + 2, len(starts) - 1)]][:_LONGEST_SNIPPET].strip()
