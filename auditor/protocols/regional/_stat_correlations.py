"""Rows that compare regions' scores: with an indicator, another dimension, another language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_doubt import Items, doubt
from auditor.protocols.regional._stat_scores import Scores
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import (
    LEAST_ITEMS,
    error_interval,
    mean,
    percentile_interval,
    ranked,
    resampled_spearman,
    settled,
    spearman,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_ORDER = "no order: all values of one side are equal"
TOO_FEW = "fewer than three regions have both values: two are in one order or the other"
_NO_REGION = "no region has a score in both languages"


def indicator_rows(
    rows: Rows,
    group: Mapping[str, str],
    scores: Scores,
    indicators: Mapping[str, Mapping[str, float]],
    note: str | None,
) -> Iterator[StatisticRow]:
    """`indicator_spearman` with each indicator, over the regions that have it and a score."""
    import numpy as np

    for name, values in indicators.items():
        column = np.array([values.get(region, np.nan) for region in scores.regions])
        common = ~(np.isnan(scores.values) | np.isnan(column))

        def of_resamples(
            common: NDArray[np.bool_] = common, column: NDArray[np.float64] = column
        ) -> NDArray[np.float64]:
            return resampled_spearman(ranked(scores.resampled[:, common]), ranked(column[common]))

        yield _correlation(
            rows,
            "indicator_spearman",
            {"indicator": name, **group},
            scores.values[common].tolist(),
            column[common].tolist(),
            of_resamples,
            scores.items_of(common),
            note,
        )


def spearman_row(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    first: Scores,
    second: Scores,
    note: str | None,
) -> StatisticRow:
    """Spearman's rho between two scores of the same regions, over those that have both."""
    common = _common(first, second)

    def of_resamples() -> NDArray[np.float64]:
        return resampled_spearman(
            ranked(first.resampled[:, common]), ranked(second.resampled[:, common])
        )

    return _correlation(
        rows,
        statistic,
        group,
        first.values[common].tolist(),
        second.values[common].tolist(),
        of_resamples,
        _items_of_both(first, second, common),
        note,
    )


def language_rows(
    rows: Rows, group: Mapping[str, str], english: Scores, chinese: Scores, note: str | None
) -> Iterator[StatisticRow]:
    """`language_shift` (mean over regions of English minus Chinese) and `language_spearman`."""
    common = _common(english, chinese)
    n = int(common.sum())
    if n:
        shifts = (english.resampled - chinese.resampled)[:, common].mean(axis=1)
        found = doubt(
            percentile_interval(settled(shifts)), _items_of_both(english, chinese, common)
        )
        value = mean(settled((english.values - chinese.values)[common]).tolist())
        yield rows.figure(
            "language_shift",
            group,
            value,
            n=n,
            interval=found.interval,
            note=join_notes(found.note, note),
        )
    else:
        yield rows.figure("language_shift", group, None, n=0, note=join_notes(_NO_REGION, note))
    yield spearman_row(rows, "language_spearman", group, english, chinese, note)


def _common(first: Scores, second: Scores) -> NDArray[np.bool_]:
    import numpy as np

    common: NDArray[np.bool_] = ~(np.isnan(first.values) | np.isnan(second.values))
    return common


def _items_of_both(first: Scores, second: Scores, common: NDArray[np.bool_]) -> Items:
    one, other = first.items_of(common), second.items_of(common)
    return Items(one.number + other.number, one.single + other.single)


def _correlation(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    x: Sequence[float],
    y: Sequence[float],
    of_resamples: Callable[[], NDArray[np.float64]],
    items: Items,
    note: str | None,
) -> StatisticRow:
    found = spearman(x, y)
    if found is None:
        reason = NO_ORDER if len(x) >= LEAST_ITEMS else TOO_FEW
        return rows.figure(statistic, group, None, n=len(x), note=join_notes(reason, note))
    bounds = doubt(error_interval(found.value, of_resamples()) if items.can_vary else None, items)
    return rows.figure(
        statistic,
        group,
        found.value,
        n=len(x),
        interval=bounds.interval,
        p_value=found.p_value,
        note=join_notes(bounds.note, note),
    )
