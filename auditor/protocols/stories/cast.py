"""The names that simulated targets give their characters."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache

from auditor.protocols.base import Materials

NAMES = "stories/sim_names.toml"


@dataclass(frozen=True, slots=True)
class Names:
    """Given names by what they say of a gender, surnames and nicknames."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    neutral: tuple[str, ...]
    unknown: tuple[str, ...]
    family: tuple[str, ...]
    nicknames: tuple[str, ...]

    def given(self, kind: str) -> tuple[str, ...]:
        """Given names that are female, male, neutral or unknown."""
        names: tuple[str, ...] = getattr(self, kind)
        return names


def names(materials: Materials) -> Names:
    """The lists of the rubric file."""
    return _names(materials[NAMES])


@lru_cache(maxsize=8)
def _names(text: str) -> Names:
    return Names(**{kind: tuple(listed) for kind, listed in tomllib.loads(text).items()})
