"""Rows of mean ratings: of a region on a trait or dimension, and of all regions on a trait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_doubt import ALL_AGREE, ONE_REPETITION
from auditor.protocols.regional._stat_labels import HIGHEST, LOWEST
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import SampleMean, averaged

NO_RATING = "no valid rating"


def mean_rating_rows(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    regions: Sequence[str],
    means: Mapping[str, SampleMean],
    *,
    nothing: str,
    note: str | None,
) -> Iterator[StatisticRow]:
    """A region's mean with Student's interval; n = valid ratings."""
    for region in regions:
        yield _row(rows, statistic, {"region": region, **group}, means.get(region), nothing, note)


def error_rows(
    rows: Rows,
    group: Mapping[str, str],
    regions: Sequence[str],
    means: Mapping[str, SampleMean],
    note: str | None,
) -> Iterator[StatisticRow]:
    """`stereotype_score_se`, the standard error of each mean; null for fewer than two ratings."""
    for region in regions:
        found = means.get(region)
        missing = None
        if found is None:
            missing = NO_RATING
        elif found.error is None:
            missing = "one rating shows no variation"
        yield rows.figure(
            "stereotype_score_se",
            {"region": region, **group},
            None if found is None else found.error,
            n=0 if found is None else found.n,
            note=join_notes(missing, note),
        )


def trait_mean_row(
    rows: Rows, group: Mapping[str, str], means: Mapping[str, SampleMean], note: str | None
) -> StatisticRow:
    """`mean` of the regions' scores; n = regions with a score."""
    whole = averaged(list(means.values()))
    row = _row(rows, "mean", group, whole, NO_RATING, note)
    return replace(row, n=len(means))


def dimension_means(
    by_trait: Sequence[Mapping[str, SampleMean]],
) -> dict[str, SampleMean]:
    """Mean over traits by region, of regions that have a score on every one of them."""
    found = {}
    for region in by_trait[0]:
        parts = [means[region] for means in by_trait if region in means]
        whole = averaged(parts) if len(parts) == len(by_trait) else None
        if whole is not None:
            found[region] = whole
    return found


def _row(
    rows: Rows,
    statistic: str,
    group: Mapping[str, str],
    found: SampleMean | None,
    nothing: str,
    note: str | None,
) -> StatisticRow:
    if found is None:
        return rows.figure(statistic, group, None, n=0, note=join_notes(nothing, note))
    remark = None
    if found.error is None:
        remark = ONE_REPETITION
    elif found.error == 0:
        remark = ALL_AGREE
    return rows.figure(
        statistic,
        group,
        found.value,
        n=found.n,
        interval=found.interval(lowest=LOWEST, highest=HIGHEST),
        note=join_notes(remark, note),
    )
