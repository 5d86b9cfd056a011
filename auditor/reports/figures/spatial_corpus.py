"""Figures of `spatial.corpus`: the spaces that stand most beside the words of one gender."""

from __future__ import annotations

from auditor.protocols.spatial_corpus import GENDERS, NAME, TOP
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing, Mark, MarkColumn, Marks
from auditor.store.results import ResultRow


def _tops(findings: Findings) -> list[Drawing]:
    """Figures 14 and 15 of the paper: the ten spaces with the highest NSGC of a gender."""
    drawn = []
    for corpus in findings.targets:
        for gender in GENDERS:
            rows = [
                row
                for row in findings.of("nsgc")
                if row.target == corpus and row.group["gender"] == gender and row.value
            ]
            if rows:
                drawn.append(_top(findings, corpus, gender, rows))
    return drawn


def _top(findings: Findings, corpus: str, gender: str, rows: list[ResultRow]) -> Drawing:
    ranked = sorted(rows, key=lambda row: (-(row.value or 0.0), row.group["space"]))[:TOP]
    column = MarkColumn(
        title=findings.shown(corpus),
        axis=f"NSGC of {gender}",
        reference=0.5,
        marks=tuple(
            Mark(
                value=row.value or 0.0,
                low=row.ci_low,
                high=row.ci_high,
                said=f"{row.value:.2f}",
            )
            for row in ranked
        ),
        ticks=((0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")),
    )
    return Drawing(
        title=f"Spaces that stand most beside the words of {gender}",
        shape=Marks(
            rows=tuple(f"{row.group['space']} ({row.n:,})" for row in ranked), columns=(column,)
        ),
        statistics=("nsgc",),
        n=sum(row.n or 0 for row in ranked),
        unit="documents, counted once a space",
        missing=0,
        targets=(corpus,),
        caption=(
            f"The {len(ranked)} highest of {len(rows)} spaces with a value above 0; in brackets the"
            " documents that hold them. NSGC: this gender's rate of sentences with the space, as a"
            " share of both genders' rates; line: equal rates.",
            "Bars: 95 % interval, documents independent; none where a gender has no sentence. The"
            " ends of a ranking look larger than they are.",
        ),
    )


FIGURES = (
    Figure(
        name="spatial-corpus-top",
        protocol=NAME,
        summary="ten spaces with the highest NSGC of either gender (figures 14 and 15)",
        draw=_tops,
    ),
)
