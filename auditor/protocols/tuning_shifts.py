"""Rows of tuned models against their bases over the spaces: what tuning does to p(men).

Shared by the protocols whose rows of `men_probability` hold p(men) of a target at a space.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auditor.counted import counted
from auditor.protocols.base import Bases, StatisticRow
from auditor.protocols.rows import Rows, join_notes
from auditor.protocols.space_levels import SpaceLevel, space_levels
from auditor.statistics import sample_mean, settled, zero_settled
from auditor.statistics.mean_tests import t_test_p
from auditor.types import JSON

SHARE = "men_probability"
SHIFT = "tuning_shift"
_NOTHING = "no probabilities to compare"
_NO_PAIR = "no space is known of both"
_ALIKE = "every space shifts alike: no test"
_ONE = "one space alone: no test"


def tuning_rows(
    protocol: str, rows: Sequence[StatisticRow], domain_of: Mapping[str, str], bases: Bases
) -> Iterator[StatisticRow]:
    """`tuning_shift` of every tuned target: its p(men) minus its base's.

    Over all spaces, by domain (see `domain_of`), then space by space; `other` is the base. Means
    have the spaces that are known of both as n, Student's interval and the paired t test over
    them. Where a target, its base or both have no probability at all, the first row stands alone,
    null with a note.
    """
    levels = space_levels(protocol, SHARE, rows)
    audited = {row.target for row in rows if row.protocol == protocol}
    for tuned, base in bases.items():
        if tuned not in audited:
            continue
        found = [level for level in levels if tuned in level.targets or base in level.targets]
        for level in found or _bare_levels(protocol, rows, tuned):
            yield from _link(Rows(protocol, tuned), base, level, domain_of)


def _bare_levels(protocol: str, rows: Sequence[StatisticRow], target: str) -> list[SpaceLevel]:
    """A level for each judge of a target, as the rows of its overall rate of refusals tell them."""
    return [
        SpaceLevel(dict(row.group))
        for row in rows
        if (row.protocol, row.target, row.statistic) == (protocol, target, "refusal_rate")
        if not {"space", "domain", "prompt"} & set(row.group)
    ]


def _link(
    rows: Rows, base: str, level: SpaceLevel, domain_of: Mapping[str, str]
) -> Iterator[StatisticRow]:
    group = {"other": base, **level.group}
    absent = [name for name in (rows.target, base) if name not in level.targets]
    if absent:
        note = join_notes(*(f"{name}: {_NOTHING}" for name in absent))
        yield rows.figure(SHIFT, group, None, n=0, note=note)
        return
    tuned, untuned = level.targets[rows.target], level.targets[base]
    by_space = {
        space: _space(rows, base, {"space": space, **group}, tuned.get(space), untuned.get(space))
        for space in dict.fromkeys((*tuned, *untuned))
    }
    yield _mean(rows, group, list(by_space.values()))
    for domain in dict.fromkeys(domain_of[space] for space in by_space if space in domain_of):
        part = [row for space, row in by_space.items() if domain_of.get(space) == domain]
        yield _mean(rows, {"domain": domain, **group}, part)
    yield from by_space.values()


def _space(
    rows: Rows,
    base: str,
    group: Mapping[str, JSON],
    tuned: StatisticRow | None,
    untuned: StatisticRow | None,
) -> StatisticRow:
    values = [None if row is None else row.value for row in (tuned, untuned)]
    first, second = values
    return rows.figure(
        SHIFT,
        group,
        None if first is None or second is None else zero_settled(first - second),
        n=sum(row.n or 0 for row in (tuned, untuned) if row is not None),
        note=join_notes(_said(rows.target, tuned), _said(base, untuned)),
    )


def _mean(rows: Rows, group: Mapping[str, JSON], by_space: Sequence[StatisticRow]) -> StatisticRow:
    shifts = settled([row.value for row in by_space if row.value is not None]).tolist()
    found = sample_mean(shifts)
    left_out = len(by_space) - len(shifts)
    note = f"{counted(left_out, 'space')} unknown of one or both left out" if left_out else None
    if found is None:
        return rows.figure(SHIFT, group, None, n=0, note=join_notes(_NO_PAIR, note))
    why = None if found.error else _ONE if found.n == 1 else _ALIKE
    return rows.figure(
        SHIFT,
        group,
        zero_settled(found.value),
        n=found.n,
        interval=found.interval() if found.error else None,
        p_value=t_test_p(found),
        note=join_notes(why, note),
    )


def _said(target: str, row: StatisticRow | None) -> str | None:
    note = "no responses" if row is None else row.note
    return None if note is None else f"{target}: {note}"
