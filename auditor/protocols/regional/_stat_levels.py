"""Scores by trait, task, dimension or domain, and what the languages make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_correlations import language_rows
from auditor.protocols.regional._stat_scores import Scores
from auditor.protocols.rows import Rows, join_notes


@dataclass(frozen=True, slots=True)
class Level:
    """Scores under one trait, task, dimension or domain, in one language."""

    group: Mapping[str, str]
    """The level by its factor: {"trait": "Honesty"}."""
    scores: Scores
    note: str | None


def between_languages(rows: Rows, levels: Mapping[str, Sequence[Level]]) -> Iterator[StatisticRow]:
    """`language_shift` and `language_spearman` of every level that was run in both languages."""
    chinese = {tuple(level.group.items()): level for level in levels.get("zh", ())}
    for level in levels.get("en", ()):
        other = chinese.get(tuple(level.group.items()))
        if other is not None:
            note = joined_note([level, other])
            yield from language_rows(rows, level.group, level.scores, other.scores, note)


def in_order(met: Sequence[str], known: Sequence[str]) -> list[str]:
    """The levels that were met: those of the file in its order, then others as they came."""
    return [level for level in known if level in set(met)] + [
        level for level in met if level not in set(known)
    ]


def joined_note(levels: Sequence[Level], *notes: str | None) -> str | None:
    """These notes and those of the levels, each once."""
    return join_notes(*dict.fromkeys((*notes, *(level.note for level in levels))))
