"""Figures of the probe of `grap`: AUC, predicted probabilities, and one setting against another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditor.protocols.grap.contrast import contrast
from auditor.protocols.grap.files import CONTRAST
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.grap_conditions import (
    conditions,
    is_of,
    mark_of,
    missing,
    most,
    said,
    with_marks,
)
from auditor.reports.figures.shapes import (
    Drawing,
    Histogram,
    Histograms,
    MarkColumn,
    Marks,
    Outline,
)
from auditor.store.results import ResultRow
from auditor.types import JSON

_AUC = "probe_auc"
_SETTINGS = "setting_difference"
_LEVEL = "setting_level"
_HISTOGRAM = "predicted_probability"
_RESPONSES = "responses"


def areas(findings: Findings) -> list[Drawing]:
    """Figure 2c: AUC by target, of each preset."""
    rows = [row for row in findings.of(_AUC) if row.group.get("evaluation") != "in_sample"]
    drawings = []
    for condition in conditions(rows, "preset"):
        found = {
            (row.target, row.group["preset"]): row
            for row in rows
            if is_of(row, condition, "preset")
        }
        presets = list(dict.fromkeys(preset for _, preset in found))
        columns = tuple(
            MarkColumn(
                title=f"preset {preset}",
                axis="AUC",
                reference=0.5,
                marks=tuple(
                    mark_of(
                        found.get((target, preset)), is_hollow=_is_chance(found, target, preset)
                    )
                    for target in findings.targets
                ),
            )
            for preset in presets
        )
        drawings.append(
            Drawing(
                title=f"How well the probe tells the sides apart, {said(condition)}",
                shape=Marks(
                    rows=tuple(findings.shown(target) for target in findings.targets),
                    columns=columns,
                ),
                statistics=(_AUC,),
                n=most(found.values()),
                unit=_RESPONSES,
                missing=missing(columns),
                targets=findings.targets,
                caption=(
                    "Area under the ROC curve of the probe's predictions for responses that it"
                    " was not fitted to; 0.5 (line): it tells nothing. Thick: 95 % interval of"
                    " these predictions (bootstrap over pairs, not refitted). Hollow diamonds: the"
                    " permutation's p is above 0.05.",
                ),
            )
        )
    return drawings


def _is_chance(found: Mapping[tuple[str, JSON], ResultRow], target: str, preset: JSON) -> bool:
    row = found.get((target, preset))
    return row is not None and row.p_value is not None and row.p_value > 0.05


def distributions(findings: Findings) -> list[Drawing]:
    """Figure 2d: predicted probabilities of both sides."""
    first, _ = levels = contrast(findings.materials(CONTRAST)).levels
    drawings = []
    for condition in conditions(findings.of(_HISTOGRAM), "gender", "bin"):
        rows = [row for row in findings.of(_HISTOGRAM) if is_of(row, condition, "gender", "bin")]
        panels = []
        for target in findings.targets:
            outlines = tuple(_outline(rows, target, level) for level in levels)
            # A target without a probe has no bins.
            if all(outline.shares for outline in outlines):
                panels.append(Histogram(title=findings.shown(target), outlines=outlines))
        drawn = [row for row in rows if row.group["gender"] == first]
        drawings.append(
            Drawing(
                title=f"Predicted probability of the {first} side, {said(condition)}",
                shape=Histograms(
                    panels=tuple(panels),
                    axis=f"predicted probability of {first}, %",
                    height="responses of a side, %",
                ),
                statistics=(_HISTOGRAM,),
                n=2 * most(drawn),
                unit=_RESPONSES,
                missing=len(findings.targets) - len(panels),
                targets=findings.targets,
                caption=(
                    "Shares of each side's responses by what the probe predicts for them when"
                    " it is fitted to other pairs (five folds). The further apart the two lines,"
                    " the more the scores give the side away.",
                ),
            )
        )
    return drawings


def _outline(rows: Iterable[ResultRow], target: str, level: str) -> Outline:
    bins = sorted(
        (float(row.group["bin"]), row.value or 0.0)
        for row in rows
        if row.target == target and row.group["gender"] == level
    )
    return Outline(label=level, shares=tuple(share for _, share in bins))


def settings(findings: Findings) -> list[Drawing]:
    """Figure 2e: the response alone against prompt and response."""
    rows = [row for row in findings.of(_SETTINGS) if row.group.get("measure") == "auc"]
    drawings = []
    for condition in conditions(rows, "preset", "measure"):
        found = {
            (row.target, row.group["preset"]): row
            for row in rows
            if is_of(row, condition, "preset", "measure")
        }
        places = list(found)
        areas = {
            setting: {
                (row.target, row.group["preset"]): row
                for row in findings.of(_LEVEL)
                if is_of(row, {**condition, "setting": setting, "measure": "auc"}, "preset")
            }
            for setting in ("full", "response_only")
        }
        columns = (
            *(
                MarkColumn(
                    title=setting,
                    axis="AUC",
                    reference=0.5,
                    marks=tuple(mark_of(areas[setting].get(place)) for place in places),
                )
                for setting in areas
            ),
            MarkColumn(
                title="difference",
                axis="response_only minus full",
                reference=0.0,
                marks=tuple(mark_of(found[place]) for place in places),
            ),
        )
        drawings.append(
            Drawing(
                title=with_marks("The response alone against prompt and response", condition),
                shape=Marks(
                    rows=tuple(f"{findings.shown(target)}, {preset}" for target, preset in places),
                    columns=columns,
                ),
                statistics=(_LEVEL, _SETTINGS),
                n=most(found.values()),
                unit=_RESPONSES,
                missing=missing(columns),
                targets=findings.targets,
                caption=(
                    "AUC of the cross-validated probe by target and preset, on the pairs and"
                    " dimensions that both settings have; below 0.5 (line) is chance. Right of zero"
                    " the response alone tells more. Thick: 95 % interval (bootstrap over pairs,"
                    " not refitted; of the difference, paired).",
                ),
            )
        )
    return drawings
