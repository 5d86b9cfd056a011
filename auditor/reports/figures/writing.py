"""`report`: figures as files, and an index of what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import UsageError
from auditor.reports.figures.composition import caption_lines, composed, facts_line
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.index import INDEX, Entry, index_text, kept_entries
from auditor.reports.figures.lettering import legible
from auditor.reports.figures.page import style
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import Drawing
from auditor.reports.fresh_files import fresh_files
from auditor.types import JSON

KINDS = ("svg", "png")


@dataclass(frozen=True, kw_only=True)
class WrittenFigure:
    """One figure with its files."""

    figure: Figure
    drawing: Drawing
    findings: Findings
    stem: str

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files in their folder."""
        return tuple(f"{self.stem}.{kind}" for kind in KINDS)

    def as_json(self) -> dict[str, JSON]:
        """Its entry in the index."""
        return {
            "figure": self.figure.name,
            "files": list(self.files),
            "protocol": self.findings.protocol,
            "title": self.drawing.title,
            "facts": facts_line(self.drawing, self.findings),
            "caption": caption_lines(self.drawing, self.findings),
            "runs": list(self.findings.runs),
            "targets": list(self.drawing.targets),
            "simulated": sorted(set(self.drawing.targets) & self.findings.simulated),
            "statistics": list(self.drawing.statistics),
            "judges": self.findings.judges,
            "n": self.drawing.n,
            "missing": self.drawing.missing,
            "kept": False,
        }


@dataclass(frozen=True, kw_only=True)
class WrittenFigures:
    """What a report has drawn, and what of an earlier one is in the folder beside it."""

    drawn: tuple[WrittenFigure, ...]
    kept: tuple[Entry, ...]

    @property
    def index(self) -> list[Entry]:
        """All that the folder holds."""
        return [*(each.as_json() for each in self.drawn), *self.kept]


def write_figures(
    found: Sequence[Findings],
    figures: Sequence[Figure],
    folder: Path,
    *,
    force: bool = False,
) -> WrittenFigures:
    """Draw the figures that the findings give, each as SVG and PNG, and write their index.

    A figure that there is several times (one a pair of targets, or a judge) has a number behind
    its name from the second on. Equal findings give equal bytes. Files appear when all are
    complete. Figures of an earlier report that are not among these stay as they are, files and
    entries in the index, and are marked there (see `index.kept_entries`).

    Raises UsageError where nothing can be drawn, or where files of these names are there and
    `force` is not set.
    """
    planned = _planned(found, figures)
    if not planned:
        raise UsageError(
            f"nothing to draw: no result for {', '.join(figure.name for figure in figures)}",
            hint="`auditor stats STORE` shows what there is; `auditor list figures` what is drawn",
        )
    names = [name for each in planned for name in each.files]
    fresh = fresh_files(folder, [*names, INDEX], force=force, carried=[INDEX])
    with fresh as paths, style():
        written = WrittenFigures(drawn=planned, kept=kept_entries(folder, names))
        for each in planned:
            page = composed(each.drawing, each.findings)
            title = legible(each.drawing.title)
            description = legible(" ".join(caption_lines(each.drawing, each.findings)))
            for kind, name in zip(KINDS, each.files, strict=True):
                page.save(paths[name], kind, title=title, description=description)
        paths[INDEX].write_text(index_text(written.index), encoding="ascii")
    return written


def _planned(found: Sequence[Findings], figures: Sequence[Figure]) -> tuple[WrittenFigure, ...]:
    planned = []
    for figure in figures:
        drawn = [
            (drawing, shown)
            for findings in found
            if findings.protocol == figure.protocol
            for drawing, shown in figure.drawings(findings)
        ]
        for number, (drawing, findings) in enumerate(drawn, start=1):
            stem = figure.name if number == 1 else f"{figure.name}-{number}"
            planned.append(
                WrittenFigure(figure=figure, drawing=drawing, findings=findings, stem=stem)
            )
    return tuple(planned)
