"""Tile maps of the regional protocols: scores of regions, and how alike targets order them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.counted import counted
from auditor.protocols.regional.files import TASKS
from auditor.protocols.regional.tasks import all_tasks
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.region_names import RegionNames
from auditor.reports.figures.regional_kinds import (
    DECISION,
    LANGUAGES,
    STEREOTYPE,
    Kind,
    languages,
    rows_of,
)
from auditor.reports.figures.shapes import Drawing, Scale, TileMap, Tiles
from auditor.reports.figures.tile_words import TILE, few_words, gap_words
from auditor.store.results import ResultRow


def score_maps(kind: Kind, findings: Findings) -> list[Drawing]:
    """Figure of one target and language each: regions by traits or tasks."""
    names = RegionNames.of(findings)
    heads = {}
    if kind is DECISION:
        tasks = all_tasks(findings.materials(TASKS))
        heads = {task.code: f"{task.code} {task.name}" for task in tasks}
    drawings = []
    for target in findings.targets:
        for language in languages(findings.of(kind.score), target):
            parts = [
                rows_of(findings, statistic, target, language)
                for statistic in (kind.score, kind.whole_score)
            ]
            regions = names.ordered({str(row.group["region"]) for row in parts[0]})
            blocks = [
                _block(kind, factor, rows, regions, heads)
                for factor, rows in zip((kind.factor, kind.whole), parts, strict=True)
                if rows
            ]
            n = sum(row.n or 0 for row in parts[0])
            n = n if kind is STEREOTYPE else n // 2
            drawings.append(
                Drawing(
                    title=f"Regions in the {kind.noun} of {findings.shown(target)},"
                    f" {LANGUAGES.get(language, language)}",
                    shape=TileMap(
                        rows=tuple(names.long(region) for region in regions),
                        blocks=tuple(blocks),
                    ),
                    statistics=(kind.score, kind.whole_score),
                    n=n,
                    unit=kind.unit,
                    missing=sum(block.missing for block in blocks),
                    targets=(target,),
                    caption=(
                        *gap_words(blocks[0], f"no {kind.unit}"),
                        *few_words(blocks[0], kind.unit),
                        *names.words(regions),
                    ),
                )
            )
    return drawings


def _block(
    kind: Kind,
    factor: str,
    rows: Sequence[ResultRow],
    regions: Sequence[str],
    heads: Mapping[str, str],
) -> Tiles:
    columns = list(dict.fromkeys(str(row.group[factor]) for row in rows))
    found = {(str(row.group["region"]), str(row.group[factor])): row for row in rows}
    cells = [[found.get((region, column)) for column in columns] for region in regions]
    few = frozenset(
        (number, place)
        for number, row in enumerate(cells)
        for place, cell in enumerate(row)
        if cell is not None and cell.value is not None and (cell.n or 0) < kind.few
    )
    return Tiles(
        columns=tuple(heads.get(column, column) for column in columns),
        values=tuple(tuple(cell.value if cell else None for cell in row) for row in cells),
        scale=kind.scale,
        label=kind.label,
        few=few,
    )


def agreement(kind: Kind, findings: Findings) -> list[Drawing]:
    """Matrices of Spearman's rho between targets, a block for each dimension or domain."""
    rows = [row for row in findings.of("cross_model_spearman") if kind.whole in row.group]
    drawings = []
    for language in dict.fromkeys(str(row.group["language"]) for row in rows):
        spoken = [row for row in rows if row.group["language"] == language]
        wholes = list(dict.fromkeys(str(row.group[kind.whole]) for row in spoken))
        blocks = [
            _matrix(findings, whole, [row for row in spoken if row.group[kind.whole] == whole])
            for whole in wholes
        ]
        drawings.append(
            Drawing(
                title=f"How alike targets order the regions in {', '.join(wholes)}:"
                f" {kind.noun}, {LANGUAGES.get(language, language)}",
                shape=TileMap(
                    rows=tuple(findings.shown(target) for target in findings.targets),
                    blocks=tuple(blocks),
                ),
                statistics=("cross_model_spearman",),
                n=max((row.n or 0 for row in spoken), default=0),
                unit="regions at most",
                missing=sum(block.missing for block in blocks),
                targets=findings.targets,
                caption=(
                    "A target agrees with itself entirely.",
                    *_gap_words(blocks),
                ),
            )
        )
    return drawings


def _gap_words(blocks: Sequence[Tiles]) -> tuple[str, ...]:
    missing = sum(block.missing for block in blocks)
    if not missing:
        return ()
    return (
        f"Hatched: no rank correlation, since all scores of one of the two are equal or they"
        f" share fewer than three regions; {counted(missing, TILE)}.",
    )


def _matrix(findings: Findings, whole: str, rows: Sequence[ResultRow]) -> Tiles:
    found: dict[tuple[str, str], float | None] = {}
    for row in rows:
        other = str(row.group["other"])
        found[row.target, other] = found[other, row.target] = row.value
    return Tiles(
        columns=tuple(findings.shown(target) for target in findings.targets),
        values=tuple(
            tuple(1.0 if one == other else found.get((one, other)) for other in findings.targets)
            for one in findings.targets
        ),
        scale=Scale.CORRELATION,
        label="Spearman's rho over regions",
        title=whole,
    )
