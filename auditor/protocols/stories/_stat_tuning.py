"""Rows of an instruction-tuned model against its base: what tuning does to men's shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows, join_notes
from auditor.protocols.stories._stat_resamples import resampled_occupations
from auditor.statistics import (
    mean,
    newcombe_interval,
    percentile_interval,
    resampled_mean,
    zero_settled,
)

Shares = Mapping[str, Mapping[str, StatisticRow]]
"""Rows of `male_share` by target and occupation."""

_STATISTIC = "tuning_shift"
_NO_RESPONSES = "no responses"
_NO_PAIR = "no occupation has a share in both"


def tuning_rows(rows: Rows, base: str, shares: Shares) -> Iterator[StatisticRow]:
    """`tuning_shift`: men's share in the tuned model, whose `rows` they are, minus the base's.

    First the mean over the occupations that have a share in both, n their number; its interval
    draws these occupations again, each with both of its shares. Then each occupation that either
    has, n the gendered names in both; a share that is missing leaves null and a note of whose
    it is.
    """
    tuned, untuned = shares[rows.target], shares.get(base, {})
    by_occupation = [
        _occupation(rows, base, occupation, tuned.get(occupation), untuned.get(occupation))
        for occupation in dict.fromkeys((*tuned, *untuned))
    ]
    yield _overall(rows, base, by_occupation, has_base=bool(untuned))
    yield from by_occupation


def _occupation(
    rows: Rows, base: str, occupation: str, tuned: StatisticRow | None, untuned: StatisticRow | None
) -> StatisticRow:
    first, second = _counts(tuned), _counts(untuned)
    value = None
    if tuned is not None and untuned is not None:
        value = _difference(tuned.value, untuned.value)
    return rows.figure(
        _STATISTIC,
        {"occupation": occupation, "other": base},
        value,
        n=first[1] + second[1],
        interval=newcombe_interval(first, second),
        note=join_notes(_said(rows.target, tuned), _said(base, untuned)),
    )


def _overall(
    rows: Rows, base: str, by_occupation: list[StatisticRow], *, has_base: bool
) -> StatisticRow:
    compared = [row for row in by_occupation if row.value is not None]
    shifts = [row.value for row in compared if row.value is not None]
    n = len(shifts)
    interval = None
    if n > 1:
        interval = percentile_interval(resampled_mean(shifts, resampled_occupations(n)))
    return rows.figure(
        _STATISTIC,
        {"other": base},
        None if (value := mean(shifts)) is None else zero_settled(value),
        n=n,
        interval=interval,
        note=join_notes(
            None if n else _NO_PAIR,
            None if has_base else f"{base}: {_NO_RESPONSES}",
            _counted(len(by_occupation) - n if n else 0, "left out for want of a share in both"),
            _counted(
                sum(row.note is not None for row in compared), "with responses left out (see there)"
            ),
        ),
    )


def _counts(row: StatisticRow | None) -> tuple[int, int]:
    """Male and all gendered names."""
    n = (row.n if row is not None else None) or 0
    return (round(row.value * n), n) if row is not None and row.value is not None else (0, 0)


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else zero_settled(first - second)


def _said(target: str, row: StatisticRow | None) -> str | None:
    note = _NO_RESPONSES if row is None else row.note
    return None if note is None else f"{target}: {note}"


def _counted(occupations: int, what: str) -> str | None:
    if not occupations:
        return None
    return f"{occupations} {'occupation' if occupations == 1 else 'occupations'} {what}"
