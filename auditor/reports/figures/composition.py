"""A whole page: title, run, the shape, and a caption that says where each number comes from."""

from __future__ import annotations

from auditor.reports.figures.boxes import BoxLayout
from auditor.reports.figures.findings import SIMULATED_MARK, Findings
from auditor.reports.figures.histograms import HistogramLayout
from auditor.reports.figures.lettering import height, legible, wrapped
from auditor.reports.figures.marks import MarkLayout
from auditor.reports.figures.named_scatter import NamedScatterLayout
from auditor.reports.figures.page import Page
from auditor.reports.figures.scatter import ScatterLayout
from auditor.reports.figures.shapes import (
    Boxes,
    Drawing,
    Histograms,
    Marks,
    NamedScatter,
    Scatter,
    TileMap,
)
from auditor.reports.figures.tiles import TileLayout

_LEAST_WIDTH = 6.4
_MARGIN = 0.3
_GAP = 0.12
_TITLE, _FACTS, _CAPTION = 11.0, 8.0, 6.5

Layout = TileLayout | BoxLayout | ScatterLayout | NamedScatterLayout | MarkLayout | HistogramLayout


def composed(drawing: Drawing, findings: Findings) -> Page:
    """The page of a drawing. Only to be used within `page.style`."""
    layout = _layout(drawing)
    room = layout.width
    title = wrapped(legible(drawing.title), _TITLE, room, bold=True)
    facts = wrapped(legible(facts_line(drawing, findings)), _FACTS, room)
    warning = simulated_line(drawing, findings)
    warned = wrapped(legible(warning), _FACTS, room - 0.1, bold=True) if warning else []
    caption = [
        line
        for sentence in caption_lines(drawing, findings)
        for line in wrapped(legible(sentence), _CAPTION, room)
    ]
    whole = (
        height(len(title), _TITLE)
        + height(len(facts), _FACTS)
        + (height(len(warned), _FACTS) + _GAP if warned else 0)
        + layout.height
        + height(len(caption), _CAPTION)
        + 3 * _GAP
    )
    page = Page(room + 2 * _MARGIN, whole + 2 * _MARGIN)
    place = page.lines(_MARGIN, _MARGIN, title, _TITLE, weight="bold")
    place = page.lines(_MARGIN, place, facts, _FACTS) + _GAP
    if warned:
        box = {"facecolor": "white", "edgecolor": "black", "linewidth": 0.8, "pad": 2.5}
        look = {"weight": "bold", "bbox": box}
        place = page.lines(_MARGIN + 0.05, place, warned, _FACTS, **look) + _GAP
    layout.draw(page, _MARGIN, place)
    page.lines(_MARGIN, place + layout.height + _GAP, caption, _CAPTION)
    return page


def facts_line(drawing: Drawing, findings: Findings) -> str:
    """Run, n and date."""
    noun = "run" if len(findings.runs) == 1 else "runs"
    runs = ", ".join(findings.runs)
    return f"{noun} {runs}; n = {drawing.n:,} {drawing.unit}; {findings.days}"


def simulated_line(drawing: Drawing, findings: Findings) -> str | None:
    """What has to be said of simulated answers; None where there are none."""
    made_up = [target for target in drawing.targets if target in findings.simulated]
    if not made_up:
        return None
    if len(made_up) == len(drawing.targets):
        return "SIMULATED: made-up answers or judgements; no figure here is of a real model"
    return f"SIMULATED: targets marked {SIMULATED_MARK} rest on made-up answers or judgements"


def caption_lines(drawing: Drawing, findings: Findings) -> list[str]:
    """The sentences below a figure; the last one is the source of its numbers."""
    statistics = ", ".join(drawing.statistics)
    return [
        *drawing.caption,
        f"Source: {statistics} of the protocol {findings.protocol} ({findings.paper});"
        f" judges: {findings.judges}.",
    ]


def _layout(drawing: Drawing) -> Layout:
    shape = drawing.shape
    if isinstance(shape, TileMap):
        return TileLayout(shape, _LEAST_WIDTH)
    if isinstance(shape, Boxes):
        return BoxLayout(shape, _LEAST_WIDTH)
    if isinstance(shape, Scatter):
        return ScatterLayout(shape, _LEAST_WIDTH)
    if isinstance(shape, NamedScatter):
        return NamedScatterLayout(shape, _LEAST_WIDTH)
    if isinstance(shape, Marks):
        return MarkLayout(shape, _LEAST_WIDTH)
    if isinstance(shape, Histograms):
        return HistogramLayout(shape, _LEAST_WIDTH)
    raise AssertionError(shape)
