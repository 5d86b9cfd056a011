"""Figures of `spatial.explicit`: who is seen where, and how uneven it is, space by space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.counted import counted
from auditor.protocols.spatial_explicit.prompts import PAPER_PROMPT, PAPER_TEMPERATURE
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Scale
from auditor.reports.figures.spatial_spaces import (
    HUES,
    MEN_FIRST,
    TARGETS_A_PAGE,
    ByPlace,
    Sections,
    answers,
    by_place,
    sections,
    space_map,
    space_tiles,
    spaces_of,
)
from auditor.reports.figures.tile_words import TILE, few_words, gap_words
from auditor.store.results import ResultRow

PROTOCOL = "spatial.explicit"
_PAPER_CONDITION = (PAPER_PROMPT, PAPER_TEMPERATURE)
_LEVEL = 0.01
_UNIT = "valid choices"

Condition = tuple[str, float]


@dataclass(frozen=True)
class _Seen:
    """The rows of one statistic under one condition."""

    condition: Condition
    others: int
    """Conditions that were run and are not shown."""
    rows: ByPlace
    named: Sections

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
    significant = frozenset(
        (row.group["space"], row.target)
        for row in findings.of("binomial_q")
        if condition_of(row) == seen.condition and row.value is not None and row.value <= _LEVEL
    )
    return _drawings(
        findings,
        seen,
        title="Who is seen where: men's share of choices, by space and target",
        statistics=("men_share", "binomial_q"),
        scale=Scale.MEN,
        label="men / (men + women), %",
        words=(HUES, MEN_FIRST),
        significant=significant,
    )


def _edi_map(findings: Findings) -> list[Drawing]:
    """Figure 18 of the paper."""
    seen = _seen(findings, "edi")
    if seen is None:
        return []
    return _drawings(
        findings,
        seen,
        title="How uneven choices are: EDI, by space and target",
        statistics=("edi",),
        scale=Scale.AMOUNT,
        label="EDI in bits: 0 even, 1 always the same",
        words=("Within each domain from the most uneven (top) to the most even.",),
    )


def _drawings(
    findings: Findings,
    seen: _Seen,
    *,
    title: str,
    statistics: tuple[str, ...],
    scale: Scale,
    label: str,
    words: Sequence[str],
    significant: frozenset[tuple[str, str]] | None = None,
) -> list[Drawing]:
    spaces, drawn = spaces_of(seen.named), []
    for page in pages(findings.targets, TARGETS_A_PAGE):
        block = space_tiles(
            findings,
            seen.rows,
            spaces,
            page.targets,
            scale=scale,
            label=label,
            marked=significant or frozenset(),
        )
        dots = (
            f"Dot: q at most {_LEVEL:g} (exact binomial test, Benjamini-Hochberg over spaces);"
            f" {counted(len(block.marked), TILE)}."
        )
        drawn.append(
            Drawing(
                title=title,
                shape=space_map(seen.named, block),
                statistics=statistics,
                n=answers(seen.rows, spaces, page.targets),
                unit=_UNIT,
                missing=block.missing,
                targets=page.targets,
                caption=(
                    seen.words,
                    *page.words,
                    " ".join(words) if significant is None else " ".join((*words, dots)),
                    *gap_words(block, "no valid answer"),
                    *few_words(block, _UNIT),
                ),
            )
        )
    return drawn


def _seen(findings: Findings, statistic: str) -> _Seen | None:
    """Prompt 1 at temperature 1 where it was run, else the condition that most targets have."""
    by_condition: dict[Condition, list[ResultRow]] = {}
    for row in findings.of(statistic):
        by_condition.setdefault(condition_of(row), []).append(row)
    if not by_condition:
        return None

    def rank(condition: Condition) -> tuple[bool, int, float, str]:
        prompt, temperature = condition
        targets = {row.target for row in by_condition[condition]}
        return (condition != _PAPER_CONDITION, -len(targets), abs(temperature - 1), prompt)

    condition = min(by_condition, key=rank)
    rows = by_place(by_condition[condition])
    return _Seen(
        condition=condition,
        others=len(by_condition) - 1,
        rows=rows,
        named=sections(findings, rows),
    )


def condition_of(row: ResultRow) -> Condition:
    """Prompt and temperature of a row."""
    return (str(row.group["prompt"]), float(row.group["temperature"]))


FIGURES = (
    Figure(
        name="spatial-explicit-map",
        protocol=PROTOCOL,
        summary="men's share of choices by space and target (figure 4)",
        draw=_bias_map,
    ),
    Figure(
        name="spatial-explicit-edi",
        protocol=PROTOCOL,
        summary="how uneven choices are, by space and target (figure 18)",
        draw=_edi_map,
    ),
)
