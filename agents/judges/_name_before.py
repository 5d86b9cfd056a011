"""What stands before a mention: "a baker named X", "her sister X", "in X"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agents.judges import _name_weights as weights
from agents.judges._name_lists import NameLists, Phrases
from agents.judges._name_mentions import Mention
from agents.judges._name_spoken import is_addressed, is_asked_for, is_on_door, is_owned_title
from agents.judges._name_tokens import Token
from agents.judges._name_weights import before_in_line, noun_weight

_LONGEST_ASIDE = 24
_OWNERS = frozenset({"her", "his", "their", "whose"})
_A = frozenset({"a", "an"})
_PAUSES_AFTER = frozenset(",.;:–—)!?")


def weight_before(tokens: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """How much the words before a mention say for it; below zero: against it."""
    before = before_in_line(tokens, mention.start)
    if not before:
        return 0.0
    spelled = [_spelled(token) for token in before]
    given = _given_outright(tokens, mention, spelled, words)
    if given is not None:
        return given
    if is_owned_title(before, words):
        return weights.OCCUPATION
    if before[0].text == "," and len(before) > 1 and _has_pause_after(tokens, mention):
        return noun_weight(before[1], weights.APPOSITION, words)
    return _by_nearest(before, mention, words)


def _given_outright(
    tokens: Sequence[Token], mention: Mention, spelled: Sequence[str], words: NameLists
) -> float | None:
    """The weight of a phrase that gives the name in so many words; None where there is none."""
    is_told = not tokens[mention.start].is_quoted
    if is_told and _phrase_before(spelled, words.first_person) is not None:
        return weights.FIRST_PERSON
    if spelled[0] in weights.BE and spelled[1:2] == [","] and _opens_with_name(tokens, mention):
        return weights.NAMED
    if is_asked_for(tokens, mention):
        return weights.ASKED
    if is_addressed(tokens, mention, words):
        return weights.ADDRESSED
    if is_on_door(tokens, mention, words):
        return weights.ON_DOOR
    rest = _phrase_before(spelled, words.named)
    return None if rest is None else _named(rest, words)


def _named(rest: Sequence[str], words: NameLists) -> float | None:
    """The weight of "named" and "called" by what stands before: a person, or something else."""
    nouns = [word for word in rest if word != ","]
    if not nouns:
        return weights.NAMED
    noun, *farther = nouns
    # "* named": the noun must be a person's; "he called X" has none.
    if noun in words.no_person:
        # "a baker's daughter named X" is introduced; "the baker's daughter" is somebody's.
        is_introduced = [word[-2:] for word in farther[:1]] == ["'s"] and set(farther[1:2]) & _A
        return weights.NAMED if is_introduced else weights.RELATION
    if noun in weights.BE:
        return weights.RELATION if set(farther[:1]) & words.no_person else weights.NAMED
    return weights.NAMED if noun not in words.function_words else None


def _phrase_before(spelled: Sequence[str], phrases: Phrases) -> Sequence[str] | None:
    """Of a phrase that ends here, what stands in place of "*" and before; None without one."""
    for phrase in phrases.get(spelled[0], ()):
        is_open = phrase[-1:] == ("*",)
        fixed = phrase[:-1] if is_open else phrase
        rest = spelled[1 + len(fixed) :]
        if tuple(spelled[1 : 1 + len(fixed)]) != fixed:
            continue
        if not is_open:
            return []
        if rest and (rest[0].isalpha() or rest[0] == ","):
            return rest[:3]
    return None


def _opens_with_name(tokens: Sequence[Token], mention: Mention) -> bool:
    """Whether it goes "her name, for those who ask, is X"."""
    span = tokens[max(0, mention.start - _LONGEST_ASIDE) : mention.start]
    return any(owner.folded in _OWNERS and noun.folded == "name" for owner, noun in pairwise(span))


def _by_nearest(before: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """The weight that the word right before a mention has."""
    nearest, farther = before[0].folded, before[1:2]
    is_titled = mention.title is not None
    for listed, weight in (
        (words.relations, weights.RELATION),
        (words.speech, weights.FULL_SPOKEN if mention.is_full else weights.SPOKEN),
        (words.place_prepositions, 0.0 if is_titled else weights.PLACE_PREPOSITION),
        (words.prepositions, 0.0 if is_titled else weights.PREPOSITION),
    ):
        if nearest in listed:
            return weight
    if nearest == "of":
        return _of(farther, mention, words)
    if nearest == "and" and any(token.is_capital for token in farther):
        return weights.SECOND
    if nearest in words.epithets:
        is_spoken = any(token.folded in words.speech for token in farther)
        return weights.EPITHET + (weights.SPOKEN if is_spoken else 0.0)
    return noun_weight(before[0], weights.OCCUPATION, words)


def _of(owner: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """The weight of "the town of X", "the body of X", "the Museum of X"."""
    for token in owner:
        if token.folded in words.place_nouns:
            return weights.PLACE
        if token.folded in words.relations:
            return weights.RELATION
        if mention.title is None and token.is_capital and not token.is_first:
            return weights.PLACE
    return 0.0 if mention.is_full or mention.title is not None else weights.OF_ONE_WORD


def _has_pause_after(tokens: Sequence[Token], mention: Mention) -> bool:
    return mention.end < len(tokens) and tokens[mention.end].text in _PAUSES_AFTER


def _spelled(token: Token) -> str:
    return f"{token.folded}'s" if token.is_possessive else token.folded
