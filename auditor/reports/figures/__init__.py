"""Figures of a run's statistics, as SVG and PNG. Loading this package loads no matplotlib.

A protocol's figures are one module here that declares `FIGURES`: a `Figure` says what it is called
and turns `Findings` (the rows of the result table of one protocol, and where they come from) into
`Drawing`s: titles, labels and numbers in one of the shapes of `shapes` (tile map, boxes, scatter).
How a shape looks on a page, what every page says of its source, and the files are the same for
all. So a protocol's figures are added by a module of this kind and its name in `registry`.

Drawings take their numbers from the stored statistics alone; rubric files give order and
benchmarks. A number that is not there is None and is drawn as missing, never as zero.
"""

from __future__ import annotations

from auditor.reports.figures.findings import Findings, StoreFindings, findings, read_findings
from auditor.reports.figures.index import INDEX
from auditor.reports.figures.registry import Figure, chosen_figures, figures
from auditor.reports.figures.writing import WrittenFigure, WrittenFigures, write_figures

__all__ = [
    "INDEX",
    "Figure",
    "Findings",
    "StoreFindings",
    "WrittenFigure",
    "WrittenFigures",
    "chosen_figures",
    "figures",
    "findings",
    "read_findings",
    "write_figures",
]
