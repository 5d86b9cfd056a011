"""The words for each statistic, from the same files that a protocol's card goes by."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from difflib import get_close_matches

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

import rubrics
from auditor import protocols
from auditor.errors import UsageError
from auditor.types import JSON

_FILE = "statistics.toml"
_FIELDS = ("definition", "equation", "interval", "source", "departures")


def explanations() -> list[dict[str, JSON]]:
    """Every statistic's words; a family of protocols shares one file."""
    protocols.take_up_all()
    found: list[dict[str, JSON]] = []
    for path in rubrics.names():
        family, _, name = path.rpartition("/")
        if name == _FILE:
            for statistic, words in tomllib.loads(rubrics.read(path)).items():
                if isinstance(words, dict):
                    found.append({"statistic": statistic, "family": family, **words})
    return found


def explanation(statistic: str, protocol: str | None = None) -> list[dict[str, JSON]]:
    """The words for one statistic, in each family of protocols that has it.

    `protocol` keeps to its family. Raises UsageError with close names for an unknown statistic.
    """
    family = None if protocol is None else protocol.partition(".")[0]
    known = [words for words in explanations() if family in (None, words["family"])]
    found = [words for words in known if words["statistic"] == statistic]
    if not found:
        close = get_close_matches(statistic, {str(words["statistic"]) for words in known}, n=3)
        raise UsageError(
            f"no statistic {statistic!r}" + ("" if protocol is None else f" in {protocol}"),
            hint=f"did you mean {', '.join(close)}?" if close else "see `auditor list statistics`",
        )
    return found


def render_explanation(found: Sequence[dict[str, JSON]]) -> RenderableType:
    """The words laid out for a terminal, one family after the other."""
    return Group(*(_one(words) for words in found))


def _one(words: dict[str, JSON]) -> RenderableType:
    lines: list[RenderableType] = [
        Text.assemble(
            (str(words["statistic"]), "bold"),
            (f"  ({words['family']})", "dim"),
            f"  {words.get('title', '')}",
        )
    ]
    for field in _FIELDS:
        value = words.get(field)
        if not value:
            continue
        parts = value if isinstance(value, list) else [value]
        lines += [Text(), Text(field, style="dim")]
        lines += [Padding(Text(str(part)), (0, 0, 0, 2)) for part in parts]
    return Group(*lines, Text())
