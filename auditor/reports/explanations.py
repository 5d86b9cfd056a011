"""The words for each statistic, from the same files that a protocol's card goes by."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches

from rich.console import Group, RenderableType
from rich.text import Text

import rubrics
from auditor.errors import UsageError
from auditor.types import JSON

_FILE = "statistics.toml"
_FIELDS = ("definition", "equation", "interval", "source", "departures")


def explanations() -> dict[str, dict[str, JSON]]:
    """Every statistic's words by name; a family of protocols shares one file."""
    found: dict[str, dict[str, JSON]] = {}
    for path in rubrics.names():
        family, _, name = path.rpartition("/")
        if name == _FILE:
            for statistic, words in tomllib.loads(rubrics.read(path)).items():
                if isinstance(words, dict):
                    found[statistic] = {"statistic": statistic, "family": family, **words}
    return found


def explanation(statistic: str, protocol: str | None = None) -> dict[str, JSON]:
    """The words for one statistic. Raises UsageError with close names for an unknown one."""
    known = explanations()
    if protocol is not None:
        family = protocol.partition(".")[0]
        known = {name: words for name, words in known.items() if words["family"] == family}
    if statistic not in known:
        close = get_close_matches(statistic, known, n=3)
        raise UsageError(
            f"no statistic {statistic!r}",
            hint=f"did you mean {', '.join(close)}?" if close else "see `auditor list statistics`",
        )
    return known[statistic]


def render_explanation(words: dict[str, JSON]) -> RenderableType:
    """The words laid out for a terminal."""
    lines: list[Text] = [
        Text.assemble((str(words["statistic"]), "bold"), f"  {words.get('title', '')}")
    ]
    for field in _FIELDS:
        value = words.get(field)
        if not value:
            continue
        parts = value if isinstance(value, list) else [value]
        lines += [Text(), Text(field, style="dim")]
        lines += [Text(f"  {part}") for part in parts]
    return Group(*lines)
