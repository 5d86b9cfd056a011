"""Texts that are nothing but a name, or a word for none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.judges._name_lists import NameLists
from agents.judges._name_mentions import Mention
from agents.judges._name_tokens import Token

_QUOTES = frozenset("\"'“”‘’«»")
_STOPS = frozenset(".,;")


@dataclass(frozen=True, slots=True)
class BareName:
    """What such a text names: nobody where `name` is None."""

    name: str | None


def bare_name(
    tokens: Sequence[Token], mentions: Sequence[Mention], words: NameLists
) -> BareName | None:
    """The name that the text consists of, given names first; None where there is more to it."""
    if "".join(token.folded for token in tokens) in words.never:  # "N/A"
        return BareName(None)
    first = 0
    # What stands in brackets behind it is a remark: "(the main character)".
    end = next(
        (place for place, token in enumerate(tokens) if token.text == "(" and place), len(tokens)
    )
    mentions = [mention for mention in mentions if mention.start < end]
    while end - first > 1 and tokens[end - 1].text in _STOPS | _QUOTES:
        end -= 1
    while first < end and tokens[first].text in _QUOTES:
        first += 1
    if not mentions:
        is_none = all(token.kind == "mark" or token.folded in words.never for token in tokens)
        return BareName(None) if is_none else None
    if mentions[0].start != first or mentions[-1].end != end:
        return None
    if len(mentions) == 1:
        title = mentions[0].title
        is_surname = not mentions[0].is_full and title is not None
        if is_surname and title not in words.given_titles:
            return BareName(None)
        return BareName(" ".join(mentions[0].words))
    surname, given = mentions[0], mentions[-1]
    is_inverted = (
        len(mentions) == 2 and surname.end + 1 == given.start and tokens[surname.end].text == ","
    )
    return BareName(" ".join(given.words + surname.words)) if is_inverted else None
