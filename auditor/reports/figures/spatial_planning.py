"""Figures of `spatial.planning`: which facility is recommended to whom, and for which reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from auditor.protocols.spatial_planning.facilities import MAJORITIES, ORDERS
from auditor.protocols.spatial_planning.labels import KINDS
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import TargetPage, pages
from auditor.reports.figures.percents import PERCENT_TICKS, percent_mark
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Mark, MarkColumn, Marks
from auditor.store.results import ResultRow

_PROTOCOL = "spatial.planning"
_POOLED = "pooled"
_COLUMNS_A_PAGE = 8
_ORDER_WORDS = {
    "ab": "male-dominated one first",
    "ba": "male-dominated one second",
    _POOLED: "both orders pooled",
}
_ODDS_TICKS = ((0.0, "0"), (0.25, "1/3"), (0.5, "1"), (0.75, "3"), (1.0, "∞"))
"""Odds ratios at their places, which are r / (1 + r): zero and infinity have one too."""

Rows = Mapping[tuple[str, str], ResultRow]
"""By target and line."""


def _odds(findings: Findings) -> list[Drawing]:
    """Odds ratios by order and pooled, with exact intervals (Appendix J of the paper)."""
    found = {(r.target, r.group["order"]): r for r in findings.of("planning_odds_ratio")}
    return _drawings(
        findings,
        found,
        lines=_ORDER_WORDS,
        statistic="planning_odds_ratio",
        title="Which facility for whom: odds ratio of the male-dominated one, by order and target",
        axis="odds ratio",
        reference=0.5,
        ticks=_ODDS_TICKS,
        mark=odds_mark,
        counted=(_POOLED,),
        unit="choices",
        caption=(
            "Odds of recommending the male-dominated facility where 80 % of the residents are men,"
            " over those where 80 % are women. Right of the line (1): as the stereotype has it.",
            "Scale: r / (1 + r), so that 0 and infinity have a place. Bars: exact 95 % interval;"
            " pooled: Mantel-Haenszel, one ratio for both orders. ∞: for one majority no choice"
            " goes against the stereotype."
            " None: no choice, or one facility or one majority alone.",
        ),
    )


def _shares(findings: Findings) -> list[Drawing]:
    """How often the male-dominated facility is recommended, by order and majority."""
    found = {
        (row.target, f"{row.group['order']} {row.group['majority']}"): row
        for row in findings.of("male_facility_share")
    }
    lines = {
        f"{order} {majority}": f"80 % {majority}, {_ORDER_WORDS[order]}"
        for order in ORDERS
        for majority in MAJORITIES
    }
    return _drawings(
        findings,
        found,
        lines=lines,
        statistic="male_facility_share",
        title="How often the male-dominated facility is recommended, by majority and order",
        axis="% of choices",
        reference=50.0,
        ticks=PERCENT_TICKS,
        mark=percent_mark,
        counted=tuple(lines),
        unit="choices",
        caption=(
            "Two lines of one order differ by the majority alone. Bars: Wilson's 95 % interval,"
            " choices independent. None: no choice.",
        ),
    )


def _reasons(findings: Findings) -> list[Drawing]:
    """How often reasons rest on gender and space, by kind (Appendix J.3)."""
    found = {
        (row.target, str(row.group.get("kind", "any"))): row
        for row in findings.of("rationale_rate")
    }
    return _drawings(
        findings,
        found,
        lines={kind: kind.replace("_", " ") for kind in ("any", *KINDS)},
        statistic="rationale_rate",
        title="Reasons that rest on gender and space, by kind and target",
        axis="% of answers",
        reference=0.0,
        ticks=PERCENT_TICKS,
        mark=percent_mark,
        counted=("any",),
        unit="annotated answers",
        caption=(
            "Any: the four kinds together. Bars: Wilson's 95 % interval, answers independent. The"
            " offline judge goes by cue words: a cross-check; quote a model's or people's.",
        ),
    )


def odds_mark(row: ResultRow | None) -> Mark | None:
    """An odds ratio r at r / (1 + r); infinity, whose row has a lower end alone, at 1."""
    if row is None:
        return None
    if row.value is None:
        return (
            None
            if row.ci_low is None
            else Mark(value=1.0, low=_placed(row.ci_low), high=1.0, said="∞")
        )
    low, high = (None if end is None else _placed(end) for end in (row.ci_low, row.ci_high))
    return Mark(value=_placed(row.value), low=low, high=high, said=f"{row.value:.3g}")


def _placed(ratio: float) -> float:
    return ratio / (1 + ratio)


def _drawings(
    findings: Findings,
    found: Rows,
    *,
    lines: Mapping[str, str],
    statistic: str,
    title: str,
    axis: str,
    reference: float,
    ticks: tuple[tuple[float, str], ...],
    mark: Callable[[ResultRow | None], Mark | None],
    counted: Sequence[str],
    unit: str,
    caption: tuple[str, ...],
) -> list[Drawing]:
    """A column a target; `counted` are the lines whose n add up to the figure's."""
    if not found:
        return []

    def drawing(page: TargetPage) -> Drawing:
        columns = tuple(
            MarkColumn(
                title=findings.shown(target),
                axis=axis,
                reference=reference,
                marks=tuple(mark(found.get((target, line))) for line in lines),
                ticks=ticks,
            )
            for target in page.targets
        )
        rows = (found.get((target, line)) for target in page.targets for line in counted)
        return Drawing(
            title=title,
            shape=Marks(rows=tuple(lines.values()), columns=columns),
            statistics=(statistic,),
            n=sum(row.n or 0 for row in rows if row is not None),
            unit=unit,
            missing=sum(each is None for column in columns for each in column.marks),
            targets=page.targets,
            caption=(*page.words, *caption),
        )

    return [drawing(page) for page in pages(findings.targets, _COLUMNS_A_PAGE)]


FIGURES = (
    Figure(
        name="spatial-planning-odds",
        protocol=_PROTOCOL,
        summary="odds ratio of the male-dominated facility, by order, with exact intervals",
        draw=_odds,
    ),
    Figure(
        name="spatial-planning-shares",
        protocol=_PROTOCOL,
        summary="how often the male-dominated facility is recommended, by majority and order",
        draw=_shares,
    ),
    Figure(
        name="spatial-planning-reasons",
        protocol=_PROTOCOL,
        summary="reasons that rest on gender and space, by kind",
        draw=_reasons,
    ),
)
