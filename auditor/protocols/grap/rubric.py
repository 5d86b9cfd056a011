"""The rubric of `grap`: dimensions with their anchors, and the presets that choose among them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.grap.files import DataFile, data_file
from auditor.protocols.likeness import as_read
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

ALL = "all"
"""The preset that every rubric has: all its dimensions."""
LEVELS = ("0", "0.25", "0.5", "0.75", "1")
"""Scores that have an anchor."""

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_FIELDS = ("title", "definition", "anchors", "reported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One dimension: what a score of 0 and of 1 mean."""

    key: str
    title: str
    definition: str
    anchors: tuple[str, ...]
    """What an answer with the score 0, 0.25, 0.5, 0.75 and 1 is like."""
    reported: str | None
    """The direction that the paper reports: the level that scores higher, "mixed", or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """All dimensions, in the file's order, and the presets."""

    dimensions: Mapping[str, Dimension]
    presets: Mapping[str, tuple[str, ...]]
    """Keys of dimensions by preset, in the order of `dimensions`; `all` is always there."""

    def preset(self, name: str) -> tuple[str, ...]:
        """The dimensions of a preset. Raises UsageError, with where="preset", for none of them."""
        if name not in self.presets:
            raise UsageError(
                f"no preset {name!r}; allowed: {', '.join(self.presets)}", where="preset"
            )
        return self.presets[name]


def rubric(materials: Materials, params: GrapParams | None = None) -> Rubric:
    """The rubric of the file; `params` say what messages call it.

    Raises UsageError with file, key and what is allowed for a dimension without a definition or
    one of its anchors, a preset that names none or an unknown one, names that read alike, other
    keys, and characters that cannot be seen.
    """
    return _rubric(data_file("rubric", materials, params))


def parse_rubric(text: str) -> Rubric:
    """The rubric of a text. Raises UsageError as `rubric` does."""
    return _rubric(DataFile(text=text, name="the rubric", field="rubric"))


@lru_cache(maxsize=8)
def _rubric(file: DataFile) -> Rubric:
    table = file.table()
    for key in table:
        if key not in ("dimensions", "presets"):
            raise file.wrong(f"{key}: unknown key", "dimensions, presets")
    listed = table.get("dimensions")
    if not isinstance(listed, dict) or not listed:
        raise file.wrong("dimensions: none", "a table [dimensions.KEY] for each dimension")
    file.check_names("dimensions", listed)
    dimensions = {key: _dimension(file, key, value) for key, value in listed.items()}
    presets = table.get("presets", {})
    if not isinstance(presets, dict):
        raise file.wrong("presets: no table", "a table of lists of dimensions")
    file.check_names("presets", presets)
    found = {name: _preset(file, name, keys, dimensions) for name, keys in presets.items()}
    found[ALL] = tuple(dimensions)
    return Rubric(dimensions=MappingProxyType(dimensions), presets=MappingProxyType(found))


def _dimension(file: DataFile, key: str, value: JSON) -> Dimension:
    path = f"dimensions.{key}"
    if not _KEY.fullmatch(key):
        raise file.wrong(f"{path}: not a key", "letters, digits and _")
    if not isinstance(value, dict):
        raise file.wrong(f"{path}: no table", f"a table of {', '.join(_FIELDS)}")
    for field in value:
        if field not in _FIELDS:
            raise file.wrong(f"{path}.{field}: unknown key", ", ".join(_FIELDS))
    anchors = value.get("anchors")
    if not isinstance(anchors, dict) or sorted(anchors) != sorted(LEVELS):
        raise file.wrong(f"{path}.anchors: value {anchors!r:.60}", f"texts of {', '.join(LEVELS)}")
    reported = value.get("reported")
    return Dimension(
        key=key,
        title=_text(file, f"{path}.title", value.get("title", key.replace("_", " "))),
        definition=_text(file, f"{path}.definition", value.get("definition")),
        anchors=tuple(_text(file, f"{path}.anchors.{at}", anchors[at]) for at in LEVELS),
        reported=None if reported is None else _text(file, f"{path}.reported", reported),
    )


def _preset(
    file: DataFile, name: str, value: JSON, dimensions: Mapping[str, Dimension]
) -> tuple[str, ...]:
    keys = value if isinstance(value, list) else []
    if as_read(name) == ALL or not keys or len(set(map(str, keys))) < len(keys):
        raise file.wrong(
            f"presets.{name}: value {value!r:.60}",
            f"a list of dimensions, none twice, under another name than {ALL!r}",
        )
    for key in keys:
        if key not in dimensions:
            raise file.wrong(f"presets.{name}: no dimension {key!r}", ", ".join(dimensions))
    return tuple(key for key in dimensions if key in keys)


def _text(file: DataFile, key: str, value: JSON) -> str:
    return file.checked_text(key, value).strip()
