"""What stands after a mention: "X, a botanist", "X had been a baker", "X's hands"."""

from __future__ import annotations

from collections.abc import Sequence

from agents.judges import _name_weights as weights
from agents.judges._name_lists import NameLists
from agents.judges._name_mentions import Mention
from agents.judges._name_tokens import Token
from agents.judges._name_weights import after_in_line, noun_weight

_LONGEST_AGE = 3
_PAUSES = frozenset(",–—-(:")
_BE_OR_HAVE = weights.BE | {"had", "has"}


def weight_after(tokens: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """How much the words after a mention say for it; below zero: against it."""
    after = after_in_line(tokens, mention.end)
    if not after:
        return 0.0
    nearest = after[0]
    if mention.is_possessive:
        return 0.0 if nearest.is_capital else weights.POSSESSIVE
    if nearest.text in _PAUSES and len(after) > 1:
        return _after_pause(nearest.text, after[1:], mention, words)
    if nearest.folded in _BE_OR_HAVE and _is_description(after, words):
        return weights.DESCRIBED
    return weights.VERB if _goes_on(nearest, after[1:2], words) else 0.0


def _goes_on(nearest: Token, following: Sequence[Token], words: NameLists) -> bool:
    """Whether somebody does something: "X sat", "X slowly sat", "X who", "X and Y"."""
    return (
        _is_verb(nearest, words)
        or nearest.folded == "who"
        or (nearest.folded == "and" and any(token.is_capital for token in following))
        or (nearest.folded.endswith("ly") and any(_is_verb(token, words) for token in following))
    )


def _after_pause(mark: str, after: Sequence[Token], mention: Mention, words: NameLists) -> float:
    nearest = after[0]
    if nearest.folded in words.places:
        return weights.PLACE if mention.title is None else 0.0
    if nearest.folded in words.appositions:
        nouns = {token.folded for token in after[1:4]}
        if nouns & words.no_person:
            return weights.RELATION
        return weights.PLACE if nouns & words.place_nouns else weights.APPOSITION
    if nearest.kind == "number":
        is_age = mark in ",(" and len(nearest.text) <= _LONGEST_AGE
        return weights.APPOSITION if is_age else 0.0
    return 0.0 if mark == "-" else noun_weight(nearest, weights.OCCUPATION, words)


def _is_description(after: Sequence[Token], words: NameLists) -> bool:
    """Whether it goes on as "was a baker" or "had been the baker" does."""
    said = next((token for token in after if token.folded not in _BE_OR_HAVE), None)
    return said is not None and said.folded in words.appositions


def _is_verb(token: Token, words: NameLists) -> bool:
    return token.folded in words.verbs or token.folded.endswith("ed")
