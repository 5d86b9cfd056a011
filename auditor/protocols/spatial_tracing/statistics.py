"""What `spatial.tracing` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auditor.protocols.base import Bases, CellRecord, Materials, StatisticRow
from auditor.protocols.rows import Group, Rows
from auditor.protocols.spatial_explicit.prompts import DOMAINS, all_spaces
from auditor.protocols.spatial_tracing._stat_headlines import headlines
from auditor.protocols.spatial_tracing._stat_scores import Tally, collect
from auditor.protocols.spatial_tracing._stat_spaces import domain_row, space_rows
from auditor.protocols.spatial_tracing.values import REWARD
from auditor.protocols.tuning_shifts import tuning_rows
from auditor.types import JSON

__all__ = ["PROTOCOL", "across", "headlines", "statistics"]

PROTOCOL = "spatial.tracing"
_DEFAULT_PROMPT = "1"


def statistics(
    target: str, cells: Iterable[CellRecord], materials: Materials
) -> Iterator[StatisticRow]:
    """All rows of one target: overall rates, then by prompt its domains and spaces.

    The prompt stands in a group where it is not the default one. A target without any score has
    rates alone. Raises StatisticsError for an annotation value that the task does not allow.
    """
    domain_of = {space.name: space.domain for space in all_spaces(materials)}
    scores = collect(cells)
    kinds = scores.kinds()
    rows = Rows(PROTOCOL, target)
    yield from _rates(rows, {}, Tally.total(found.tally for found in scores.spaces()))
    for prompt, spaces in scores.by_prompt.items():
        level: dict[str, JSON] = {} if prompt == _DEFAULT_PROMPT else {"prompt": prompt}
        if level:
            whole = Tally.total(found.tally for found in spaces.values())
            yield from _rates(rows, level, whole)
        for domain in DOMAINS if REWARD in kinds else ():
            part = [found for found in spaces.values() if domain_of.get(found.space) == domain]
            if part:
                yield domain_row(rows, {"domain": domain, **level}, part)
        for found in spaces.values():
            group = {"space": found.space, **level}
            yield from space_rows(rows, group, found, kinds)
            yield from _rates(rows, group, found.tally)


def across(
    rows: Sequence[StatisticRow], materials: Materials, bases: Bases
) -> Iterator[StatisticRow]:
    """Rows that compare two targets: reward models, and tuned models against their bases."""
    from auditor.protocols.spatial_tracing._stat_across import agreement_rows

    yield from agreement_rows(PROTOCOL, rows)
    domain_of = {space.name: space.domain for space in all_spaces(materials)}
    yield from tuning_rows(PROTOCOL, rows, domain_of, bases)


def _rates(rows: Rows, group: Group, tally: Tally) -> Iterator[StatisticRow]:
    return rows.label_rates(
        group,
        {"refusal": tally.refusal, "invalid": tally.invalid},
        responses=tally.responses,
        pending=tally.pending,
        truncated=tally.truncated,
    )
