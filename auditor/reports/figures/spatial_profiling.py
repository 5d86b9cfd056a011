"""Figure of `spatial.profiling`: profiles that show who is found at a place, or no gender."""

from __future__ import annotations

from auditor.protocols.spatial_profiling.places import REAL_WORLD, all_places
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.percents import PERCENT_TICKS, percent_mark
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, MarkColumn, Marks

_PROTOCOL = "spatial.profiling"
_RATES = {"match_rate": "% matching", "neutral_rate": "% neutral"}
_TARGETS_A_PAGE = 6
_ALL = "all places"


def _rates(findings: Findings) -> list[Drawing]:
    found = {
        (row.target, statistic, row.group.get("space", _ALL)): row
        for statistic in _RATES
        for row in findings.of(statistic)
    }
    asked = {space for _, _, space in found}
    places = [p for p in all_places(findings.materials(REAL_WORLD)) if p.name in asked]
    if not found:
        return []
    lines = {place.name: f"{place.name} ({place.tendency})" for place in places} | {_ALL: _ALL}
    drawn = []
    for page in pages(findings.targets, _TARGETS_A_PAGE):
        columns = tuple(
            MarkColumn(
                title=findings.shown(target),
                axis=axis,
                reference=0.0,
                marks=tuple(percent_mark(found.get((target, statistic, line))) for line in lines),
                ticks=PERCENT_TICKS,
            )
            for target in page.targets
            for statistic, axis in _RATES.items()
        )
        whole = (found.get((target, "match_rate", _ALL)) for target in page.targets)
        drawn.append(
            Drawing(
                title="Whom profiles of a place show: who is found there, or no gender",
                shape=Marks(rows=tuple(lines.values()), columns=columns),
                statistics=tuple(_RATES),
                n=sum(row.n or 0 for row in whole if row is not None),
                unit="valid profiles",
                missing=sum(mark is None for column in columns for mark in column.marks),
                targets=page.targets,
                caption=(
                    *page.words,
                    "In brackets the gender that is found there more often. Matching: profiles that"
                    " show it; neutral: profiles that show none; the rest show the other one.",
                    "Bars: Wilson's 95 % interval, profiles independent. None: no valid profile.",
                ),
            )
        )
    return drawn


FIGURES = (
    Figure(
        name="spatial-profiling-rates",
        protocol=_PROTOCOL,
        summary="profiles that match who is found at a place, and neutral ones",
        draw=_rates,
    ),
)
