"""Rows of the Bradley-Terry fit of one task in one language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_comparisons import Setting
from auditor.protocols.regional._stat_decisions import NO_WINNER
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import BradleyTerry, Drift, bradley_terry

_SEPARATED = "separated outcomes: strengths are ordinal only, their sizes are the penalty's"
_ONE_PAIR = "one pair of regions: no interval"
_BOUND = "bound: nothing but the penalty keeps it finite"
_ORDER = {
    Drift.UPWARDS: f"at its upper {_BOUND}",
    Drift.DOWNWARDS: f"at its lower {_BOUND}",
    Drift.FREE: "not determined: strengths alone explain every choice",
}


def strength_rows(
    rows: Rows, group: Mapping[str, str], setting: Setting, note: str | None
) -> Iterator[StatisticRow]:
    """`bt_strength` of every region with a comparison, then `order_effect`."""
    n = int(setting.first_wins.n)
    if not n:
        for region in setting.scores.regions:
            grouped = {"region": region, **group}
            yield rows.figure("bt_strength", grouped, None, n=0, note=join_notes(NO_WINNER, note))
        yield rows.figure("order_effect", group, None, n=0, note=join_notes(NO_WINNER, note))
        return
    fit = bradley_terry(setting.wins, setting.losses)
    remark = _remark(fit)
    for place, region in enumerate(setting.scores.regions):
        compared = int(setting.scores.n[place])
        is_measured = compared > 0 and not fit.separation.is_separated
        yield rows.figure(
            "bt_strength",
            {"region": region, **group},
            fit.strengths[place] if compared else None,
            n=compared,
            interval=fit.strength_interval(place) if is_measured else None,
            note=join_notes(remark if compared else NO_WINNER, note),
        )
    drift = fit.separation.last
    yield rows.figure(
        "order_effect",
        group,
        fit.order_effect,
        n=n,
        interval=fit.order_interval() if drift is Drift.FINITE else None,
        note=join_notes(_ORDER.get(drift), _ONE_PAIR if fit.errors is None else None, note),
    )


def _remark(fit: BradleyTerry) -> str | None:
    apart = f"{fit.parts} groups of regions never compared with each other" if fit.parts > 1 else ""
    return join_notes(
        _SEPARATED if fit.separation.is_separated else None,
        _ONE_PAIR if fit.errors is None else None,
        apart,
    )
