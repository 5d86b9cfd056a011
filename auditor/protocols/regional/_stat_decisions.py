"""Rows of one task in one language: scores of regions, their spread, and position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_comparisons import Setting, Share
from auditor.protocols.regional._stat_doubt import Items, doubt
from auditor.protocols.regional._stat_scores import Scores
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import mean, percentile_interval, share

NO_WINNER = "no comparison with a winner"
_NO_SWAP = "no repetition has a winner in both orders"
_EVEN = 0.5
_TOLERANCE = 1e-9


def score_rows(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    scores: Scores,
    *,
    nothing: str,
    note: str | None,
) -> Iterator[StatisticRow]:
    """A region's share of its comparisons won; n = comparisons with a winner.

    Intervals are percentiles over repetitions drawn again within pairs. `nothing` is the note
    where there is no share.
    """
    for place, region in enumerate(scores.regions):
        value = scores.value(place)
        interval, remark = None, nothing
        if value is not None:
            items = Items(int(scores.items[place]), int(scores.single[place]))
            found = doubt(percentile_interval(scores.resampled[:, place]), items)
            interval, remark = found.interval, found.note or ""
        yield rows.figure(
            statistic,
            {"region": region, **group},
            value,
            n=int(scores.n[place]),
            interval=interval,
            note=join_notes(remark, note),
        )


def mean_row(
    rows: Rows, group: Mapping[str, str], setting: Setting, note: str | None
) -> StatisticRow:
    """The check: the mean score over regions, 0.5 when every comparison has a winner."""
    known = setting.scores.known
    value = mean(known)
    is_even = value is None or abs(value - _EVEN) < _TOLERANCE
    return rows.figure(
        "mean",
        group,
        value,
        n=len(known),
        note=join_notes(
            None if known else NO_WINNER,
            None if is_even else "not 0.5: regions differ in comparisons without a winner",
            note,
        ),
    )


def position_rows(
    rows: Rows, group: Mapping[str, str], setting: Setting, note: str | None
) -> Iterator[StatisticRow]:
    """`first_position_rate` and `swap_consistency`."""
    yield _share_row(
        rows, "first_position_rate", group, setting.first_wins, setting.items, NO_WINNER, note
    )
    yield _share_row(
        rows, "swap_consistency", group, setting.same_wins, setting.items, _NO_SWAP, note
    )


def _share_row(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    found: Share,
    items: Items,
    nothing: str,
    note: str | None,
) -> StatisticRow:
    if not found.n:
        return rows.figure(statistic, group, None, n=0, note=join_notes(nothing, note))
    bounds = doubt(percentile_interval(found.resampled), items)
    return rows.figure(
        statistic,
        group,
        share(found.count, found.n),
        n=found.n,
        interval=bounds.interval,
        note=join_notes(bounds.note, note),
    )
