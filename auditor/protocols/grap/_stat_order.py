"""Rows of the order effect: what an answer gains by being shown first to a paired judge."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_scores import Floats, ScoreTable
from auditor.protocols.rows import Group, Rows
from auditor.statistics.paired import half_difference

_UNKNOWN = "the order in which the answers were shown is not recorded"
_FIXED = "the order is the same in all pairs: it cannot be told from the difference of the sides"


def order_rows(rows: Rows, table: ScoreTable, setting: Group) -> Iterator[StatisticRow]:
    """The effect over all dimensions, then by dimension.

    With g the difference of the sides and o the gain of the first place, a pair's difference is
    g + o where side 0 is shown first, and g - o where side 1 is: half the difference of the two
    means is o, whatever g and however the order falls.
    """
    differences = table.scores[:, 0] - table.scores[:, 1]
    # A pair's mean over the dimensions that both its sides have; none of them is no warning.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        overall = np.nanmean(differences, axis=1)
    yield _order_row(rows, overall, table, setting)
    for place, dimension in enumerate(table.dimensions):
        group = {"dimension": dimension, **setting}
        yield _order_row(rows, differences[:, place], table, group)


def _order_row(rows: Rows, differences: Floats, table: ScoreTable, group: Group) -> StatisticRow:
    is_known = ~np.isnan(differences) & (table.shown != 0)
    first = differences[is_known & (table.shown > 0)]
    last = differences[is_known & (table.shown < 0)]
    value, interval, p = half_difference(first, last)
    note = None
    if value is None:
        note = _FIXED if is_known.any() else _UNKNOWN
    elif interval is None:
        note = "no interval: nothing varies, or one order has a single pair"
    return rows.figure(
        "order_effect",
        group,
        value,
        n=int(is_known.sum()),
        interval=interval,
        p_value=p,
        note=note,
    )
