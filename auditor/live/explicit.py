"""Results of `spatial.explicit`: an overview, and the most biased spaces on either side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rich.text import Text

from auditor.canonical import canonical_json
from auditor.live import figures
from auditor.live.columns import Cell, Column, column_widths, crop, flow, grid
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.live.header import SIMULATED_TAG
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_PLACE = ("prompt", "temperature")
_OVERVIEW = (
    "biased_spaces",
    "men_biased_spaces",
    "women_biased_spaces",
    "edi_mean",
    "edi_variance",
    "refusal_rate",
    "neither_rate",
    "invalid_rate",
)
_RATES = {
    "refusal_rate": "refusal %",
    "invalid_rate": "invalid %",
    "neither_rate": "neither %",
}
_BY_SPACE = ("men_share", "binomial_p", "binomial_q", "edi")

_OVERVIEW_COLUMNS = (
    Column(key="target", priority=0, right=False, least=12),
    Column(key="prompt", priority=2, right=False),
    Column(key="temperature", priority=3, right=False),
    Column(key="judge", priority=4, right=False),
    Column(key="biased_spaces", priority=0),
    Column(key="men_biased_spaces", priority=0),
    Column(key="women_biased_spaces", priority=0),
    Column(key="p", priority=9),
    Column(key="edi_mean", priority=0),
    Column(key="refusal_rate", priority=1, right=False),
    Column(key="invalid_rate", priority=2, right=False),
    Column(key="neither_rate", priority=5, right=False),
    Column(key="note", priority=0, right=False),
)
_SPACE_COLUMNS = (
    Column(key="space", priority=0, right=False, least=10),
    Column(key="share", priority=0),
    Column(key="interval", priority=2, right=False),
    Column(key="n", priority=3),
    Column(key="q", priority=1, right=False),
)
_BETWEEN = 4
"""Blanks between both sides where they stand beside each other."""


@dataclass(kw_only=True)
class _Place:
    """One target, prompt and temperature (and judge, where there are several)."""

    target: str
    group: Mapping[str, JSON]
    overview: dict[str, StatisticRow] = field(default_factory=dict)
    spaces: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """By space: its figures by statistic."""


def explicit_lines(
    rows: Sequence[StatisticRow],
    *,
    simulated: Collection[str],
    top: int,
    width: int,
    notes: Footnotes,
    glyphs: Glyphs,
) -> tuple[list[Text], list[StatisticRow]]:
    """The tables' lines, and the rows that are neither in them nor about one space."""
    places, rest = _places(rows)
    if not places:
        return [], rest
    cells = _overview(places, simulated, notes, glyphs)
    lines = grid(_OVERVIEW_COLUMNS, cells, width, glyphs)
    shown = column_widths(_OVERVIEW_COLUMNS, cells, width)
    missing = {name: head for name, head in _RATES.items() if name not in shown}
    for place in places if top > 0 or missing else ():
        title = _target(place.target, simulated, glyphs, "bold")
        title.append_text(glyphs.text(f"  {_levels(place)}"))
        lines += [Text(), crop(title, width, glyphs)]
        rates = [
            Text.assemble(glyphs.text((f"{head} ", "dim")), _rate(place.overview.get(name), glyphs))
            for name, head in missing.items()
        ]
        lines += _indented(flow(rates, width - 2, glyphs))
        if top > 0:
            lines += _indented(_top_spaces(place, top, width - 2, glyphs))
    return lines, rest


def _places(rows: Sequence[StatisticRow]) -> tuple[list[_Place], list[StatisticRow]]:
    places: dict[tuple[str, str], _Place] = {}
    rest = []
    for row in rows:
        space = row.group.get("space")
        group = {name: level for name, level in row.group.items() if name != "space"}
        placed = all(name in group for name in _PLACE)
        overall = space is None and row.statistic in _OVERVIEW
        if not placed or not (overall or (space is not None and row.statistic in _BY_SPACE)):
            # Rates by space are in the exports; a terminal has better uses for 62 x 3 lines.
            if space is None or not placed:
                rest.append(row)
            continue
        key = (row.target, canonical_json(group))
        place = places.setdefault(key, _Place(target=row.target, group=group))
        if space is None:
            place.overview[row.statistic] = row
        else:
            place.spaces.setdefault(str(space), {})[row.statistic] = row
    return list(places.values()), rest


def _overview(
    places: Sequence[_Place],
    simulated: Collection[str],
    notes: Footnotes,
    glyphs: Glyphs,
) -> list[Mapping[str, Cell]]:
    heads = {
        "target": "target",
        "prompt": "prompt",
        "temperature": "temp",
        "biased_spaces": "biased",
        "men_biased_spaces": "men's",
        "women_biased_spaces": "women's",
        "p": "by chance",
        "edi_mean": "EDI mean",
        **_RATES,
    }
    if any(_judges(place) for place in places):
        heads["judge"] = "judge"
    cells: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in heads.items()}
    ]
    for place in places:
        row: dict[str, Cell] = {
            "target": _target(place.target, simulated, glyphs),
            "prompt": glyphs.text(str(place.group["prompt"])),
            "temperature": glyphs.text(str(place.group["temperature"])),
            "judge": glyphs.text(_judges(place)),
            "note": glyphs.text((_marks(place, notes), "dim")),
        }
        for name in ("biased_spaces", "men_biased_spaces", "women_biased_spaces"):
            row[name] = _count(place, name, glyphs)
        biased = place.overview.get("biased_spaces")
        if biased is not None and biased.p_value is not None:
            row["p"] = glyphs.text(figures.p_value(biased.p_value, "p"))
        edi = place.overview.get("edi_mean")
        row["edi_mean"] = glyphs.text((figures.figure(edi.value if edi else None), "bold"))
        for name in _RATES:
            row[name] = _rate(place.overview.get(name), glyphs)
        cells.append(row)
    return cells


def _top_spaces(place: _Place, top: int, width: int, glyphs: Glyphs) -> list[Text]:
    known = [
        (row.value, name)
        for name, figures_of in place.spaces.items()
        if (row := figures_of.get("men_share")) is not None and row.value is not None
    ]
    men = sorted((pair for pair in known if pair[0] > 0.5), key=lambda pair: (-pair[0], pair[1]))
    women = sorted(pair for pair in known if pair[0] < 0.5)
    men_cells = _side("men's side", men[:top], place, glyphs)
    women_cells = _side("women's side", women[:top], place, glyphs)
    left = grid(_SPACE_COLUMNS, men_cells, width, glyphs)
    right = grid(_SPACE_COLUMNS, women_cells, width, glyphs)
    reach = max(line.cell_len for line in left) + _BETWEEN
    if reach + max(line.cell_len for line in right) > width:
        return grid(_SPACE_COLUMNS, [*men_cells, *women_cells], width, glyphs)
    return [
        Text.assemble(first, " " * (reach - first.cell_len), second, no_wrap=True)
        for first, second in zip_longest(left, right, fillvalue=Text())
    ]


def _indented(lines: Sequence[Text]) -> list[Text]:
    return [Text.assemble("  ", line, no_wrap=True) for line in lines]


def _side(
    title: str,
    spaces: Sequence[tuple[float, str]],
    place: _Place,
    glyphs: Glyphs,
) -> list[Mapping[str, Cell]]:
    heads = {"space": title, "share": "men share", "interval": "95 % interval", "n": "n", "q": "q"}
    cells: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in heads.items()}
    ]
    for value, space in spaces:
        share = place.spaces[space]["men_share"]
        q_row = place.spaces[space].get("binomial_q")
        q = q_row.value if q_row is not None else None
        sure = q is not None and q <= 0.01
        cells.append(
            {
                "space": glyphs.text((space, "bold" if sure else "")),
                "share": glyphs.text(figures.figure(value)),
                "interval": glyphs.text((figures.interval(share.ci_low, share.ci_high), "dim")),
                "n": glyphs.text(figures.count(share.n)),
                "q": glyphs.text(figures.p_value(q)),
            }
        )
    if not spaces:
        cells.append({"space": glyphs.text(("none", "dim"))})
    return cells


def _target(name: str, simulated: Collection[str], glyphs: Glyphs, style: str = "") -> Text:
    text = glyphs.text((name, style))
    if name in simulated:
        text.append_text(glyphs.text((f" {SIMULATED_TAG}", "magenta")))
    return text


def _levels(place: _Place) -> str:
    return ", ".join(f"{name} {level}" for name, level in place.group.items())


def _judges(place: _Place) -> str:
    return ", ".join(str(level) for name, level in place.group.items() if name not in _PLACE)


def _count(place: _Place, name: str, glyphs: Glyphs) -> Text:
    row = place.overview.get(name)
    text = glyphs.text((figures.count(row.value if row else None), "bold"))
    if name == "biased_spaces" and row is not None and row.n is not None:
        text.append_text(glyphs.text(f" of {figures.count(row.n)}"))
    return text


def _rate(row: StatisticRow | None, glyphs: Glyphs) -> Text:
    if row is None or row.value is None:
        return glyphs.text(figures.DASH)
    between = figures.interval(row.ci_low, row.ci_high, "share")
    return glyphs.text(f"{100 * row.value:.1f}", (f" {between}" if between else "", "dim"))


def _marks(place: _Place, notes: Footnotes) -> str:
    marks = [notes.mark(row.note) for row in place.overview.values() if row.note is not None]
    return " ".join(dict.fromkeys(marks))
