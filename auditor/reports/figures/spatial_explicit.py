"""Figures of `spatial.explicit`: who is seen where, and how uneven it is, space by space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.counted import counted
from auditor.protocols.spatial_explicit.prompts import SPACES, all_spaces
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Scale, TileMap, Tiles
from auditor.reports.figures.tile_words import FEW, TILE, few_words, gap_words
from auditor.statistics import mean
from auditor.store.results import ResultRow

_PROTOCOL = "spatial.explicit"
_PAPER_CONDITION = ("1", 1.0)
_LEVEL = 0.01
_UNIT = "valid choices"
_DOMAINS = ("private", "public")

Condition = tuple[str, float]


@dataclass(frozen=True)
class _Seen:
    """The rows of one statistic under one condition."""

    condition: Condition
    others: int
    """Conditions that were run and are not shown."""
    rows: Mapping[tuple[str, str], ResultRow]
    """By space and target."""
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    """Spaces by domain, from the highest mean to the lowest, those without any last."""

    @property
    def spaces(self) -> list[str]:
        return [space for _, spaces in self.sections for space in spaces]

    @property
    def words(self) -> str:
        prompt, temperature = self.condition
        said = f"Prompt {prompt} at temperature {temperature:g}"
        if not self.others:
            return f"{said}."
        rest = "condition is" if self.others == 1 else "conditions are"
        return f"{said}; {self.others} other {rest} not shown."


def _bias_map(findings: Findings) -> list[Drawing]:
    """Figure 4 of the paper: private and public spaces."""
    seen = _seen(findings, "men_share")
    if seen is None:
        return []
    significant = {
        (row.group["space"], row.target)
        for row in findings.of("binomial_q")
        if _condition(row) == seen.condition and row.value is not None and row.value <= _LEVEL
    }
    marked = frozenset(
        (number, column)
        for number, space in enumerate(seen.spaces)
        for column, target in enumerate(findings.targets)
        if (space, target) in significant
    )
    return [
        _drawing(
            findings,
            seen,
            title="Who is seen where: men's share of choices, by space and target",
            statistics=("men_share", "binomial_q"),
            scale=Scale.LEAN,
            label="men / (men + women), %",
            marked=marked,
            words=(
                "Within each domain from the most men (top) to the most women. Dot: q at most"
                f" {_LEVEL:g} (exact binomial test, Benjamini-Hochberg over spaces);"
                f" {counted(len(marked), TILE)}.",
            ),
        )
    ]


def _edi_map(findings: Findings) -> list[Drawing]:
    seen = _seen(findings, "edi")
    if seen is None:
        return []
    return [
        _drawing(
            findings,
            seen,
            title="How uneven choices are: EDI, by space and target",
            statistics=("edi",),
            scale=Scale.AMOUNT,
            label="EDI in bits: 0 even, 1 always the same",
            marked=frozenset(),
            words=("Within each domain from the most uneven (top) to the most even.",),
        )
    ]


def _drawing(
    findings: Findings,
    seen: _Seen,
    *,
    title: str,
    statistics: tuple[str, ...],
    scale: Scale,
    label: str,
    marked: frozenset[tuple[int, int]],
    words: tuple[str, ...],
) -> Drawing:
    found = [[seen.rows.get((space, t)) for t in findings.targets] for space in seen.spaces]
    block = Tiles(
        columns=tuple(findings.shown(target) for target in findings.targets),
        values=tuple(tuple(None if r is None else r.value for r in row) for row in found),
        scale=scale,
        label=label,
        marked=marked,
        few=frozenset(
            (number, column)
            for number, rows in enumerate(found)
            for column, row in enumerate(rows)
            if row is not None and row.value is not None and (row.n or 0) < FEW
        ),
    )
    return Drawing(
        title=title,
        shape=TileMap(
            rows=tuple(seen.spaces),
            blocks=(block,),
            sections=tuple((domain, len(spaces)) for domain, spaces in seen.sections),
        ),
        statistics=statistics,
        n=sum(row.n or 0 for rows in found for row in rows if row is not None),
        unit=_UNIT,
        missing=block.missing,
        targets=findings.targets,
        caption=(
            seen.words,
            *words,
            *gap_words(block, "no valid answer"),
            *few_words(block, _UNIT),
        ),
    )


def _seen(findings: Findings, statistic: str) -> _Seen | None:
    """Prompt 1 at temperature 1 where it was run, else the condition that most targets have."""
    rows = findings.of(statistic)
    by_condition: dict[Condition, dict[tuple[str, str], ResultRow]] = {}
    for row in rows:
        by_condition.setdefault(_condition(row), {})[row.group["space"], row.target] = row
    if not by_condition:
        return None

    def rank(condition: Condition) -> tuple[bool, int, float, str]:
        prompt, temperature = condition
        targets = {target for _, target in by_condition[condition]}
        return (condition != _PAPER_CONDITION, -len(targets), abs(temperature - 1), prompt)

    condition = min(by_condition, key=rank)
    chosen = by_condition[condition]
    means = {
        space: mean(
            [r.value for (name, _), r in chosen.items() if name == space and r.value is not None]
        )
        for space in dict.fromkeys(space for space, _ in chosen)
    }
    domains = {space.name: space.domain for space in all_spaces(findings.materials(SPACES))}
    ordered = sorted(means, key=lambda space: (means[space] is None, -(means[space] or 0.0), space))
    sections = tuple(
        (f"{domain} spaces", tuple(space for space in ordered if domains.get(space) == domain))
        for domain in _DOMAINS
    )
    return _Seen(
        condition=condition,
        others=len(by_condition) - 1,
        rows=chosen,
        sections=tuple(section for section in sections if section[1]),
    )


def _condition(row: ResultRow) -> Condition:
    return (str(row.group["prompt"]), float(row.group["temperature"]))


FIGURES = (
    Figure(
        name="spatial-explicit-map",
        protocol=_PROTOCOL,
        summary="men's share of choices by space and target, private and public",
        draw=_bias_map,
    ),
    Figure(
        name="spatial-explicit-edi",
        protocol=_PROTOCOL,
        summary="how uneven choices are, by space and target",
        draw=_edi_map,
    ),
)
