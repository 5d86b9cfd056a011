"""Text from models, files and endpoints, made fit to be shown: nothing in it acts."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Zero-width joiner and non-joiner: Persian, Indic scripts and emoji are spelt with them."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def harmless(text: str, limit: int | None = None, *, keep_lines: bool = False) -> str:
    r"""`text` with everything that a terminal might obey, or hide, as a visible escape.

    Control characters (ESC and NUL among them), bidirectional marks and overrides, zero-width
    and tag characters, lone surrogates, private and unassigned code points come out as
    `\x1b`, `\u202e`, `\U000e0041`; letters of every script, spaces and emoji stay. The result
    can be encoded as UTF-8 and is one line.

    `limit` is the greatest length of the result in characters; a longer text is cut between
    characters (never inside an escape) and ends in "…". None: as long as it is. Only as much
    of a text as fits is looked at, so a megabyte costs nothing. `keep_lines` keeps line feeds
    and tabs, for texts that are shown as paragraphs; a carriage return before a line feed
    goes.

    The escapes are for eyes: a text that holds a backslash is not doubled, so the result
    cannot be turned back.
    """
    if keep_lines:
        text = text.replace("\r\n", "\n")
    whole = limit is None or len(text) <= limit
    if whole and text.isprintable():
        return text
    if limit is None:
        return "".join(_visible(character, keep_lines) for character in text)
    return _cut(text, limit, keep_lines)


def spelled_out(text: str) -> str:
    r"""As `harmless`, with the spaces and joiners that nobody can tell apart escaped as well.

    For what a person has to find in a file: a no-break space looks like a space and is none.
    """
    shown = harmless(text)
    if shown.isprintable():
        return shown
    return "".join(each if each.isprintable() else _escaped(each) for each in shown)


def _cut(text: str, limit: int, keep_lines: bool) -> str:
    pieces: list[str] = []
    length = 0
    for character in text:
        piece = _visible(character, keep_lines)
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            break
    else:
        return "".join(pieces)
    while pieces and length > limit - 1:
        length -= len(pieces.pop())
    return "".join(pieces) + "…" if limit > 0 else ""


def _visible(character: str, keep_lines: bool) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if keep_lines and character in "\n\t":
        return character
    if unicodedata.category(character) == "Zs":
        return character
    if character in _SHORT:
        return _SHORT[character]
    return _escaped(character)


def _escaped(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
