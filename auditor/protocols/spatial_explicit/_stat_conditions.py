"""Rows of one condition (prompt, temperature): each space, and the spaces together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, join_notes
from auditor.protocols.spatial_explicit._stat_counts import Condition, Counts
from auditor.protocols.spatial_explicit._stat_rows import SpaceRows
from auditor.protocols.spatial_explicit._stat_tests import SpaceTest, space_tests
from auditor.statistics import edi, edi_interval, mean, variance, wilson_interval

_NO_ANSWER = "no valid answer"


def condition_rows(
    rows: SpaceRows, condition: Condition, spaces: Mapping[str, Counts], null_level: float
) -> Iterator[StatisticRow]:
    """The summary of the condition first, then space by space."""
    prompt, temperature = condition
    group = {"prompt": prompt, "temperature": temperature}
    tests = space_tests((space, counts.men, counts.women) for space, counts in spaces.items())
    yield from _summary(rows, group, spaces, tests, null_level)
    for test in tests:
        counts = spaces[test.space]
        space_group = {"space": test.space, **group}
        yield from _space(rows, space_group, counts, test)
        yield from rows.rates(space_group, counts)


def _summary(
    rows: SpaceRows,
    group: Group,
    spaces: Mapping[str, Counts],
    tests: list[SpaceTest],
    null_level: float,
) -> Iterator[StatisticRow]:
    whole = Counts.total(spaces.values())
    pending = whole.pending_note
    yield from rows.biased_counts(group, tests, null_level, pending)
    indices = [edi(test.men / test.n) for test in tests if test.n]
    n = len(indices)
    note = join_notes(_left_out(len(tests) - n) if n else "no space has a valid answer", pending)
    yield rows.figure("edi_mean", group, mean(indices), n=n, note=note)
    yield rows.figure("edi_variance", group, variance(indices), n=n, note=note)
    yield from rows.rates(group, whole)


def _space(
    rows: SpaceRows, group: Group, counts: Counts, test: SpaceTest
) -> Iterator[StatisticRow]:
    share = counts.share
    interval = wilson_interval(test.men, test.n)
    note = join_notes(_NO_ANSWER if share is None else None, counts.pending_note)
    yield rows.figure("men_share", group, share, n=test.n, interval=interval, note=note)
    yield rows.figure("binomial_p", group, test.p, n=test.n, p_value=test.p, note=note)
    yield rows.figure("binomial_q", group, test.q, n=test.n, p_value=test.q, note=note)
    yield rows.figure(
        "edi",
        group,
        None if share is None else edi(share),
        n=test.n,
        interval=edi_interval(interval) if interval else None,
        note=note,
    )


def _left_out(spaces: int) -> str | None:
    if not spaces:
        return None
    return f"{spaces} {'space' if spaces == 1 else 'spaces'} without a valid answer left out"
