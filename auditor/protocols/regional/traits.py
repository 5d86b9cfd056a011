"""The traits that regions are rated on, as the rubric file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.likeness import as_read
from auditor.protocols.regional.files import TRAITS, Once, TableFile, table_file
from auditor.protocols.regional.levels import chosen

if TYPE_CHECKING:
    from auditor.protocols.regional.params import StereotypeParams


@dataclass(frozen=True, slots=True)
class Trait:
    """One trait."""

    name: str
    """English name: the factor's level."""
    name_zh: str
    dimension: str
    """"Warmth" or "Competence" in the packaged file."""
    sub_dimension: str | None

    def word(self, language: str) -> str:
        """The trait as prompts in a language name it."""
        return self.name_zh if language == "zh" else self.name


def all_traits(materials: Materials, params: StereotypeParams | None = None) -> tuple[Trait, ...]:
    """All traits, in the file's order; `params` say what messages call the file.

    Raises UsageError with file, line, value and what is allowed for a name, translation or
    dimension that is missing, a name that is there twice or reads like another, a dimension in
    two spellings, no trait at all, other columns, and characters that cannot be seen.
    """
    return _traits(table_file("traits", materials, params))


def trait_of(name: str, materials: Materials) -> Trait:
    """The trait of a name that is one."""
    return _by_name(materials[TRAITS])[name]


def chosen_traits(params: StereotypeParams, materials: Materials) -> tuple[Trait, ...]:
    """The traits that a spec asks for, in its order.

    Raises UsageError with where="trait" for a name that is none, and as `all_traits` does.
    """
    by_name = {trait.name: trait for trait in all_traits(materials, params)}
    return chosen(params.trait, by_name, "trait", "traits")


@lru_cache(maxsize=8)
def _by_name(text: str) -> Mapping[str, Trait]:
    return {trait.name: trait for trait in all_traits({TRAITS: text})}


@lru_cache(maxsize=8)
def _traits(file: TableFile) -> tuple[Trait, ...]:
    once = Once(file)
    found = []
    for line, row in file.rows(("trait", "trait_zh", "dimension"), ("sub_dimension", "mark")):
        for column in ("trait", "trait_zh", "dimension"):
            if not as_read(row[column]):
                raise file.wrong(line, f"{column} is blank", "a text")
        once.add("trait", row["trait"], line)
        once.add("trait_zh", row["trait_zh"], line)
        once.spell("dimension", row["dimension"], line)
        found.append(
            Trait(row["trait"], row["trait_zh"], row["dimension"], row.get("sub_dimension") or None)
        )
    if not found:
        raise file.wrong(1, "no trait in the file", "at least one")
    return tuple(found)
