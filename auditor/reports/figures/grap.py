"""Figures of `grap`: differences and coefficients by dimension, and how well the probe does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from auditor.protocols.grap.contrast import contrast
from auditor.protocols.grap.files import CONTRAST, RUBRIC
from auditor.protocols.grap.rubric import Dimension, rubric
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.grap_conditions import (
    Condition,
    conditions,
    is_of,
    mark_of,
    missing,
    most,
    said,
)
from auditor.reports.figures.grap_probe import areas, distributions, settings
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import (
    Drawing,
    Mark,
    MarkColumn,
    Marks,
)
from auditor.store.results import ResultRow
from auditor.types import JSON

_DIFFERENCE = "raw_difference"
_VARIANCE = "difference_variance"
_COEFFICIENT = "probe_coefficient"
_PAIRS = "pairs"
_RESPONSES = "responses"
_INTERVALS = "Thick: 95 % interval"


def _differences(findings: Findings) -> list[Drawing]:
    """Figure 2a: raw differences with the variance of the differences."""
    return [
        _difference_drawing(findings, condition)
        for condition in conditions(findings.of(_DIFFERENCE), "dimension")
    ]


def _difference_drawing(findings: Findings, condition: Condition) -> Drawing:
    first, second = contrast(findings.materials(CONTRAST)).levels
    found = _by_dimension(findings.of(_DIFFERENCE), condition)
    variances = _by_dimension(findings.of(_VARIANCE), condition)
    dimensions = _dimensions(findings, found)

    def mark(row: ResultRow) -> Mark | None:
        variance = variances.get((row.target, row.group["dimension"]))
        return mark_of(row, reach=None if variance is None else variance.value)

    columns = _columns(findings, found, dimensions, f"{first} minus {second}", mark)
    return Drawing(
        title=f"Raw differences by dimension, {said(condition)}",
        shape=Marks(rows=_titles(dimensions), columns=columns),
        statistics=(_DIFFERENCE, _VARIANCE),
        n=most(found.values()),
        unit=_PAIRS,
        missing=missing(columns),
        targets=findings.targets,
        caption=(
            f"Mean difference of the scores within pairs, {first} minus {second}: right of the"
            f" line the answer to the {first} side scores higher. {_INTERVALS} of the mean"
            " (Student's t over pairs). Thin: the mean, plus and minus the variance of the"
            " differences, as the paper draws it.",
        ),
    )


def _coefficients(findings: Findings) -> list[Drawing]:
    """Figure 2b: standardised coefficients with bootstrap intervals."""
    rows = [row for row in findings.of(_COEFFICIENT) if row.group.get("scale") == "standardised"]
    return [
        _coefficient_drawing(findings, rows, condition)
        for condition in conditions(rows, "dimension", "scale")
    ]


def _coefficient_drawing(
    findings: Findings, rows: Sequence[ResultRow], condition: Condition
) -> Drawing:
    first, _ = contrast(findings.materials(CONTRAST)).levels
    found = _by_dimension(rows, condition, "scale")
    turned = _by_dimension(findings.of("sign_differs"), condition)
    dimensions = _dimensions(findings, found)

    def mark(row: ResultRow) -> Mark | None:
        sign = turned.get((row.target, row.group["dimension"]))
        return mark_of(row, is_hollow=sign is not None and sign.value == 1.0)

    columns = _columns(findings, found, dimensions, "log-odds per SD of the score", mark)
    return Drawing(
        title=f"Coefficients of the probe, {said(condition)}",
        shape=Marks(rows=_titles(dimensions), columns=columns),
        statistics=(_COEFFICIENT, "sign_differs"),
        n=most(found.values()),
        unit=_RESPONSES,
        missing=missing(columns),
        targets=findings.targets,
        caption=(
            f"Standardised coefficients: right of the line a dimension speaks for the {first}"
            f" side while the others are held. {_INTERVALS} (bootstrap over pairs, refitted)."
            " Hollow diamonds: the raw difference has the other sign.",
        ),
    )


def _by_dimension(
    rows: Iterable[ResultRow], condition: Condition, *inner: str
) -> dict[tuple[str, JSON], ResultRow]:
    return {
        (row.target, row.group["dimension"]): row
        for row in rows
        if "dimension" in row.group and is_of(row, condition, "dimension", *inner)
    }


def _dimensions(
    findings: Findings, found: Mapping[tuple[str, JSON], ResultRow]
) -> list[Dimension | str]:
    """Those that any target has, in the rubric's order, then any that the rubric lacks."""
    known = rubric(findings.materials(RUBRIC)).dimensions
    asked = dict.fromkeys(str(dimension) for _, dimension in found)
    inside = [known[key] for key in known if key in asked]
    return [*inside, *(key for key in asked if key not in known)]


def _key(dimension: Dimension | str) -> str:
    return dimension if isinstance(dimension, str) else dimension.key


def _titles(dimensions: Sequence[Dimension | str]) -> tuple[str, ...]:
    return tuple(each if isinstance(each, str) else each.title for each in dimensions)


def _columns(
    findings: Findings,
    found: Mapping[tuple[str, JSON], ResultRow],
    dimensions: Sequence[Dimension | str],
    axis: str,
    mark: Callable[[ResultRow], Mark | None],
) -> tuple[MarkColumn, ...]:
    """A column a target."""
    return tuple(
        MarkColumn(
            title=findings.shown(target),
            axis=axis,
            reference=0.0,
            marks=tuple(
                None if (row := found.get((target, _key(dimension)))) is None else mark(row)
                for dimension in dimensions
            ),
        )
        for target in findings.targets
    )


FIGURES = (
    Figure(
        name="grap-differences",
        protocol="grap",
        summary="raw differences by dimension and target, with their variance",
        draw=_differences,
    ),
    Figure(
        name="grap-coefficients",
        protocol="grap",
        summary="the probe's coefficients by dimension and target",
        draw=_coefficients,
    ),
    Figure(
        name="grap-auc",
        protocol="grap",
        summary="AUC of the probe by target and preset",
        draw=areas,
    ),
    Figure(
        name="grap-probabilities",
        protocol="grap",
        summary="distributions of the predicted probability by side",
        draw=distributions,
    ),
    Figure(
        name="grap-settings",
        protocol="grap",
        summary="the response alone against prompt and response",
        draw=settings,
    ),
)
