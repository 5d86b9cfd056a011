"""Figures of the regional protocols: maps of scores, agreement of targets, and what goes along."""

from __future__ import annotations

from functools import partial

from auditor.reports.figures.regional_kinds import DECISION, STEREOTYPE
from auditor.reports.figures.regional_maps import agreement, score_maps
from auditor.reports.figures.regional_scatters import along_indicators, warmth_competence
from auditor.reports.figures.registry import Figure

FIGURES = (
    Figure(
        name="regional-stereotype-map",
        protocol=STEREOTYPE.protocol,
        summary="mean ratings by region and trait, a page a target",
        draw=partial(score_maps, STEREOTYPE),
    ),
    Figure(
        name="regional-stereotype-agreement",
        protocol=STEREOTYPE.protocol,
        summary="rank correlations between targets in Warmth and Competence",
        draw=partial(agreement, STEREOTYPE),
    ),
    Figure(
        name="regional-stereotype-warmth-competence",
        protocol=STEREOTYPE.protocol,
        summary="Warmth against Competence, with the regions' names",
        draw=warmth_competence,
    ),
    Figure(
        name="regional-stereotype-indicators",
        protocol=STEREOTYPE.protocol,
        summary="Warmth and Competence against indicators, a page a target",
        draw=partial(along_indicators, STEREOTYPE),
    ),
    Figure(
        name="regional-decision-map",
        protocol=DECISION.protocol,
        summary="shares of comparisons won by region and task, a page a target",
        draw=partial(score_maps, DECISION),
    ),
    Figure(
        name="regional-decision-agreement",
        protocol=DECISION.protocol,
        summary="rank correlations between targets in the domains",
        draw=partial(agreement, DECISION),
    ),
    Figure(
        name="regional-decision-indicators",
        protocol=DECISION.protocol,
        summary="shares won in the domains against indicators, a page a target",
        draw=partial(along_indicators, DECISION),
    ),
)
