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
_LONGEST_DESCRIPTION = 8
_LONGEST_BRACKET = 10
_LONGEST_SENTENCE = 40
_A = frozenset({"a", "an"})
_PRONOUNS = frozenset({"he", "she", "they"})
_PARTICIPLES = ("ed", "ing")
_MODIFIERS = frozenset({"only", "very", "most", "more", "same", "other", "still", "once", "then"})
_BE_OR_HAVE = weights.BE | {"had", "has"}


def weight_after(tokens: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """How much the words after a mention say for it; below zero: against it."""
    weight = _by_next_words(tokens, mention.end, mention, words)
    # Behind a quotation: "a bicycle called X" has no speaker.
    is_speaker = (
        mention.start > 1
        and tokens[mention.start - 1].folded in words.speech
        and tokens[mention.start - 2].kind == "mark"
    )
    if (weight > 0 or is_speaker) and _is_continued(tokens, mention.end):
        weight += weights.CONTINUED
    return weight


def _by_next_words(
    tokens: Sequence[Token], place: int, mention: Mention, words: NameLists
) -> float:
    after = after_in_line(tokens, place)
    if not after:
        return 0.0
    nearest = after[0]
    if mention.is_possessive:
        return 0.0 if nearest.is_capital else weights.POSSESSIVE
    if nearest.text in _PAUSES and len(after) > 1:
        weight = _after_pause(tokens, place, mention, words)
        closing = None if weight or nearest.text != "(" else _closing(tokens, place)
        return weight if closing is None else _by_next_words(tokens, closing, mention, words)
    if nearest.folded in _BE_OR_HAVE and _is_description(after, words):
        return weights.DESCRIBED
    return weights.VERB if _goes_on(nearest, after[1:2], words) else 0.0


def _closing(tokens: Sequence[Token], place: int) -> int | None:
    """The place behind the bracket that closes the one here; None where none does soon."""
    line = tokens[place].line
    for end in range(place + 1, min(place + _LONGEST_BRACKET, len(tokens))):
        if tokens[end].line == line and tokens[end].text == ")":
            return end + 1
    return None


def _is_continued(tokens: Sequence[Token], place: int) -> bool:
    """Whether the next sentence of the line opens with the pronoun of a person."""
    for token in after_in_line(tokens, place, _LONGEST_SENTENCE):
        if token.is_first:
            return token.folded in _PRONOUNS and not token.is_quoted
    return False


def _goes_on(nearest: Token, following: Sequence[Token], words: NameLists) -> bool:
    """Whether somebody does something: "X sat", "X slowly sat", "X who", "X and Y"."""
    return (
        _is_verb(nearest, words)
        or nearest.folded == "who"
        or (nearest.folded == "and" and any(token.is_capital for token in following))
        or (nearest.folded.endswith("ly") and any(_is_verb(token, words) for token in following))
    )


def _after_pause(tokens: Sequence[Token], place: int, mention: Mention, words: NameLists) -> float:
    mark, nearest = tokens[place].text, tokens[place + 1]
    if nearest.folded in words.places:
        return weights.PLACE if mention.title is None else 0.0
    if nearest.folded in words.appositions:
        described = after_in_line(tokens, place + 2, _LONGEST_DESCRIPTION)
        noun = _head_noun(described, words)
        if noun in words.no_person:
            is_job = nearest.folded in _A and described[0].is_possessive
            return weights.APPOSITION if is_job and noun in words.relations else weights.RELATION
        return weights.PLACE if noun in words.place_nouns else weights.APPOSITION
    if nearest.kind == "number":
        is_age = mark in ",(" and len(nearest.text) <= _LONGEST_AGE
        return weights.APPOSITION if is_age else 0.0
    return 0.0 if mark == "-" else noun_weight(nearest, weights.OCCUPATION, words)


def _head_noun(described: Sequence[Token], words: NameLists) -> str | None:
    """What a description says that somebody is: "teacher" of "new high school teacher at".

    Words in the genitive and capitals only tell which one: "the town's only baker", "a New York
    firefighter". None where it goes on otherwise ("owner of the bakery", "known as").
    """
    nouns: list[str] = []
    for token in described:
        if token.is_possessive:
            nouns.clear()
        elif token.is_capital or token.kind == "number" or token.folded in _MODIFIERS:
            continue
        elif _ends_description(token, words) or (token.folded in words.verbs and nouns):
            break
        else:
            nouns.append(token.folded)
    if len(nouns) > 1 and nouns[-1].endswith(_PARTICIPLES):
        nouns.pop()  # "a village nestled between"
    return nouns[-1] if nouns else None


def _ends_description(token: Token, words: NameLists) -> bool:
    return token.kind != "word" or token.folded in words.function_words


def _is_description(after: Sequence[Token], words: NameLists) -> bool:
    """Whether it goes on as "was a baker" or "had been the baker" does."""
    said = next((token for token in after if token.folded not in _BE_OR_HAVE), None)
    return said is not None and said.folded in words.appositions


def _is_verb(token: Token, words: NameLists) -> bool:
    return token.folded in words.verbs or token.folded.endswith("ed")
