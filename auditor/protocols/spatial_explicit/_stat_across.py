"""Rows over all targets: which spaces draw a bias from whoever is asked, and who agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.protocols.base import Materials, StatisticRow
from auditor.protocols.spatial_explicit._stat_counts import Condition
from auditor.protocols.spatial_explicit._stat_pairs import pair_rows
from auditor.protocols.spatial_explicit._stat_rows import PROTOCOL, SpaceRows
from auditor.protocols.spatial_explicit._stat_tests import LEVEL
from auditor.protocols.spatial_explicit.prompts import PAPER_PROMPT, PAPER_TEMPERATURE
from auditor.statistics import mean
from auditor.types import JSON

_READ = ("men_share", "binomial_q", "edi")
_FACTORS = ("space", "prompt", "temperature")


@dataclass(slots=True)
class _Judged:
    """The rows that rest on one judge of each task."""

    marks: dict[str, JSON]
    """What a group holds beside the factors: the judge, where there are two."""
    values: dict[Condition, dict[str, dict[str, dict[str, float]]]] = field(default_factory=dict)
    """By condition, space, target, statistic."""
    targets: dict[str, None] = field(default_factory=dict)
    """In the order in which they came, with a valid answer or without."""


def across(rows: Sequence[StatisticRow], materials: Materials) -> Iterator[StatisticRow]:
    """`space_sensitivity` (figure 3) of each space, target "*"; MAE and DC of every two targets.

    measure edi_mean is the mean of its EDI over targets; significant the number of targets
    with q <= 0.01; same_direction the larger of the numbers of significant targets that lean
    to men and to women. n is the number of targets with a valid answer (for same_direction,
    of significant targets).

    One condition is read: Prompt 1 at temperature 1.0, else the one that most targets have
    (said in the note). Rows of different judges are kept apart; the judge stays in the group.
    A single target gives rows too: they say what it says.
    """
    del materials
    for judged in _by_judge(rows):
        condition = _condition(judged)
        if condition is not None:
            note = _elsewhere(condition)
            yield from _sensitivity(judged, condition, note)
            yield from pair_rows(_shares(judged, condition), judged.targets, judged.marks, note)


def _by_judge(rows: Sequence[StatisticRow]) -> list[_Judged]:
    parts: dict[str, _Judged] = {}
    for row in rows:
        if row.protocol != PROTOCOL or row.statistic not in _READ:
            continue
        marks = {name: level for name, level in row.group.items() if name not in _FACTORS}
        judged = parts.setdefault(canonical_json(marks), _Judged(marks))
        judged.targets[row.target] = None
        if row.value is None:
            continue
        condition = (row.group["prompt"], row.group["temperature"])
        spaces = judged.values.setdefault(condition, {})
        figures = spaces.setdefault(row.group["space"], {}).setdefault(row.target, {})
        figures[row.statistic] = row.value
    return list(parts.values())


def _condition(judged: _Judged) -> Condition | None:
    def rank(condition: Condition) -> tuple[bool, int, float, str]:
        prompt, temperature = condition
        targets = {target for space in judged.values[condition].values() for target in space}
        is_paper = prompt == PAPER_PROMPT and temperature == PAPER_TEMPERATURE
        return (not is_paper, -len(targets), abs(temperature - PAPER_TEMPERATURE), prompt)

    return min(judged.values, key=rank, default=None)


def _elsewhere(condition: Condition) -> str | None:
    """Names a condition that is not the paper's."""
    prompt, temperature = condition
    is_paper = prompt == PAPER_PROMPT and temperature == PAPER_TEMPERATURE
    return None if is_paper else f"under Prompt {prompt} at temperature {temperature:g}"


def _shares(judged: _Judged, condition: Condition) -> dict[str, dict[str, float]]:
    """Men's shares by space and target."""
    return {
        space: {target: found["men_share"] for target, found in targets.items()}
        for space, targets in judged.values[condition].items()
    }


def _sensitivity(judged: _Judged, condition: Condition, note: str | None) -> Iterator[StatisticRow]:
    rows = SpaceRows("*")
    for space, targets in judged.values[condition].items():
        significant = [t for t in targets.values() if t["binomial_q"] <= LEVEL]
        directions = Counter(t["men_share"] > 0.5 for t in significant)
        figures = {
            "edi_mean": (mean([t["edi"] for t in targets.values()]), len(targets)),
            "significant": (float(len(significant)), len(targets)),
            "same_direction": (float(max(directions.values(), default=0)), len(significant)),
        }
        for measure, (value, n) in figures.items():
            group = {"space": space, "measure": measure, **judged.marks}
            yield rows.figure("space_sensitivity", group, value, n=n, note=note)
