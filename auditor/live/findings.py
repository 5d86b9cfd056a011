"""Headline figures so far, each with its interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, column_widths, grid
from auditor.live.glyphs import Glyphs
from auditor.live.header import SIMULATED_TAG
from auditor.protocols.base import Headline

_LEAST_NAME = 16
"""Cells of a target's name that a table must leave."""


def finding_lines(
    headlines: Sequence[Headline],
    *,
    badge: Text | None,
    simulated: Collection[str],
    width: int,
    most: int,
    glyphs: Glyphs,
) -> list[Text]:
    """A table of targets by figures, or a list where that is too wide; at most `most` lines.

    A heading leads, with the badge of simulated numbers; nothing without figures. The names in
    `simulated` bear a mark of their own: those of simulated targets beside real ones.
    """
    if not headlines or most < 2:
        return []
    title = glyphs.text(("figures so far", "bold"))
    if badge is not None:
        title = Text.assemble(title, "  ", badge, no_wrap=True)
    headlines = [
        replace(headline, target=f"{headline.target} {SIMULATED_TAG}")
        if headline.target in simulated
        else headline
        for headline in headlines
    ]
    lines = (
        _table(headlines, title, width, glyphs)
        or _table(headlines, None, width, glyphs, above=title)
        or [title, *_list(headlines, width, glyphs)]
    )
    if len(lines) <= most:
        return lines
    hidden = len(lines) - most + 1
    return [*lines[: most - 1], glyphs.text((f"  and {hidden} more", "dim"))]


def _table(
    headlines: Sequence[Headline],
    title: Text | None,
    width: int,
    glyphs: Glyphs,
    *,
    above: Text | None = None,
) -> list[Text] | None:
    """A line a target, a column a figure; None where it does not fit or a place is taken twice.

    `title` stands over the targets, `above` on a line of its own.
    """
    names = list(dict.fromkeys(headline.name for headline in headlines))
    targets = list(dict.fromkeys(headline.target for headline in headlines))
    places = {(headline.target, headline.name): headline for headline in headlines}
    if len(places) < len(headlines):
        return None
    least = title.cell_len if title is not None else _LEAST_NAME
    columns = [Column(key="target", priority=0, right=False, least=least)]
    columns += [Column(key=f"figure {name}", priority=1, right=False) for name in names]
    head: dict[str, Cell] = {f"figure {name}": glyphs.text((name, "dim")) for name in names}
    if title is not None:
        head["target"] = title
    rows = [head]
    for target in targets:
        row: dict[str, Cell] = {"target": glyphs.text("  ", target)}
        for name in names:
            if (headline := places.get((target, name))) is not None:
                row[f"figure {name}"] = _figure(headline, glyphs)
        rows.append(row)
    widths = column_widths(columns, rows, width)
    if len(widths) < len(columns):
        return None
    lines = grid(columns, rows, width, glyphs, widths=widths)
    return lines if above is None else [above, *lines]


def _list(headlines: Sequence[Headline], width: int, glyphs: Glyphs) -> list[Text]:
    columns = (
        Column(key="target", priority=0, right=False, least=12),
        Column(key="name", priority=0, right=False, least=14),
        Column(key="figure", priority=0, right=False),
    )
    rows: list[Mapping[str, Cell]] = []
    last = None
    for headline in headlines:
        target = headline.target if headline.target != last else ""
        last = headline.target
        rows.append(
            {
                "target": glyphs.text("  ", target),
                "name": glyphs.text((headline.name, "dim")),
                "figure": _figure(headline, glyphs),
            }
        )
    return grid(columns, rows, width, glyphs)


def _figure(headline: Headline, glyphs: Glyphs) -> Text:
    if headline.total is not None:
        value = figures.count(headline.value)
        text = glyphs.text((value, "bold"), f" of {figures.count(headline.total)}")
    else:
        text = glyphs.text((figures.figure(headline.value), "bold"))
    between = figures.interval(headline.ci_low, headline.ci_high)
    if between:
        text.append_text(glyphs.text(f" {between}"))
    if headline.n is not None:
        text.append_text(glyphs.text((f"  n {figures.count(headline.n)}", "dim")))
    return text
