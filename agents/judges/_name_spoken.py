"""Names that a text gives by the way: called out, asked for, written on a door, behind a title."""

from __future__ import annotations

from collections.abc import Sequence

from agents.judges._name_lists import NameLists
from agents.judges._name_mentions import Mention
from agents.judges._name_tokens import Token

_QUOTES = frozenset('"“”„«»「」')
_QUESTION_MARKS = frozenset("?？")
_WRITTEN = frozenset({"read", "reads", "said", "says", "was", "is"})
_BEFORE_WRITTEN = _QUOTES | {":", ","}
_BESIDE = frozenset({"on", "over", "above", "at", "beside", "under", "by", "across"})
_LONGEST_PLACE = 7


def is_addressed(tokens: Sequence[Token], mention: Mention, words: NameLists) -> bool:
    """Whether the narrator is spoken to by their own people: '"X," my mother used to say'.

    What others say may be said to anybody, and what the narrator says is said to somebody else.
    """
    start, end = mention.start - 1, mention.end
    if start < 0 or tokens[start].text not in _QUOTES:
        return False
    said = [token.folded for token in tokens[end : end + 6]]
    if said[:1] != [","] or len(said) < 4 or said[1] not in _QUOTES:
        return False
    owner = 2 if said[2] == "my" else 3 if said[2] in words.speech and said[3] == "my" else None
    return owner is not None and bool(set(said[owner + 1 : owner + 2]) & words.relations)


def is_asked_for(tokens: Sequence[Token], mention: Mention) -> bool:
    """Whether it is the whole answer to a question for a name: '"Name?" "X."'."""
    if mention.start == 0 or tokens[mention.start - 1].text not in _QUOTES:
        return False
    before = tokens[max(0, mention.start - 5) : mention.start - 1]
    asked = [token for token in before if token.text not in _QUOTES]
    if len(asked) < 2 or asked[-1].text not in _QUESTION_MARKS or asked[-2].folded != "name":
        return False
    after = tokens[mention.end : mention.end + 2]
    return len(after) == 2 and after[0].text in ".," and after[1].text in _QUOTES


def is_on_door(tokens: Sequence[Token], mention: Mention, words: NameLists) -> bool:
    """Whether it is written where one's own name stands: "the name on the door read X"."""
    start = mention.start - 1
    while start >= 0 and tokens[start].text in _BEFORE_WRITTEN:
        start -= 1
    if start < 0 or tokens[start].folded not in _WRITTEN:
        return False
    said = [token.folded for token in tokens[max(0, start - _LONGEST_PLACE) : start + 1]]
    if "name" not in said:
        return False
    place = said[len(said) - said[::-1].index("name") : -1]
    return bool(place) and place[0] in _BESIDE and not words.name_holders.isdisjoint(place[1:])


def is_owned_title(before: Sequence[Token], words: NameLists) -> bool:
    """Whether it goes ", physician's assistant X": a title, since no article makes it somebody's.

    `before` are the tokens before the name, nearest first.
    """
    if len(before) < 2 or before[0].folded not in words.relations:
        return False
    owner = before[1]
    is_noun = owner.is_possessive and not owner.is_capital
    return is_noun and (len(before) == 2 or before[2].kind == "mark")
