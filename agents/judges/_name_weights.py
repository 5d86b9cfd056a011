"""How much each thing that stands round a mention says for or against it, and what they share.

The numbers are own choices: outright statements above all else, then what says what somebody is,
then what somebody does; a place or a relation outweighs any of the last two.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.judges._name_lists import NameLists
from agents.judges._name_tokens import Token

OUTRIGHT = 6.0
"""From this weight on somebody's name is given in so many words."""
NOBODY = -4.0
"""Down to this weight a mention is of a place, a thing or somebody else."""
FULL = 3.0
"""Of a name of more than one word."""

HEADED, FIRST_PERSON, SIGNATURE, NAMED = 12.0, 9.0, 7.0, OUTRIGHT
DESCRIBED, APPOSITION, OCCUPATION = 5.0, 4.0, 2.5
DEGREE, VERB, TITLE, POSSESSIVE = 3.0, 2.0, 1.5, 1.5
CONTINUED = 1.5
"""The next sentence goes on with a pronoun: "X sat down. She was tired"."""
ASKED, ADDRESSED = OUTRIGHT + 3.0, OUTRIGHT + 2.0
"""Spoken, and yet given outright; being quoted takes some of it away."""
ON_DOOR = 5.0
"""Less than outright: what is written on a door may be a firm's name."""
COURTESY, EPITHET, SURNAME_ONLY, SURNAME_OR_PLACE = -1.0, -1.5, -3.0, -1.5
FULL_SPOKEN, SPOKEN, QUOTED = -0.5, -2.0, -2.0
OF_ONE_WORD, PREPOSITION, PLACE_PREPOSITION = -1.0, -1.5, -3.0
SECOND = -3.0
"""The second of two that "and" joins."""
PLACE, RELATION, TITLE_LINE, OTHER_LINE = NOBODY, -5.0, -6.0, -7.0

ARTICLES = frozenset({"the", "this", "these", "those"})
BE = frozenset({"is", "was", "are", "been", "being", "be"})

_SHORTEST_NOUN = 3
_NO_NOUN_ENDINGS = ("ed", "ing", "ly")
_NEIGHBOURS = 6


def noun_weight(token: Token, weight: float, words: NameLists) -> float:
    """The weight of a noun that says what somebody is ("a tailor, X"); 0 for any other word."""
    noun = token.folded
    if noun in words.relations:
        return RELATION
    is_noun = (
        token.kind == "word"
        and not token.is_capital
        and len(noun) >= _SHORTEST_NOUN
        and noun not in words.function_words
        and noun not in words.verbs
        and noun not in words.place_nouns
        and not noun.endswith(_NO_NOUN_ENDINGS)
    )
    return weight if is_noun else 0.0


def before_in_line(tokens: Sequence[Token], place: int) -> list[Token]:
    """The tokens before a place, nearest first, up to the line's beginning; six at most."""
    line = tokens[place].line
    span = tokens[max(0, place - _NEIGHBOURS) : place]
    return [token for token in reversed(span) if token.line == line]


def after_in_line(tokens: Sequence[Token], place: int, most: int = _NEIGHBOURS) -> list[Token]:
    """The tokens from a place on, up to the line's end; six at most."""
    line = tokens[place - 1].line
    return [token for token in tokens[place : place + most] if token.line == line]
