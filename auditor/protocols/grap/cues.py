"""Words that give a level of the contrast away: finding them, and masking them.

A judge that sees only the response could read off the asker's level from the name, "as a woman"
or a pronoun. Masked, a text says at most that such a word stood there, not which level's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from auditor.protocols.grap.contrast import PLACES, Contrast

NAME = "[name]"
"""Stands in place of a given name."""

_APOSTROPHES = str.maketrans("’ʼ＇", "'''")
_WORD = re.compile(r"\w+(?:'\w+)?")


def cues_in(text: str, contrast: Contrast) -> list[str]:
    """The contrast's cue words in a text, as they stand there, in their order."""
    return _lexicon(_pairs(contrast)).found(text.translate(_APOSTROPHES))


def mask(text: str, names: Iterable[str], contrast: Contrast) -> str:
    """The text with each name as "[name]" and each cue as its neutral text.

    Names and cues are whole words: "Maria's" loses its name, "Mariana" does not. Names count with
    a capital at the beginning only, cues however they are written; a cue with a capital gets a
    neutral text with one. A possessive keeps its ending. Typographic apostrophes become straight
    ones. A text that is masked already stays as it is. Other spellings, nicknames, surnames and
    what a text says in other words are not found.
    """
    masked = text.translate(_APOSTROPHES)
    known = {name.strip().translate(_APOSTROPHES) for name in names} - {""}
    words = frozenset(name.lower() for name in known if _WORD.fullmatch(name))
    for name in sorted(known, key=lambda name: (-len(name), name)):
        if name.lower() not in words:
            masked = _name_pattern(name).sub(_masked_name, masked)
    return _lexicon(_pairs(contrast)).masked(masked, words)


def name_in(prompt: str, contrast: Contrast) -> str | None:
    """The name that a prompt of this contrast gives; None where it has another wording."""
    found = _wording(contrast.prompt).fullmatch(prompt.strip())
    return found["name"].strip() if found else None


def _masked_name(found: re.Match[str]) -> str:
    return NAME if found[0][:1].isupper() else found[0]


@lru_cache(maxsize=4096)
def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _pairs(contrast: Contrast) -> tuple[tuple[str, str], ...]:
    return tuple((cue, neutral) for neutral, cues in contrast.cues.items() for cue in cues)


@lru_cache(maxsize=8)
def _lexicon(pairs: tuple[tuple[str, str], ...]) -> _Lexicon:
    return _Lexicon(pairs)


class _Lexicon:
    """Cues with their neutral texts: single words are looked up, phrases searched for."""

    def __init__(self, pairs: tuple[tuple[str, str], ...]) -> None:
        neutral = {" ".join(cue.split()): text for cue, text in pairs}
        self._words = {cue: text for cue, text in neutral.items() if _WORD.fullmatch(cue)}
        self._stems = {cue[:-1]: text for cue, text in neutral.items() if cue.endswith("*")}
        self._any_stem = tuple(self._stems)
        self._phrases = {
            cue: text
            for cue, text in neutral.items()
            if cue not in self._words and not cue.endswith("*")
        }
        forms = sorted(self._phrases, key=lambda cue: (-len(cue), cue))
        either = "|".join(r"\s+".join(map(re.escape, cue.split())) for cue in forms)
        self._phrase = re.compile(rf"(?<!\w)(?:{either or '(?!)'})(?!\w)", re.IGNORECASE)

    def found(self, text: str) -> list[str]:
        places: list[tuple[int, str]] = []

        def note(found: re.Match[str]) -> None:
            places.append((found.start(), found[0]))

        for phrase in self._phrase.finditer(text):
            note(phrase)
        for word in _WORD.finditer(text):
            if self._neutral(word[0]) is not None:
                note(word)
        return [cue for _, cue in sorted(places)]

    def masked(self, text: str, names: frozenset[str]) -> str:
        def one(found: re.Match[str]) -> str:
            word = found[0]
            name, apostrophe, ending = word.partition("'")
            if word[0].isupper() and not names.isdisjoint((word.lower(), name.lower())):
                return NAME if word.lower() in names else NAME + apostrophe + ending
            return self._neutral(word) or word

        text = self._phrase.sub(
            lambda found: _like(found[0], self._phrases[" ".join(found[0].lower().split())]), text
        )
        return _WORD.sub(one, text)

    def _neutral(self, word: str) -> str | None:
        folded = word.lower()
        if folded in self._words:
            return _like(word, self._words[folded])
        bare, apostrophe, ending = folded.partition("'")
        if apostrophe and bare in self._words:
            return _like(word, self._words[bare]) + apostrophe + ending
        if folded.startswith(self._any_stem):
            stem = next(stem for stem in self._any_stem if folded.startswith(stem))
            return _like(word, self._stems[stem])
        return None


def _like(found: str, neutral: str) -> str:
    return neutral[:1].upper() + neutral[1:] if found[:1].isupper() else neutral


@lru_cache(maxsize=8)
def _wording(prompt: str) -> re.Pattern[str]:
    parts = re.split("|".join(map(re.escape, PLACES)), prompt)
    places = re.findall("|".join(map(re.escape, PLACES)), prompt)
    pattern = re.escape(parts[0])
    for place, rest in zip(places, parts[1:], strict=True):
        ends = "" if place == "{instruction}" else "?"
        pattern += rf"(?P<{place.strip('{}')}>.+{ends}){re.escape(rest)}"
    return re.compile(pattern.strip(), re.DOTALL)
