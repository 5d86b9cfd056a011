"""The lists of words that a corpus is counted by, as worker processes are given them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.canonical import digest16


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusWords:
    """Forms of spaces and words of genders, in small letters."""

    spaces: Mapping[str, tuple[str, ...]]
    """By name, in the taxonomy's order."""
    women: tuple[str, ...]
    men: tuple[str, ...]

    @property
    def hash(self) -> str:
        """Hexadecimal digits that two lists share exactly when they count the same."""
        forms = {name: sorted(forms) for name, forms in self.spaces.items()}
        return digest16([forms, sorted(self.women), sorted(self.men)]).hex()
