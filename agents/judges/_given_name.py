"""Which word of a name is the given one, by titles, initials and the order of East Asian names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.judges._gender_rules import GenderRules, plain
from agents.judges._given_words import SURNAME_ONLY, name_words

TITLE_ONLY = "title only"
INITIALS_ONLY = "initials only"
ORDER_UNKNOWN = "order of the names not known"
EAST_ASIAN = "East Asian name"
EAST_ASIAN_ORDER = "East Asian name, order not known"

_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.){1,4}[^\W\d_]?\.?|[B-DF-HJ-NP-TV-Z]{2,3}")


@dataclass(frozen=True, slots=True)
class GivenName:
    """A given name as it is to be looked up."""

    spellings: tuple[str, ...]
    """The first of them that is known counts."""
    full: str
    """The whole name, given name first, without titles."""
    must_be_certain: bool = False
    """Whether it is one that the table knows only as a mixture of many."""
    remark: str | None = None


def given_name(text: str, rules: GenderRules) -> GivenName | str:
    """The given name in an answer that should be a name, or why there is none."""
    found = name_words(text, rules)
    if isinstance(found, str):
        return found
    words, title = _without_titles(list(found.words), rules)
    if not words:
        return TITLE_ONLY
    named = list(itertools.dropwhile(_INITIAL.fullmatch, words))
    if not named:
        return INITIALS_ONLY
    is_told = found.given_comes_first
    if _is_surname(named, rules, has_initial=len(named) < len(words), is_told=is_told):
        return SURNAME_ONLY
    named = [word.strip("'.-").removesuffix("'s") or word for word in named]
    if len(named) == 1:
        return _single(named[0], title, rules)
    return _western(named, rules) if is_told else _of_several(named, rules)


def _is_surname(
    named: Sequence[str], rules: GenderRules, *, has_initial: bool, is_told: bool
) -> bool:
    """Whether what follows titles and initials holds no given name: "J. Smith", "de la Cruz"."""
    if has_initial:
        return is_told or len(named) == 1
    is_small = named[0][0].islower()
    return is_small and len(named) > 1 and plain(named[0]) in rules.surnames["particles"]


def _without_titles(words: list[str], rules: GenderRules) -> tuple[list[str], str | None]:
    """The words after all titles, and the list that holds the last of these."""
    last = None
    while words:
        word = plain(words[0])
        title = next((name for name, known in rules.titles.items() if word in known), None)
        if title is None or (word in rules.titles["also_given"] and len(words) < 3):
            break
        last = title
        del words[0]
    return words, last


def _single(word: str, title: str | None, rules: GenderRules) -> GivenName | str:
    """A name of one word: a surname where a title says so, or where it is hardly ever another."""
    known = plain(word)
    surnames = rules.surnames["only"] | rules.east_asian_surnames
    if title == "before_either":
        surnames |= rules.surnames["also_given"] | rules.east_asian["also_given"]
    if title == "before_surname" or known in surnames:
        return SURNAME_ONLY
    return _looked_up([word], word, must_be_certain=rules.is_telling(known))


def _of_several(words: list[str], rules: GenderRules) -> GivenName | str:
    """A name of two or more words in their usual order, whichever that is."""
    first, last = plain(words[0]), plain(words[-1])
    surnames, also_given = rules.east_asian_surnames, rules.east_asian["also_given"]
    if first in surnames:
        is_given_last = last not in surnames or last in rules.east_asian["vietnamese"]
        return _surname_first(words, rules) if is_given_last else EAST_ASIAN_ORDER
    rest = "".join(map(plain, words[1:]))
    if first in also_given and (len(words) > 2 or last not in surnames | also_given):
        if rules.is_korean_pair(rest):
            return _surname_first(words, rules)
        if rules.sounds_east_asian(rest):
            return EAST_ASIAN_ORDER
    return ORDER_UNKNOWN if first in rules.surnames["only"] else _western(words, rules)


def _western(words: Sequence[str], rules: GenderRules) -> GivenName:
    """A name with its given name first."""
    first = plain(words[0])
    also_given = rules.east_asian["also_given"]
    has_surname = plain(words[-1]) in rules.east_asian_surnames | also_given
    is_east_asian = has_surname and first not in also_given and rules.sounds_east_asian(first)
    return _looked_up(
        words[:1],
        " ".join(words),
        must_be_certain=is_east_asian or rules.is_telling(first),
    )


def _surname_first(words: Sequence[str], rules: GenderRules) -> GivenName:
    """A name with its surname first."""
    surname, *given = words
    if plain(surname) in rules.east_asian["surnames_before_middle_name"]:
        given = given[-1:]
    sound = [rules.sounds_east_asian(plain(word)) for word in given]
    if not all(sound):
        given = given[:1]
    return _looked_up(
        given,
        f"{'-'.join(given)} {surname}",
        must_be_certain=sound[0],
        remark=EAST_ASIAN,
    )


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def _looked_up(
    given: Sequence[str],
    full: str,
    *,
    must_be_certain: bool,
    remark: str | None = None,
) -> GivenName:
    """The spellings under which a table may know a given name of one or more words."""
    joined = "-".join(given)
    other = joined.replace("-", "") if must_be_certain else joined.split("-")[0]
    # A part before a hyphen may be a sign by itself: no name.
    spellings = tuple(dict.fromkeys((joined, *([other] if _has_letter(other) else []))))
    return GivenName(spellings, full, must_be_certain=must_be_certain, remark=remark)
