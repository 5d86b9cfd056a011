"""Names in data files as a reader sees them: which look the same, and which hold hidden marks."""

from __future__ import annotations

import unicodedata

from auditor.harmless import harmless
from auditor.normal_form import normal_form

_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})
_EVEN = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-") | dict.fromkeys("‘’ʼ´`", "'"))


def as_read(text: str) -> str:
    """What texts have in common that a reader takes for the same.

    Case, width and composition of characters do not count, nor kinds and numbers of spaces,
    of dashes and of apostrophes, nor what cannot be seen. Letters of different scripts stay
    different even where they are drawn alike.
    """
    even = normal_form("NFKC", text.translate(_EVEN)).casefold()
    even = normal_form("NFKC", even).translate(_EVEN)
    seen = (each for each in even if each.isspace() or unicodedata.category(each) not in _INVISIBLE)
    return " ".join("".join(seen).split())


def hidden_in(text: str, *, lines: bool = False) -> str | None:
    """The first character that cannot be seen, escaped for a message; None where all can be.

    Control characters, marks of direction or of no width, private and unassigned code points.
    `lines` allows line feeds and tabs, for texts that have paragraphs.
    """
    if text.isprintable():
        return None
    hidden = (each for each in text if harmless(each, keep_lines=lines) != each)
    return next(map(harmless, hidden), None)
