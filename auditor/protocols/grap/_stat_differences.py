"""Rows of raw differences: what the two sides of a pair score in each dimension."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_options import Options
from auditor.protocols.grap._stat_scores import ScoreTable
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.statistics import Interval, benjamini_hochberg, percentile_interval, sample_mean
from auditor.statistics.paired import (
    PairedDifference,
    paired_difference,
    resampled_differences,
)
from auditor.statistics.sample_means import SampleMean

NO_PAIR = "no pair has both sides scored in this dimension"
_ONE_PAIR = "one pair shows no variation"
_NO_SPREAD = "the differences do not vary"


def difference_rows(
    rows: Rows, table: ScoreTable, options: Options, setting: Group, note: str | None
) -> Iterator[StatisticRow]:
    """Raw differences, their effect sizes and q values, by dimension; then the mean scores.

    The family of the q values holds the dimensions that have a pair.
    """
    found = [
        paired_difference(*table.side_by_side(place)) for place in range(len(table.dimensions))
    ]
    q_values = benjamini_hochberg([difference.wilcoxon_p for difference in found])
    for place, (difference, q) in enumerate(zip(found, q_values, strict=True)):
        group = {"dimension": table.dimensions[place], **setting}
        yield rows.figure(
            "raw_difference",
            group,
            difference.mean,
            n=difference.n,
            interval=difference.interval,
            p_value=difference.wilcoxon_p,
            note=join_notes(_missing(table, difference), note),
        )
        yield from _spread_rows(rows, table, place, difference, options, group)
        yield rows.figure(
            "wilcoxon_q",
            group,
            q,
            n=difference.n,
            p_value=q,
            note=None if difference.n else NO_PAIR,
        )
        yield from _mean_rows(rows, table, place, group)


def _missing(table: ScoreTable, difference: PairedDifference) -> str | None:
    if not difference.n:
        return NO_PAIR
    if difference.n == 1:
        return f"{_ONE_PAIR}: no interval"
    unscored = int(table.has_both.sum()) - difference.n
    between = difference.interval
    return join_notes(
        _NO_SPREAD if between is not None and between.low == between.high else None,
        f"missing in {counted(unscored, 'pair')} with both sides" if unscored else None,
    )


def _spread_rows(
    rows: Rows,
    table: ScoreTable,
    place: int,
    difference: PairedDifference,
    options: Options,
    group: Group,
) -> Iterator[StatisticRow]:
    intervals: dict[str, Interval | None] = {}
    if difference.n > 1 and difference.variance:
        drawn = resampled_differences(*table.side_by_side(place), options.times(difference.n))
        intervals = {
            "difference_variance": percentile_interval(drawn.variance),
            "d_z": percentile_interval(drawn.d_z),
            "d_pooled": percentile_interval(drawn.d),
        }
    values = {
        "difference_variance": difference.variance,
        "d_z": difference.d_z,
        "d_pooled": difference.d,
    }
    for statistic, value in values.items():
        yield rows.figure(
            statistic,
            group,
            value,
            n=difference.n,
            interval=intervals.get(statistic) if value is not None else None,
            note=_why_none(difference) if value is None else _why_open(intervals, statistic),
        )


def _why_none(difference: PairedDifference) -> str:
    if not difference.n:
        return NO_PAIR
    return _ONE_PAIR if difference.n == 1 else _NO_SPREAD


def _why_open(intervals: Mapping[str, Interval | None], statistic: str) -> str | None:
    if statistic in intervals and intervals[statistic] is None:
        return "no interval: nothing varies in some of the resamples"
    return None if intervals else f"{_NO_SPREAD}: no interval"


def _mean_rows(rows: Rows, table: ScoreTable, place: int, group: Group) -> Iterator[StatisticRow]:
    for side, level in enumerate(table.levels):
        scores = table.scores[:, side, place]
        scores = scores[~np.isnan(scores)]
        mean = sample_mean(scores.tolist())
        yield rows.figure(
            "mean_score",
            {**group, "gender": level},
            None if mean is None else mean.value,
            n=len(scores),
            interval=None if mean is None else mean.interval(lowest=0.0, highest=1.0),
            note=_alike(mean),
        )


def _alike(mean: SampleMean | None) -> str | None:
    if mean is None:
        return "no response is scored in this dimension"
    if mean.error is None:
        return "one response shows no variation: no interval"
    return None if mean.error else "the scores do not vary"
