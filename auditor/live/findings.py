"""Headline figures so far, each with its interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from rich.text import Text

from auditor.counted import counted
from auditor.live import figures
from auditor.live.columns import Cell, Column, column_widths, grid
from auditor.live.entries import Entry, Figure, entry_lines
from auditor.live.glyphs import Glyphs
from auditor.live.simulated import SIMULATED_TAG
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
    return [*lines[: most - 1], glyphs.text((f"  and {counted(hidden, 'line', more=True)}", "dim"))]


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


_FIGURES = (
    Figure(key="value", head="", right=False),
    Figure(key="interval", head="", right=False),
    Figure(key="n", head="", right=False),
)


def _list(headlines: Sequence[Headline], width: int, glyphs: Glyphs) -> list[Text]:
    """Below each target its figures, a line each where that fits; nothing of them is cut."""
    entries = []
    for target in dict.fromkeys(headline.target for headline in headlines):
        entries.append(Entry(name=glyphs.text(target), indent=2))
        for headline in headlines:
            if headline.target == target:
                name = glyphs.text((headline.name, "dim"))
                entries.append(Entry(name=name, indent=4, figures=_parts(headline, glyphs)))
    return entry_lines("", _FIGURES, entries, width, glyphs)


def _parts(headline: Headline, glyphs: Glyphs) -> dict[str, Text]:
    """A figure's value, interval and n."""
    if headline.total is not None:
        of = f" of {figures.count(headline.total)}"
        parts = {"value": glyphs.text((figures.count(headline.value), "bold"), of)}
    else:
        parts = {"value": glyphs.text((figures.figure(headline.value), "bold"))}
    if between := figures.interval(headline.ci_low, headline.ci_high):
        parts["interval"] = glyphs.text(between)
    if headline.n is not None:
        parts["n"] = glyphs.text((f"n {figures.count(headline.n)}", "dim"))
    return parts


def _figure(headline: Headline, glyphs: Glyphs) -> Text:
    value, *more = _parts(headline, glyphs).items()
    gaps = {"interval": " ", "n": "  "}
    return Text.assemble(
        value[1], *(part for key, text in more for part in (gaps[key], text)), no_wrap=True
    )
