"""Figures of `spatial.probability`: who is seen where, and how alike targets lean."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.pair_squares import between, compared, square
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Scale, TileMap, Tiles
from auditor.reports.figures.spatial_spaces import (
    HUES,
    MEN_FIRST,
    TARGETS_A_PAGE,
    answers,
    by_place,
    prompt_words,
    sections,
    space_map,
    space_tiles,
    spaces_of,
    under_one_prompt,
)
from auditor.reports.figures.spatial_tuning import tuning_maps
from auditor.reports.figures.tile_words import gap_words

_PROTOCOL = "spatial.probability"
_UNIT = "responses"


def _bias_map(findings: Findings) -> list[Drawing]:
    """Figures 16 and 17 of the paper: p(men), private and public spaces."""
    return probability_maps(
        findings,
        findings.targets,
        read="Tokens of the answer's first word.",
        unknown="uncovered, or no valid answer",
    )


def probability_maps(
    findings: Findings, targets: Sequence[str], *, read: str, unknown: str
) -> list[Drawing]:
    """p(men) of these targets at private and public spaces.

    `read` says what the probabilities are of, `unknown` why one may be missing.
    """
    prompt, rows, others = under_one_prompt(findings.of("men_probability"))
    if prompt is None:
        return []
    shown = by_place(rows)
    named = sections(findings, shown)
    spaces, drawn = spaces_of(named), []
    for page in pages(targets, TARGETS_A_PAGE):
        block = space_tiles(
            findings,
            shown,
            spaces,
            page.targets,
            scale=Scale.MEN,
            label="p(men) / (p(men) + p(women)), %",
            fewest=0,
        )
        drawn.append(
            Drawing(
                title="Who is seen where: probability of men, by space and target",
                shape=space_map(named, block),
                statistics=("men_probability",),
                n=answers(shown, spaces, page.targets),
                unit=_UNIT,
                missing=block.missing,
                targets=page.targets,
                caption=(
                    prompt_words(prompt, others),
                    *page.words,
                    f"{read} {HUES} {MEN_FIRST}",
                    *gap_words(block, unknown),
                ),
            )
        )
    return drawn


def _correlations(findings: Findings) -> list[Drawing]:
    """Figure 13 of the paper: Pearson's r of each pair of targets."""
    prompt, rows, others = under_one_prompt(findings.of("model_pearson"))
    if prompt is None:
        return []
    shown = compared(findings.targets, rows)
    sizes = [row.n or 0 for row in rows]
    drawn = []
    for page in pages(shown, TARGETS_A_PAGE):
        block = Tiles(
            columns=tuple(findings.shown(target) for target in page.targets),
            values=square(rows, shown, page.targets),
            scale=Scale.CORRELATION,
            label="Pearson's r over spaces",
        )
        drawn.append(
            Drawing(
                title="How alike targets lean: correlation of the probability of men",
                shape=TileMap(
                    rows=tuple(findings.shown(target) for target in shown), blocks=(block,)
                ),
                statistics=("model_pearson",),
                n=max(sizes),
                unit="spaces",
                missing=block.missing,
                targets=tuple(shown),
                caption=(
                    prompt_words(prompt, others),
                    *page.words,
                    f"Over the {between(sizes)} spaces that are covered for both of a pair; the"
                    " diagonal is 1.",
                    *gap_words(block, "no correlation"),
                ),
            )
        )
    return drawn


FIGURES = (
    Figure(
        name="spatial-probability-map",
        protocol=_PROTOCOL,
        summary="probability of men by space and target (figures 16 and 17)",
        draw=_bias_map,
    ),
    Figure(
        name="spatial-probability-pearson",
        protocol=_PROTOCOL,
        summary="how alike targets lean: Pearson's r of each pair (figure 13)",
        draw=_correlations,
    ),
    Figure(
        name="spatial-probability-tuning",
        protocol=_PROTOCOL,
        summary="probability of men before and after tuning, by space (figures 7 and 20)",
        draw=tuning_maps,
    ),
)
