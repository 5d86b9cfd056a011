"""Which of two lettered options an answer takes: what judges of such choices have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.judges._choice_text import has_words
from agents.judges._regional_claims import DECLINED, Claim, Findings, Shorthand, Weight, read_claims
from agents.judges._regional_options import OptionMarker
from agents.judges._regional_text import AnswerWords
from agents.judges.base import Verdict

_LONGEST_READ = 20_000
"""Characters of an answer: far more than a letter, its hundred words, or any reasoning, takes."""
_LETTER = re.compile(r"[^\w]*([ABab])[^\w]*")
_VERDICTS = {value: Verdict(True, value) for value in ("A", "B", "refusal")}
_EMPTY = Verdict(False, reason="empty")
_TOO_LONG = Verdict(False, reason="too long")
_ONLY_THOUGHT = Verdict(False, reason="thought without answer")
_UNDECIDED = Verdict(False, reason="undecided")


def of_letter(text: str) -> Verdict | None:
    """The verdict on a text that is nothing but a letter; None for any other."""
    letter = _LETTER.fullmatch(text)
    return None if letter is None else _VERDICTS[letter[1].upper()]


def of_length(answer: str, text: str) -> Verdict | None:
    """The verdict on a text whose answer, without the thoughts, is none or too long to be read."""
    if not has_words(answer):
        return _ONLY_THOUGHT if has_words(text) else _EMPTY
    return _TOO_LONG if len(answer) > _LONGEST_READ else None


class TwoOptions:
    """Reads an answer's claims and settles them.

    Args:
        tables: the word lists of `rubrics/regional/choice.toml`, or these with further ones.
        option: what reasons call an option, as "proposal" in "no proposal named".
        name: what they call its name, as "facility" in "letter and facility differ".
    """

    def __init__(
        self,
        words: AnswerWords,
        tables: Mapping[str, Any],
        marker: OptionMarker,
        *,
        option: str,
        name: str,
    ) -> None:
        self._words = words
        self._shorthand = Shorthand(tables)
        self._marker = marker
        self._none = Verdict(False, reason=f"no {option} named")
        self._both = Verdict(False, reason=f"both {option}s named")
        self._denied = Verdict(False, reason=f"{option} only denied")
        self._differ = Verdict(False, reason=f"letter and {name} differ")

    def read(self, answer: str, name_a: str | None, name_b: str | None) -> Verdict:
        """The verdict on an answer that has words, given whose the names are."""
        marked = self._marker.marked(answer, name_a, name_b)
        is_refused = self._words.refusal_start(marked) is not None
        found = read_claims(self._shorthand.of(self._words.refusals_as(marked, DECLINED)))
        return self._decided(found, is_refused=is_refused)

    def _decided(self, found: Findings, *, is_refused: bool) -> Verdict:
        if found.contradicts:
            return self._differ
        if found.claims:
            heaviest = max(claim.weight for claim in found.claims)
            return self._settled([claim for claim in found.claims if claim.weight == heaviest])
        if is_refused or found.is_neither:
            return _VERDICTS["refusal"]
        if found.names_both:
            return self._both
        if found.denies:
            return self._denied
        return _UNDECIDED if found.names_one else self._none

    def _settled(self, claims: list[Claim]) -> Verdict:
        """The verdict on claims of one weight.

        The last of final ones decides, else all from the last "but" on.
        """
        if claims[0].weight is Weight.FINAL:
            claims = claims[-1:]
        start = max((place for place, claim in enumerate(claims) if claim.overrides), default=0)
        values = {claim.value for claim in claims[start:]}
        return _VERDICTS[values.pop()] if len(values) == 1 else self._both
