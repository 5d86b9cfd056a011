"""Unicode normal forms in linear time."""

from __future__ import annotations

import unicodedata
from typing import Literal

_MOST_MARKS = 30
"""In a row. No language needs so many (Unicode Standard Annex 15, Stream-Safe Text Format)."""
_HIDDEN_MARKS = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Tibetan vowels and half-width Katakana signs: no marks themselves, marks alone decomposed."""
_JOINER = "\u034f"
"""COMBINING GRAPHEME JOINER: it is not drawn, and marks are not sorted across it."""


def normal_form(form: Literal["NFC", "NFKC"], text: str) -> str:
    """The normal form of a text; a joiner stands after every 30 marks of a longer row of them.

    A normal form sorts the marks in a row, and Python does that in quadratic time: a hundred
    thousand of them, which a model can well write, take minutes.
    """
    if len(text) > _MOST_MARKS and not text.isascii():
        text = _stream_safe(text)
    return unicodedata.normalize(form, text)


def _stream_safe(text: str) -> str:
    parts: list[str] = []
    begun = marks = 0
    for place, character in enumerate(text):
        if not unicodedata.combining(character) and character not in _HIDDEN_MARKS:
            marks = 0
        elif marks < _MOST_MARKS:
            marks += 1
        else:
            parts.append(text[begun:place])
            begun, marks = place, 1
    parts.append(text[begun:])
    return _JOINER.join(parts)
