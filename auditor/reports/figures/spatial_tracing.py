"""Figures of `spatial.tracing`: what rewards and log-probabilities of whole answers prefer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.pair_squares import between, compared, square
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Scale, TileMap, Tiles
from auditor.reports.figures.spatial_probability import probability_maps
from auditor.reports.figures.spatial_spaces import (
    HUES,
    TARGETS_A_PAGE,
    answers,
    by_place,
    prompt_words,
    sections,
    space_map,
    spaces_of,
    under_one_prompt,
)
from auditor.reports.figures.spatial_tuning import tuning_maps
from auditor.reports.figures.tile_words import gap_words
from auditor.store.results import ResultRow

_PROTOCOL = "spatial.tracing"
_PAIRS_A_PAGE = 7


def _rewards(findings: Findings) -> list[Drawing]:
    """Which answer a reward model prefers at a space, and by how much."""
    prompt, rows, others = under_one_prompt(findings.of("reward_margin"))
    if prompt is None:
        return []
    shown = by_place(rows)
    named = sections(findings, shown)
    spaces, drawn = spaces_of(named), []
    scored = _having(findings, rows)
    for page in pages(scored, TARGETS_A_PAGE):
        margins = [
            [row.value if (row := shown.get((space, target))) else None for target in page.targets]
            for space in spaces
        ]
        block = Tiles(
            columns=tuple(findings.shown(target) for target in page.targets),
            values=tuple(tuple(_preference(margin) for margin in line) for line in margins),
            scale=Scale.MEN,
            label="preference for men that a margin stands for, %",
            said=tuple(tuple(_signed(margin) for margin in line) for line in margins),
        )
        drawn.append(
            Drawing(
                title="Which answer is rewarded: men's reward minus women's, by space and target",
                shape=space_map(named, block),
                statistics=("reward_margin",),
                n=answers(shown, spaces, page.targets),
                unit="rewards",
                missing=block.missing,
                targets=page.targets,
                caption=(
                    prompt_words(prompt, others),
                    *page.words,
                    f"In the tiles the margin; above 0 men is the label. {HUES} Within each domain"
                    " from the highest mean margin (top) to the lowest.",
                    "Colours: 1 / (1 + exp(-margin)), what a margin stands for in a model that was"
                    " trained on preferred answers (Bradley-Terry). Units of rewards differ between"
                    " models.",
                    *gap_words(block, "a reward is missing"),
                    *_left_out(findings, scored, "rewards"),
                ),
            )
        )
    return drawn


def _agreement(findings: Findings) -> list[Drawing]:
    """How often two reward models prefer the same answer, and Cohen's kappa."""
    prompt, rows, others = under_one_prompt(findings.of("reward_agreement"))
    if prompt is None:
        return []
    _, kappas, _ = under_one_prompt(findings.of("reward_kappa"))
    shown = compared(findings.targets, rows)
    sizes = [row.n or 0 for row in rows]
    drawn = []
    for page in pages(shown, _PAIRS_A_PAGE):
        blocks = tuple(
            Tiles(
                columns=tuple(findings.shown(target) for target in page.targets),
                values=square(found, shown, page.targets),
                scale=scale,
                label=label,
                title=title,
            )
            for found, scale, label, title in (
                (rows, Scale.SHARE, "spaces with the same label, %", "agreement"),
                (kappas, Scale.CORRELATION, "Cohen's kappa", "kappa"),
            )
        )
        drawn.append(
            Drawing(
                title="How often two reward models prefer the same answer",
                shape=TileMap(
                    rows=tuple(findings.shown(target) for target in shown), blocks=blocks
                ),
                statistics=("reward_agreement", "reward_kappa"),
                n=max(sizes),
                unit="spaces",
                missing=sum(block.missing for block in blocks),
                targets=tuple(shown),
                caption=(
                    prompt_words(prompt, others),
                    *page.words,
                    f"Over the {between(sizes)} spaces where both prefer an answer. Kappa: beyond"
                    " what their numbers of men's spaces give by chance. The diagonal is 1.",
                    *_left_out(findings, shown, "rewards"),
                ),
            )
        )
    return drawn


def _bias_map(findings: Findings) -> list[Drawing]:
    """p(men) from the log-probabilities of both whole answers."""
    rows = findings.of("men_probability")
    scored = _having(findings, rows)
    return probability_maps(
        findings,
        scored,
        read="Log-probabilities of both whole answers.",
        unknown="a log-probability is missing",
    )


def _having(findings: Findings, rows: Sequence[ResultRow]) -> list[str]:
    """The targets with a row among these: reward models, or language models."""
    targets = {row.target for row in rows}
    return [target for target in findings.targets if target in targets]


def _left_out(findings: Findings, shown: Sequence[str], what: str) -> list[str]:
    others = [findings.shown(target) for target in findings.targets if target not in shown]
    return [f"Without {what}, and not shown: {', '.join(others)}."] if others else []


def _preference(margin: float | None) -> float | None:
    """1 / (1 + exp(-margin)), however large the margin is."""
    if margin is None:
        return None
    rest = math.exp(-abs(margin))
    return (1.0 if margin >= 0 else rest) / (1 + rest)


def _signed(margin: float | None) -> str:
    if not margin:
        return "0"
    said = f"{margin:+.2f}" if abs(margin) < 10 else f"{margin:+.3g}"
    return said.replace("-", "−")


FIGURES = (
    Figure(
        name="spatial-tracing-map",
        protocol=_PROTOCOL,
        summary="probability of men by space and language model, from whole answers",
        draw=_bias_map,
    ),
    Figure(
        name="spatial-tracing-tuning",
        protocol=_PROTOCOL,
        summary="probability of men before and after tuning, by space (figures 7 and 20)",
        draw=tuning_maps,
    ),
    Figure(
        name="spatial-tracing-rewards",
        protocol=_PROTOCOL,
        summary="men's reward minus women's, by space and reward model",
        draw=_rewards,
    ),
    Figure(
        name="spatial-tracing-agreement",
        protocol=_PROTOCOL,
        summary="how often two reward models prefer the same answer, and kappa",
        draw=_agreement,
    ),
)
