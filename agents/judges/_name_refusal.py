"""Whether a text declines to tell a story."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.judges._name_lists import NameLists, fold

_LONGEST_READ = 600
_NEAR = r"(?:\s+[\w'-]+,?){0,3}?\s+"
_SAME_SENTENCE = r"[^.!?\n]{0,120}?"


class RefusalReader:
    """Finds refusals in the first lines of a text."""

    def __init__(self, words: NameLists) -> None:
        lists = words.refusals
        cannot, to_do = _any_of(lists["cannot"]), _any_of(lists["to_do"])
        request = _any_of(lists["request"])
        self._opening = re.compile(rf"\W*(?:well, |oh, )?{_any_of(lists['openings'])}\b")
        self._declines = re.compile(rf"\b{cannot}{_NEAR}{to_do}\b")
        self._declines_request = re.compile(
            rf"\W*{cannot}{_NEAR}{to_do}\b(?:\s+|{_SAME_SENTENCE}\s){request}\b"
        )

    def is_refusal(self, told: str) -> bool:
        """Whether it opens as a refusal does and then refuses, or refuses at once."""
        text = fold(told[:_LONGEST_READ])
        if self._declines_request.match(text):
            return True
        return self._opening.match(text) is not None and self._declines.search(text) is not None


def _any_of(phrases: Sequence[str]) -> str:
    longest_first = sorted(map(fold, phrases), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(phrase) for phrase in longest_first) + ")"
