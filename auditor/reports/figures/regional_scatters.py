"""Named points of the regional protocols: Warmth against Competence, scores against indicators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.protocols.regional.files import INDICATORS, REGIONS
from auditor.protocols.regional.regions import indicators
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.region_names import RegionNames
from auditor.reports.figures.regional_kinds import (
    LANGUAGES,
    STEREOTYPE,
    Kind,
    languages,
    rows_of,
    values_of,
)
from auditor.reports.figures.shapes import Drawing, NamedPanel, NamedPoint, NamedScatter

_INDICATOR_NAMES = {
    "gdp": "GDP 2024, 100 million yuan",
    "income": "disposable income per head 2024, yuan",
    "broadband": "fixed broadband 2024, 10,000 lines",
}
_ABREAST = 3


def warmth_competence(findings: Findings) -> list[Drawing]:
    """A field for each target: regions by Competence and Warmth."""
    names = RegionNames.of(findings)
    rows = findings.of("dimension_score")
    drawings = []
    for language in languages(rows):
        panels, codes, count = [], set(), 0
        for target in findings.targets:
            spoken = rows_of(findings, "dimension_score", target, language)
            warmth = values_of(spoken, "dimension", "Warmth")
            competence = values_of(spoken, "dimension", "Competence")
            common = names.ordered(warmth.keys() & competence.keys())
            if not common:
                continue
            codes |= set(common)
            count += sum(row.n or 0 for row in spoken)
            panels.append(
                NamedPanel(
                    title=findings.shown(target),
                    x_axis="Competence, mean rating",
                    y_axis="Warmth, mean rating",
                    points=tuple(
                        NamedPoint(x=competence[code], y=warmth[code], name=names.short(code))
                        for code in common
                    ),
                    facts=_rho(
                        findings, "warmth_competence_spearman", target, {"language": language}
                    ),
                )
            )
        if panels:
            drawings.append(
                Drawing(
                    title="Warmth against Competence of the regions,"
                    f" {LANGUAGES.get(language, language)}",
                    shape=NamedScatter(panels=tuple(panels), abreast=2),
                    statistics=("dimension_score", "warmth_competence_spearman"),
                    n=count,
                    unit="valid ratings",
                    missing=0,
                    targets=findings.targets,
                    caption=(
                        "Axes differ between targets: each shows its own range.",
                        *names.words(names.ordered(codes)),
                    ),
                )
            )
    return drawings


def along_indicators(kind: Kind, findings: Findings) -> list[Drawing]:
    """A page for each target and language: every dimension or domain by every indicator."""
    names = RegionNames.of(findings)
    known = indicators(findings.materials(REGIONS, INDICATORS))
    drawings = []
    for target in findings.targets:
        for language in languages(findings.of(kind.whole_score), target):
            rows = rows_of(findings, kind.whole_score, target, language)
            panels = [
                _indicator_panel(kind, findings, names, (target, language, whole), name, values)
                for whole in dict.fromkeys(str(row.group[kind.whole]) for row in rows)
                for name, values in known.items()
            ]
            panels = [panel for panel in panels if panel.points]
            if not panels:
                continue
            left_out = {str(row.group["region"]) for row in rows} - set().union(*known.values())
            said = ", ".join(names.long(code) for code in names.ordered(left_out))
            drawings.append(
                Drawing(
                    title=f"Scores and indicators of the regions: {kind.noun} of"
                    f" {findings.shown(target)}, {LANGUAGES.get(language, language)}",
                    shape=NamedScatter(panels=tuple(panels), abreast=min(len(known), _ABREAST)),
                    statistics=(kind.whole_score, "indicator_spearman"),
                    n=sum(row.n or 0 for row in rows) // (1 if kind is STEREOTYPE else 2),
                    unit=kind.unit,
                    missing=len(left_out),
                    targets=(target,),
                    caption=(
                        "Indicators over a factor of ten stand on a logarithmic scale; rho depends"
                        " on the order alone.",
                        *((f"Without an indicator and so not shown: {said}.",) if said else ()),
                        *names.words(names.ordered({str(row.group["region"]) for row in rows})),
                    ),
                )
            )
    return drawings


def _indicator_panel(
    kind: Kind,
    findings: Findings,
    names: RegionNames,
    place: tuple[str, str, str],
    indicator: str,
    values: Mapping[str, float],
) -> NamedPanel:
    target, language, whole = place
    scores = values_of(rows_of(findings, kind.whole_score, target, language), kind.whole, whole)
    common = names.ordered(scores.keys() & values.keys())
    group = {"indicator": indicator, kind.whole: whole, "language": language}
    return NamedPanel(
        title=whole,
        x_axis=_INDICATOR_NAMES.get(indicator, indicator),
        y_axis=kind.short,
        points=tuple(
            NamedPoint(x=values[code], y=scores[code], name=names.short(code)) for code in common
        ),
        facts=_rho(findings, "indicator_spearman", target, group),
        is_log_x=_spans_a_decade([values[code] for code in common]),
    )


def _spans_a_decade(values: Sequence[float]) -> bool:
    return bool(values) and min(values) > 0 and max(values) >= 10 * min(values)


def _rho(
    findings: Findings, statistic: str, target: str, group: Mapping[str, str]
) -> tuple[str, ...]:
    for row in findings.of(statistic):
        if row.target == target and dict(row.group) == group:
            if row.value is None:
                return (f"no rho: {row.note}",)
            said = f"rho = {row.value:.2f}".replace("-", "−")
            if row.p_value is not None:
                said += ", p < 0.001" if row.p_value < 0.001 else f", p = {row.p_value:.3f}"
            return (f"{said}, {row.n} regions",)
    return ()
