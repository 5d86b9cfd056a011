"""Typography made even, one character at a time, by a table that fills as characters are met.

Normalising whole texts does not take linear time on all of them (long runs of combining marks are
sorted); this does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

# Deleted and not replaced by a space: "wo", a zero-width mark and "men" must not become "men".
_DELETED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Me"})
_MOST_KEPT = 4096


class Characters(dict[int, str]):
    """Code point to what stands for it, for `str.translate`.

    `replaced` goes before everything else; spaces of all kinds become one kind, and what cannot be
    seen is deleted. What is left as it is takes its compatibility form, in lower case where case
    `is_folded`.
    """

    def __init__(self, replaced: Mapping[str, str], *, is_folded: bool) -> None:
        super().__init__()
        self._replaced = replaced
        self._is_folded = is_folded

    def __missing__(self, code: int) -> str:
        character = chr(code)
        even = self._even(character)
        if even == character:
            plain = unicodedata.normalize("NFKC", character)
            even = "".join(map(self._even, plain.casefold() if self._is_folded else plain))
        if len(self) < _MOST_KEPT:
            self[code] = even
        return even

    def _even(self, character: str) -> str:
        replacement = self._replaced.get(character)
        if replacement is not None:
            return replacement
        category = unicodedata.category(character)
        if category in _DELETED:
            return ""
        return " " if category == "Zs" else character
