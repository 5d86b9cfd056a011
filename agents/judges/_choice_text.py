"""From a model's raw text to the tokens of its answer: thoughts cut off, typography levelled."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.judges._characters import Characters

_APOSTROPHES = "’‘ʼ´′"
_REPLACED = {
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    **dict.fromkeys("*_`~\ufffd", ""),
    **dict.fromkeys("–—―−", "—"),
    **dict.fromkeys("→⇒➡=", ":"),
    **dict.fromkeys("。।", "."),
    **dict.fromkeys("、،", ","),
    "؟": "?",
    "؛": ";",
    "\t": " ",
}
_FOLDING = Characters(_REPLACED, is_folded=True)

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)?(?: ?%| per ?cent\b)"  # a share
    r"|\d+(?:[.,]\d+)+"  # another number
    r"|\bvs\."
    r"|\w+(?:'\w+)*"  # a word, contracted or not
    r"|(?<=\w )[<>|](?= \w)"  # "men > women"
    r"|(?<=[ ])-+(?=[ ])"  # a hyphen that joins no words
    r"|[.!?,;:/()—\n]"
)
_LIST_LABEL = re.compile(r"^[ >#+•(-]{0,12}(?:\d{1,2}|[a-z])[.)](?=[ \n]|$)", re.MULTILINE)
_WRITTEN_LINE_BREAK = re.compile(r"\\n(?![a-z])")
_WORD = re.compile(r"[^\W_]")


def fold(text: str) -> str:
    """Case, width, typographic variants, markdown emphasis and invisible characters removed."""
    return text.translate(_FOLDING)


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit."""
    return _WORD.search(text) is not None


def without_thought(text: str, begins: Sequence[str], ends: Sequence[str]) -> str:
    """What follows the last thought, or stands before the first where nothing follows.

    A thought that never ends takes the rest of the text with it, and a text that only ends one
    was a thought up to there. Empty where all is thought.
    """
    last_end = max((place + len(end) for end in ends if (place := text.rfind(end)) >= 0), default=0)
    tail = _before_any(text[last_end:], begins)
    if last_end == 0 or has_words(tail):
        return tail
    head = _before_any(text, begins)
    return head if len(head) < len(text) else ""


def _before_any(text: str, marks: Sequence[str]) -> str:
    first = min((place for mark in marks if (place := text.find(mark)) >= 0), default=len(text))
    return text[:first]


def _any_of(marks: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, marks)) or "(?!)")


class AnswerText:
    """Cuts a text at the end of the model's turn and into tokens."""

    def __init__(self, turn_ends: Sequence[str], markup: Sequence[str]) -> None:
        self._turn_end = _any_of(turn_ends)
        self._markup = _any_of(markup)

    def tokens(self, folded: str) -> list[str]:
        """Words and punctuation of the first turn that has words."""
        turn = next((part for part in self._turn_end.split(folded) if has_words(part)), "")
        lines = _WRITTEN_LINE_BREAK.sub("\n", self._markup.sub(" ", turn))
        return _TOKEN.findall(_LIST_LABEL.sub("", lines))
