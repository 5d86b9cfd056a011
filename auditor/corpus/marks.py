"""Texts as a matcher reads them: one byte a character, words in small letters, blanks between.

Every character stands for one byte, so places in the one are places in the other. ASCII texts,
which are most, take no more than a table look-up a byte; others pass a table
of Python's own codecs.
"""

from __future__ import annotations

import codecs
import re

_PUNCTUATION = (
    "\u00a0\u00ad\u2009\u200a\u200b\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026"
    "\u00ab\u00bb\u00b7"
)
_LETTERS = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽžŁłĆćČčĞğİıŞş"
_OTHER_LETTER, _OTHER_MARK = "\ue000", "\ue001"
"""What stands for letters and marks that have no byte of their own."""

_HIGH = _PUNCTUATION + _LETTERS + _OTHER_LETTER + _OTHER_MARK
_CHARACTERS = "".join(map(chr, range(128))) + _HIGH + "\ufffe" * (128 - len(_HIGH))
_ENCODING = codecs.charmap_build(_CHARACTERS)
_ERRORS = "auditor.corpus.marks"
_WORD = re.compile(r"\w")


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    run = error.object[error.start : error.end]
    marks = (
        _OTHER_LETTER if _WORD.match(each) else " " if each.isspace() else _OTHER_MARK
        for each in run
    )
    return "".join(marks), error.end


codecs.register_error(_ERRORS, _stand_in)


def _word_table() -> bytes:
    """Letters, digits and underscores in small letters; all else is a blank."""
    table = bytearray(b" " * 256)
    places = {character: place for place, character in enumerate(_CHARACTERS[: 128 + len(_HIGH)])}
    for character, place in places.items():
        if character == _OTHER_LETTER:
            table[place] = place
        elif _WORD.match(character):
            table[place] = places.get(character.lower(), place)
    return bytes(table)


def _sentence_table() -> bytes:
    """What may end a sentence, white space, and anything else."""
    table = bytearray(b"x" * 256)
    for place, character in enumerate(_CHARACTERS[: 128 + len(_HIGH)]):
        if character in ".!?":
            table[place] = ord(".")
        elif character == "\n":
            table[place] = ord("\n")
        elif character.isspace():
            table[place] = ord(" ")
    return bytes(table)


_WORDS = _word_table()
_SENTENCES = _sentence_table()


def one_byte_each(text: str) -> bytes:
    """The text in bytes, one a character."""
    if text.isascii():
        return text.encode("ascii")
    return codecs.charmap_encode(text, _ERRORS, _ENCODING)[0]


def words_of(marks: bytes) -> str:
    """Its words in small letters, with a blank for whatever stands between them."""
    return marks.translate(_WORDS).decode("latin-1")


def sentence_ends(marks: bytes) -> list[int]:
    """The place after each sentence, ascending; the last one may lie past the text.

    A sentence ends at . ! or ? before white space, or at a line break.
    """
    place = 0
    ends: list[int] = []
    for line in marks.translate(_SENTENCES).decode("latin-1").split("\n"):
        for sentence in line.split(". "):
            place += len(sentence) + 2
            ends.append(place)
        place -= 1  # a line ends with one character
        ends[-1] = place
    return ends
