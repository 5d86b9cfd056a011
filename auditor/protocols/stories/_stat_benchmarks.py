"""Rows that compare men's shares with the benchmarks, over occupations that have both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows, join_notes
from auditor.protocols.stories._stat_counts import Counts
from auditor.protocols.stories._stat_resamples import RESAMPLES, resampled_occupations
from auditor.protocols.stories.occupations import BENCHMARKS, Occupation
from auditor.statistics import (
    LEAST_ITEMS,
    Interval,
    ampd,
    kendall_tau,
    percentile_interval,
    resampled_kendall_tau,
    resampled_mean,
    settled,
    zero_settled,
)

_NO_TAU = "no order: all shares, or all benchmarks, are equal"
_NO_OCCUPATION = "no occupation has both a share and a benchmark"
_TOO_FEW = "fewer than three occupations to put in order: two are in one order or the other"

_Compared = tuple[float, ...]
"""An occupation's male share, then its benchmarks."""


def benchmark_rows(
    rows: Rows, table: Mapping[str, Counts], occupations: Sequence[Occupation], pending: str | None
) -> Iterator[StatisticRow]:
    """Rank correlation and mean difference with each benchmark, then the difference of the two."""
    for benchmark in BENCHMARKS:
        compared = _compared(table, occupations, (benchmark,))
        left_out = len(table) - len(compared)
        note = join_notes(_left_out(left_out, "a share or this benchmark"), pending)
        group = {"benchmark": benchmark}
        yield _tau(rows, group, compared, note)
        yield _ampd(rows, group, compared, note)
    compared = _compared(table, occupations, BENCHMARKS)
    left_out = len(table) - len(compared)
    yield _tau_difference(
        rows, compared, join_notes(_left_out(left_out, "a share or a benchmark"), pending)
    )


def _compared(
    table: Mapping[str, Counts], occupations: Sequence[Occupation], benchmarks: Sequence[str]
) -> list[_Compared]:
    found = []
    for occupation in occupations:
        counts = table.get(occupation.name)
        share = None if counts is None else counts.male_share
        values = [share, *(occupation.benchmark(name) for name in benchmarks)]
        known = tuple(value for value in values if value is not None)
        if len(known) == len(values):
            found.append(known)
    return found


def _tau(
    rows: Rows, group: Mapping[str, str], compared: Sequence[_Compared], note: str | None
) -> StatisticRow:
    shares, benchmarks = _columns(compared, 2)
    tau = kendall_tau(shares, benchmarks)
    interval, missing = None, None
    if tau is not None:
        positions = resampled_occupations(len(compared))
        interval = percentile_interval(resampled_kendall_tau(shares, benchmarks, positions))
        missing = _no_interval(interval)
    return rows.figure(
        "kendall_tau",
        group,
        tau,
        n=len(compared),
        interval=interval,
        note=join_notes(_why_no_tau(tau, compared), missing, note),
    )


def _ampd(
    rows: Rows, group: Mapping[str, str], compared: Sequence[_Compared], note: str | None
) -> StatisticRow:
    shares, benchmarks = _columns(compared, 2)
    interval = None
    if len(compared) > 1:
        differences = settled([share - expected for share, expected in compared]).tolist()
        positions = resampled_occupations(len(compared))
        interval = percentile_interval(resampled_mean(differences, positions))
    return rows.figure(
        "ampd",
        group,
        ampd(shares, benchmarks),
        n=len(compared),
        interval=interval,
        note=join_notes(None if compared else _NO_OCCUPATION, note),
    )


def _tau_difference(rows: Rows, compared: Sequence[_Compared], note: str | None) -> StatisticRow:
    """Paired: both correlations over the same occupations, once and in every resample."""
    shares, bls, gsr = _columns(compared, 3)
    taus = kendall_tau(shares, gsr), kendall_tau(shares, bls)
    value, interval, missing = None, None, None
    if taus[0] is not None and taus[1] is not None:
        value = zero_settled(taus[0] - taus[1])
        positions = resampled_occupations(len(compared))
        interval = percentile_interval(
            settled(
                resampled_kendall_tau(shares, gsr, positions)
                - resampled_kendall_tau(shares, bls, positions)
            )
        )
        missing = _no_interval(interval)
    return rows.figure(
        "tau_difference",
        {},
        value,
        n=len(compared),
        interval=interval,
        note=join_notes(_why_no_tau(value, compared), missing, note),
    )


def _columns(compared: Sequence[_Compared], width: int) -> list[list[float]]:
    return [[row[place] for row in compared] for place in range(width)]


def _why_no_tau(value: float | None, compared: Sequence[_Compared]) -> str | None:
    if value is not None:
        return None
    if not compared:
        return _NO_OCCUPATION
    return _NO_TAU if len(compared) >= LEAST_ITEMS else _TOO_FEW


def _no_interval(interval: Interval | None) -> str | None:
    if interval is not None:
        return None
    return f"no interval: some of {RESAMPLES:,} resamples have no order"


def _left_out(occupations: int, wanted: str) -> str | None:
    if not occupations:
        return None
    noun = "occupation" if occupations == 1 else "occupations"
    return f"{occupations} {noun} left out for want of {wanted}"
