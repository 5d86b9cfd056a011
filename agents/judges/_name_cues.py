"""How much one mention says that its words are the protagonist's name."""

from __future__ import annotations

from collections.abc import Sequence

from agents.judges import _name_weights as weights
from agents.judges._name_after import weight_after
from agents.judges._name_before import weight_before
from agents.judges._name_lines import LineKind
from agents.judges._name_lists import NameLists
from agents.judges._name_mentions import Mention
from agents.judges._name_tokens import Token
from agents.judges._name_weights import after_in_line, before_in_line

_MUCH_LESS = 4


def mention_weight(tokens: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """The weight of a mention: its line, its neighbours, its own form and its titles."""
    line = _line(tokens, mention)
    before = weight_before(tokens, mention, words)
    form = _form(tokens, mention, words)
    if form == weights.PLACE and max(line, before) < weights.OUTRIGHT:
        return form
    said = line + before + weight_after(tokens, mention, words)
    # "Clara Hill smiled" is said of a person, "Signal Hill" may be a place.
    is_person = said > 0 or mention.title is not None
    weight = said + (form / _MUCH_LESS if is_person else form)
    weight += weights.FULL if mention.is_full else 0.0
    weight += _title(mention, words)
    weight += weights.DEGREE if mention.has_degree else 0.0
    return weight + (weights.QUOTED if tokens[mention.name_start].is_quoted else 0.0)


def _line(tokens: Sequence[Token], mention: Mention) -> float:
    opens_line = not before_in_line(tokens, mention.start)
    match tokens[mention.start].line_kind:
        case LineKind.NAME:
            return weights.HEADED if opens_line else 0.0
        case LineKind.SIGNATURE:
            return weights.SIGNATURE if opens_line else 0.0
        case LineKind.TITLE:
            return weights.TITLE_LINE
        case LineKind.OTHER:
            return weights.OTHER_LINE
        case LineKind.PROSE:
            return 0.0


def _form(tokens: Sequence[Token], mention: Mention, words: NameLists) -> float:
    """The weight of the words themselves, which may be those of a place, a house or a firm."""
    before = next(iter(before_in_line(tokens, mention.start)), None)
    after = next(iter(after_in_line(tokens, mention.end)), None)
    last = mention.folded[-1]
    if "&" in (before and before.text, after and after.text):
        return weights.PLACE
    if mention.title is None and (
        mention.folded[0].split("-")[0] in words.places_first
        or (before is not None and _makes_place(before, last, words))
    ):
        return weights.PLACE
    if last in words.places_or_surnames and mention.is_full:
        return weights.SURNAME_OR_PLACE
    # "Rosie's Diner"
    is_thing = after is not None and after.is_capital and after.kind == "word"
    is_house = mention.is_possessive and is_thing
    return weights.PLACE if is_house or last in words.places_last else 0.0


def _makes_place(before: Token, last: str, words: NameLists) -> bool:
    return (
        before.folded in words.places_first
        or before.folded in weights.ARTICLES
        or before.is_possessive
        or (before.folded in words.before_places and last in words.places_or_surnames)
    )


def _title(mention: Mention, words: NameLists) -> float:
    if mention.title is None:
        return 0.0
    if not mention.is_full:
        return 0.0 if mention.title in words.given_titles else weights.SURNAME_ONLY
    return weights.COURTESY if mention.title in words.courtesy else weights.TITLE
