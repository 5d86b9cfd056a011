"""Figures of `spatial.construction`: adjectives, agency and roles of men and women in stories."""

from __future__ import annotations

import math
from collections.abc import Iterable

from auditor.protocols.spatial_construction.prompts import GENDER_OF, GENDERS, STORIES
from auditor.protocols.spatial_construction.values import ROLES
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import (
    Drawing,
    Mark,
    MarkColumn,
    Marks,
    Scale,
    TileMap,
    Tiles,
)
from auditor.reports.figures.spatial_spaces import HOMES_FIRST
from auditor.reports.figures.tile_words import gap_words
from auditor.store.results import ResultRow

_PROTOCOL = "spatial.construction"
_COLUMNS_A_PAGE = 8
_PAIRS_A_PAGE = 7
_SHARE_TICKS = ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))
_SAID = {"solo_man": "a man alone", "solo_woman": "a woman alone", "co_present": "both"}


def _adjectives(findings: Findings) -> list[Drawing]:
    """Figure 5 of the paper: the adjectives that are most men's and most women's."""
    drawings = []
    for target in findings.targets:
        for domain in HOMES_FIRST:
            rows = [
                row
                for row in findings.of("top_adjective")
                if row.target == target and row.group["domain"] == domain
            ]
            if rows:
                drawings.append(_adjectives_of(findings, target, domain, rows))
    return drawings


def _adjectives_of(
    findings: Findings, target: str, domain: str, rows: Iterable[ResultRow]
) -> Drawing:
    ranked = sorted(rows, key=lambda row: -(row.value or 0.0))
    column = MarkColumn(
        title=findings.shown(target),
        axis="ln odds ratio (right: men's)",
        reference=0.0,
        marks=tuple(_logged(row) for row in ranked),
    )
    return Drawing(
        title=f"Adjectives of men's and women's stories, {domain} spaces",
        shape=Marks(
            rows=tuple(f"{row.group['adjective']} ({row.n})" for row in ranked), columns=(column,)
        ),
        statistics=("top_adjective",),
        n=sum(row.n or 0 for row in ranked),
        unit="occurrences",
        missing=0,
        targets=(target,),
        caption=(
            "At most ten of either gender, by the odds ratio of men's over women's solo stories;"
            " in brackets how often both have it. Bars: Woolf's 95 % interval of that adjective;"
            " the ends of a ranking look larger than they are.",
        ),
    )


def _logged(row: ResultRow) -> Mark | None:
    if row.value is None or row.ci_low is None or row.ci_high is None:
        return None
    return Mark(value=math.log(row.value), low=math.log(row.ci_low), high=math.log(row.ci_high))


def _agency(findings: Findings) -> list[Drawing]:
    """Figure 6 of the paper: agency rates by gender, domain and kind of story."""
    found = {
        (row.target, row.group["gender"], row.group["story"], row.group["domain"]): row
        for row in findings.of("agency_rate")
        if "domain" in row.group
    }
    lines = [
        (gender, story, domain)
        for story in STORIES
        for gender in GENDERS
        if GENDER_OF.get(story, gender) == gender
        for domain in HOMES_FIRST
    ]
    lines = [line for line in lines if any((t, *line) in found for t in findings.targets)]
    if not lines:
        return []
    drawn = []
    for page in pages(findings.targets, _COLUMNS_A_PAGE):
        columns = tuple(
            MarkColumn(
                title=findings.shown(target),
                axis="agency rate",
                reference=0.5,
                marks=tuple(_mark(found.get((target, *line))) for line in lines),
                ticks=_SHARE_TICKS,
            )
            for target in page.targets
        )
        used = (found.get((target, *line)) for target in page.targets for line in lines)
        drawn.append(
            Drawing(
                title="Who acts: agency rate of men and women in stories",
                shape=Marks(
                    rows=tuple(
                        f"{gender}, {_SAID[story]}, {domain}" for gender, story, domain in lines
                    ),
                    columns=columns,
                ),
                statistics=("agency_rate",),
                n=sum(row.n or 0 for row in used if row is not None),
                unit="agents and patients",
                missing=sum(mark is None for column in columns for mark in column.marks),
                targets=page.targets,
                caption=(
                    *page.words,
                    "Agents among the mentions of a gender as agent or patient, in stories of a"
                    " man, a woman, or both. 0.5 (line): as many patients. Bars: 95 % interval,"
                    " stories independent.",
                    "The offline judge goes by rules over dependencies; there is no semantic role"
                    " labelling: compare bars with each other before they are compared with"
                    " the paper's.",
                ),
            )
        )
    return drawn


def _mark(row: ResultRow | None) -> Mark | None:
    if row is None or row.value is None:
        return None
    return Mark(value=row.value, low=row.ci_low, high=row.ci_high, said=f"{row.value:.2f}")


def _roles(findings: Findings) -> list[Drawing]:
    """Figure 12 of the paper: shares of the four roles, by gender and domain."""
    found = {
        (row.target, row.group["domain"], row.group["gender"], row.group["role"]): row
        for row in findings.of("role_share")
    }
    targets = [target for target in findings.targets if any(key[0] == target for key in found)]
    if not targets:
        return []
    sections = [d for d in HOMES_FIRST if any(key[1] == d for key in found)]
    rows = [(domain, role) for domain in sections for role in ROLES]
    drawn = []
    for page in pages(targets, _PAIRS_A_PAGE):
        columns = [(target, gender) for target in page.targets for gender in GENDERS]
        block = Tiles(
            columns=tuple(f"{findings.shown(target)}: {gender}" for target, gender in columns),
            values=tuple(
                tuple(
                    _value(found.get((target, domain, gender, role))) for target, gender in columns
                )
                for domain, role in rows
            ),
            scale=Scale.SHARE,
            label="share of the stories of both, %",
        )
        stories = {
            (target, domain, gender): row.n or 0
            for (target, domain, gender, _), row in found.items()
            if target in page.targets
        }
        drawn.append(
            Drawing(
                title="Who leads and who needs help: roles of a man and a woman who meet",
                shape=TileMap(
                    rows=tuple(role for _, role in rows),
                    blocks=(block,),
                    sections=tuple((f"{domain} spaces", len(ROLES)) for domain in sections),
                ),
                statistics=("role_share",),
                n=sum(stories.values()),
                unit="roles",
                missing=block.missing,
                targets=page.targets,
                caption=(
                    *page.words,
                    "The four roles of a gender in a domain add up to 100 %. The offline judge"
                    " goes by cue words: a cross-check; quote a model's or people's roles.",
                    *gap_words(block, "no valid annotation"),
                ),
            )
        )
    return drawn


def _value(row: ResultRow | None) -> float | None:
    return None if row is None else row.value


FIGURES = (
    Figure(
        name="spatial-construction-adjectives",
        protocol=_PROTOCOL,
        summary="adjectives that are most men's and most women's, by domain (figure 5)",
        draw=_adjectives,
    ),
    Figure(
        name="spatial-construction-agency",
        protocol=_PROTOCOL,
        summary="agency rates by gender, domain and kind of story (figure 6)",
        draw=_agency,
    ),
    Figure(
        name="spatial-construction-roles",
        protocol=_PROTOCOL,
        summary="shares of the four roles by gender and domain (figure 12)",
        draw=_roles,
    ),
)
