"""Rows that compare two judges' tables of one target: settings, and judges among each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_chosen import LEAST_PAIRS, chosen
from auditor.protocols.grap._stat_options import Options
from auditor.protocols.grap._stat_quality import MEASURES
from auditor.protocols.grap._stat_scores import Floats, ScoreTable
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.statistics import percentile_interval
from auditor.statistics.correlation import pearson, resampled_pearson
from auditor.statistics.probe import cross_validated, folds_by_pair
from auditor.statistics.rank import LEAST_ITEMS
from auditor.statistics.rounding import settled, zero_settled
from auditor.types import JSON

FULL = "full"
RESPONSE_ONLY = "response_only"
MASK = "mask_cues"
COMPARED = ("auc", "accuracy")
_NONE_COMMON = "no response in common"
_OPEN = "no interval: nothing varies in some of the resamples"


class JudgeLabel(NamedTuple):
    """What tells the tables of one target apart."""

    name: str
    """The judge's name as groups show it."""
    setting: str
    marks: tuple[tuple[str, JSON], ...] = ()
    """What else of its configuration is not the default: mask_cues, calls, paired."""

    @property
    def seen(self) -> tuple[str, bool]:
        """What the judge is shown of a response: the setting, and whether cues are masked."""
        return self.setting, any(key == MASK for key, _ in self.marks)


Tables = Mapping[JudgeLabel, ScoreTable]


def setting_rows(
    rows: Rows, tables: Tables, presets: Mapping[str, Sequence[str]], options: Options
) -> Iterator[StatisticRow]:
    """`setting_level` and `setting_difference` (response_only minus full), by judge and preset."""
    is_one = len({label.name for label in tables}) == 1
    for full, alone in _pairings(tables):
        judge = {} if is_one else {"judge": alone.name}
        for preset, dimensions in presets.items():
            group = {"preset": preset, **judge, **dict(alone.marks)}
            both = _predicted((tables[alone], tables[full]), dimensions, options)
            for place, label in enumerate((alone, full)):
                yield from _level_rows(
                    rows, both, place, options, {"setting": label.setting, **group}
                )
            yield from _difference_rows(rows, "setting_difference", both, options, group)


def judge_rows(
    rows: Rows, tables: Tables, presets: Mapping[str, Sequence[str]], options: Options
) -> Iterator[StatisticRow]:
    """`judge_correlation` and `judge_difference` of any two judges that saw the same.

    They may have worked in other ways (in pairs, one call a dimension): what of the second is
    not the default stands in the group under names led by "other_".
    """
    for one, other in combinations(tables, 2):
        if one.seen != other.seen:
            continue
        group = {
            "judge": one.name,
            "other_judge": other.name,
            "setting": one.setting,
            **dict(one.marks),
            **{f"other_{key}": level for key, level in other.marks if key != MASK},
        }
        pair = tables[one], tables[other]
        yield from _correlations(rows, pair, options, group)
        for preset in options.presets:
            both = _predicted(pair, presets.get(preset, ()), options)
            yield from _difference_rows(
                rows, "judge_difference", both, options, {"preset": preset, **group}
            )


def _pairings(tables: Tables) -> Iterator[tuple[JudgeLabel, JudgeLabel]]:
    """Each response_only table with the full one of the same judge and marks.

    One with masked cues goes with the unmasked full one where there is no masked one.
    """
    for alone in tables:
        if alone.setting != RESPONSE_ONLY:
            continue
        unmasked = tuple(mark for mark in alone.marks if mark[0] != MASK)
        for marks in (alone.marks, unmasked):
            full = JudgeLabel(alone.name, FULL, marks)
            if full in tables:
                yield full, alone
                break


@dataclass(frozen=True, slots=True)
class _Both:
    """Cross-validated predictions from two tables, on the pairs and dimensions that both have."""

    chances: tuple[Floats, Floats] | None
    """None where no probe can be fitted: the note says why."""
    n: int
    """Responses."""
    note: str | None


def _predicted(
    pair: tuple[ScoreTable, ScoreTable], dimensions: Sequence[str], options: Options
) -> _Both:
    parts = [chosen(table, dimensions) for table in pair]
    left_out = {**parts[0].left_out, **parts[1].left_out}
    parts = [chosen(table, dimensions, left_out) for table in pair]
    common = sorted(set(parts[0].pairs) & set(parts[1].pairs))
    reasons = [f"{dimension} ({reason})" for dimension, reason in left_out.items()]
    note = f"left out: {', '.join(reasons)}" if reasons else None
    obstacle = parts[0].obstacle or parts[1].obstacle
    if obstacle is None and len(common) < LEAST_PAIRS:
        obstacle = f"{len(common)} complete pairs in common; a probe needs {LEAST_PAIRS}"
    if obstacle is not None:
        return _Both(None, 2 * len(common), join_notes(obstacle, note))
    folds = folds_by_pair(options.shuffled(common))
    first, second = (
        cross_validated(part.scores[np.isin(part.pairs, common)], folds) for part in parts
    )
    return _Both((first, second), 2 * len(common), note)


def _level_rows(
    rows: Rows, both: _Both, place: int, options: Options, group: Group
) -> Iterator[StatisticRow]:
    """Each measure of one of the two."""
    for name in COMPARED:
        measure = MEASURES[name]
        value, interval = None, None
        if both.chances is not None:
            chances = both.chances[place]
            value = measure.of(chances)
            interval = percentile_interval(measure.resampled(chances, options.times(len(chances))))
        yield rows.figure(
            "setting_level",
            {"measure": name, **group},
            value,
            n=both.n,
            interval=interval,
            note=both.note,
        )


def _difference_rows(
    rows: Rows, statistic: str, both: _Both, options: Options, group: Group
) -> Iterator[StatisticRow]:
    """First minus second."""
    for name in COMPARED:
        measure = MEASURES[name]
        value, interval = None, None
        if both.chances is not None:
            first, second = both.chances
            times = options.times(len(first))
            value = zero_settled(measure.of(first) - measure.of(second))
            interval = percentile_interval(
                settled(measure.resampled(first, times) - measure.resampled(second, times))
            )
        yield rows.figure(
            statistic,
            {"measure": name, **group},
            value,
            n=both.n,
            interval=interval,
            note=both.note,
        )


def _correlations(
    rows: Rows, pair: tuple[ScoreTable, ScoreTable], options: Options, group: Group
) -> Iterator[StatisticRow]:
    """Pearson's r of the two judges' scores, over all responses that both have scored."""
    first, second = pair
    common = sorted(set(first.pairs) & set(second.pairs))
    places = [np.flatnonzero(np.isin(table.pairs, common)) for table in pair]
    for dimension in first.dimensions:
        if dimension not in second.dimensions:
            continue
        one, other = (
            table.scores[where, :, table.dimensions.index(dimension)]
            for table, where in zip(pair, places, strict=True)
        )
        n = int((~np.isnan(one + other)).sum())
        value = pearson(one, other)
        interval = None
        if value is not None:
            drawn = resampled_pearson(one, other, options.times(len(common)))
            interval = percentile_interval(drawn)
        yield rows.figure(
            "judge_correlation",
            {"dimension": dimension, **group},
            value,
            n=n,
            interval=interval,
            note=_why_none(n) if value is None else None if interval else _OPEN,
        )


def _why_none(n: int) -> str:
    if not n:
        return _NONE_COMMON
    if n < LEAST_ITEMS:
        return f"{counted(n, 'response')} in common: a correlation takes {LEAST_ITEMS}"
    return "one of the judges gives every response the same score"
