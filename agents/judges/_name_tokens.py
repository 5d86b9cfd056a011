"""The tokens of an opening: words, marks, and what can be seen of each without its neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agents.judges._name_lines import Line, LineKind

_LETTERS = r"[^\W\d_]+"
_COMBINING = (
    r"[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
    r"\u0e31-\u0e4e\u200c\u200d]+"
)
# Most words are small and plain: they come first, and nothing else has to be asked of them.
_SMALL = rf"[a-z]{{2,}}+(?!{_LETTERS}|{_COMBINING}|['‑-]{_LETTERS})"
_TOKEN = re.compile(
    rf"(?P<small>{_SMALL})"
    rf"|(?P<degree>(?:Ph|Psy|Ed)\.[ ]?D\b\.?)"
    rf"|(?P<initials>[^\W\d_]\.(?:[^\W\d_]\.)*(?:[^\W\d_](?!\w))?)"
    rf"|(?P<word>{_LETTERS}(?:{_COMBINING}(?:{_LETTERS})?|['‑-]{_LETTERS})*)"
    r"|(?P<number>\d[\w.,:%/-]*)"
    r"|(?P<mark>[^\w\s])"
)
_POSSESSIVE = "'s"
_SENTENCE_ENDS = frozenset(".!?…。！？:;：")
_OPENING_QUOTES = frozenset('"“«„「')
_CLOSING_QUOTES = frozenset('"”»「」')
_DOUBLE_QUOTES = _OPENING_QUOTES | _CLOSING_QUOTES
_SMALL_ABBREVIATION = 5


@dataclass(slots=True)
class Token:
    """A word, number or mark of the opening."""

    text: str
    """As it stands, without a possessive's ending."""
    folded: str
    kind: str
    """"initials", "word", "number" or "mark"."""
    line: int
    line_kind: LineKind
    is_first: bool
    """Opens a sentence, so that its capital says nothing."""
    is_quoted: bool
    is_possessive: bool = False
    is_capital: bool = False
    """Begins with a capital, or is of a script that has none."""


def tokens_of(lines: Iterable[Line], abbreviations: frozenset[str]) -> list[Token]:
    """All tokens, in order; the folded words of `abbreviations` take their full stop in."""
    tokens: list[Token] = []
    for number, line in enumerate(lines):
        is_first, is_quoted = True, False
        previous: Token | None = None
        line_kind = line.kind
        for match in _TOKEN.finditer(line.text):
            kind = match.lastgroup
            text = match[0]
            if kind == "small":
                token = Token(text, text, "word", number, line_kind, is_first, is_quoted)
                previous, is_first = token, False
            elif kind == "mark":
                if text == "." and previous is not None and _takes_stop(previous, abbreviations):
                    previous.text += text
                    continue
                if text in _DOUBLE_QUOTES:
                    is_quoted = not is_quoted if text == '"' else text in _OPENING_QUOTES
                elif text in _SENTENCE_ENDS:
                    is_first = True
                token = Token(text, text, kind, number, line_kind, False, is_quoted)
                previous = None
            else:
                token = _word(text, kind or "word", number, line_kind, is_first, is_quoted)
                previous, is_first = token, False
            tokens.append(token)
    return tokens


def is_uncased(character: str) -> bool:
    """Whether it is a letter of a script without capitals."""
    return (
        character.isalpha() and not character.isupper() and character.upper() == character.lower()
    )


def _word(
    text: str, kind: str, line: int, line_kind: LineKind, is_first: bool, is_quoted: bool
) -> Token:
    if kind == "word":
        if text.islower():
            is_possessive = text.endswith(_POSSESSIVE)
            text = text[:-2] if is_possessive else text
            return Token(text, text, kind, line, line_kind, is_first, is_quoted, is_possessive)
        is_possessive = text.endswith((_POSSESSIVE, "'S")) and len(text) > 2
        text = text[:-2] if is_possessive else text
        is_capital = not text[0].islower()
        return Token(
            text,
            text.lower(),
            kind,
            line,
            line_kind,
            is_first,
            is_quoted,
            is_possessive,
            is_capital,
        )
    folded = text.lower()
    if kind == "number":
        return Token(text, folded, kind, line, line_kind, is_first, is_quoted)
    folded = folded.replace(" ", "").rstrip(".")
    is_capital = not text[0].islower()
    return Token(text, folded, "initials", line, line_kind, is_first, is_quoted, False, is_capital)


def _takes_stop(token: Token, abbreviations: frozenset[str]) -> bool:
    return len(token.text) <= _SMALL_ABBREVIATION and token.folded in abbreviations
