"""Figures of `spatial.probability`: who is seen where, and how alike targets lean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.protocols.spatial_explicit.prompts import DOMAINS, SPACES, all_spaces
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Scale, TileMap, Tiles
from auditor.reports.figures.tile_words import gap_words
from auditor.statistics import mean
from auditor.store.results import ResultRow

_PROTOCOL = "spatial.probability"
_PAPER_PROMPT = "1"
_UNIT = "responses"


def _bias_map(findings: Findings) -> list[Drawing]:
    """Figures 16 and 17 of the paper: p(men), private and public spaces."""
    prompt, rows, others = _under_one_prompt(findings.of("men_probability"))
    if prompt is None:
        return []
    by_place = {(row.group["space"], row.target): row for row in rows}
    sections = _sections(findings, by_place)
    spaces = [space for _, named in sections for space in named]
    found = [[by_place.get((space, target)) for target in findings.targets] for space in spaces]
    block = Tiles(
        columns=tuple(findings.shown(target) for target in findings.targets),
        values=tuple(tuple(None if r is None else r.value for r in line) for line in found),
        scale=Scale.LEAN,
        label="p(men) / (p(men) + p(women)), %",
    )
    return [
        Drawing(
            title="Who is seen where: probability of men, by space and target",
            shape=TileMap(
                rows=tuple(spaces),
                blocks=(block,),
                sections=tuple((domain, len(named)) for domain, named in sections),
            ),
            statistics=("men_probability",),
            n=sum(row.n or 0 for line in found for row in line if row is not None),
            unit=_UNIT,
            missing=block.missing,
            targets=findings.targets,
            caption=(
                _prompt_words(prompt, others),
                "Tokens of the answer's first word. Within each domain from the most men (top)"
                " to the most women.",
                *gap_words(block, "uncovered, or no valid answer"),
            ),
        )
    ]


def _correlations(findings: Findings) -> list[Drawing]:
    """Figure 13 of the paper: Pearson's r of each pair of targets."""
    prompt, rows, others = _under_one_prompt(findings.of("model_pearson"))
    if prompt is None:
        return []
    values: dict[tuple[str, str], float | None] = {}
    for row in rows:
        values[row.target, row.group["other"]] = values[row.group["other"], row.target] = row.value
    shown = [target for target in findings.targets if any(target in pair for pair in values)]
    block = Tiles(
        columns=tuple(findings.shown(target) for target in shown),
        values=tuple(
            tuple(1.0 if one == two else values.get((one, two)) for two in shown) for one in shown
        ),
        scale=Scale.CORRELATION,
        label="Pearson's r over spaces",
    )
    sizes = [row.n or 0 for row in rows]
    return [
        Drawing(
            title="How alike targets lean: correlation of the probability of men",
            shape=TileMap(rows=block.columns, blocks=(block,)),
            statistics=("model_pearson",),
            n=max(sizes),
            unit="spaces",
            missing=block.missing,
            targets=tuple(shown),
            caption=(
                _prompt_words(prompt, others),
                f"Over the {_between(sizes)} spaces that are covered for both of a pair; the"
                " diagonal is 1.",
                *gap_words(block, "no correlation"),
            ),
        )
    ]


def _between(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return str(high) if low == high else f"{low} to {high}"


def _under_one_prompt(
    rows: Sequence[ResultRow],
) -> tuple[str | None, list[ResultRow], int]:
    """Prompt 1 where it was run, else the first one; its rows, and how many others there are."""
    prompts = sorted({str(row.group["prompt"]) for row in rows})
    if not prompts:
        return None, [], 0
    prompt = _PAPER_PROMPT if _PAPER_PROMPT in prompts else prompts[0]
    return prompt, [row for row in rows if row.group["prompt"] == prompt], len(prompts) - 1


def _sections(
    findings: Findings, rows: Mapping[tuple[str, str], ResultRow]
) -> list[tuple[str, list[str]]]:
    """Spaces by domain, private first, from the highest mean to the lowest, unknown ones last."""
    means = {
        space: mean(
            [
                row.value
                for (name, _), row in rows.items()
                if name == space and row.value is not None
            ]
        )
        for space in dict.fromkeys(space for space, _ in rows)
    }
    domains = {space.name: space.domain for space in all_spaces(findings.materials(SPACES))}
    ordered = sorted(means, key=lambda space: (means[space] is None, -(means[space] or 0.0), space))
    sections = [
        (f"{domain} spaces", [space for space in ordered if domains.get(space) == domain])
        for domain in reversed(DOMAINS)
    ]
    return [section for section in sections if section[1]]


def _prompt_words(prompt: str, others: int) -> str:
    if not others:
        return f"Prompt {prompt}."
    return f"Prompt {prompt}; {others} other prompt{'' if others == 1 else 's'} not shown."


FIGURES = (
    Figure(
        name="spatial-probability-map",
        protocol=_PROTOCOL,
        summary="probability of men by space and target, private and public",
        draw=_bias_map,
    ),
    Figure(
        name="spatial-probability-pearson",
        protocol=_PROTOCOL,
        summary="how alike targets lean: Pearson's r of each pair",
        draw=_correlations,
    ),
)
