"""Results of `spatial.explicit`: an overview, and the most biased spaces on either side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from auditor.canonical import canonical_json
from auditor.counted import counted
from auditor.live import figures
from auditor.live.columns import Cell, Column, column_widths, grid, total_width
from auditor.live.entries import Entry, Figure, broken, entry_lines, flowing, indented
from auditor.live.extremes import beside
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.live.simulated import simulated_tag
from auditor.live.tidy import group_text
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
_IN_SIDES = ("men_share", "binomial_q")
"""Of a space: what its line shows."""
_BY_SPACE = ("men_share", "binomial_p", "binomial_q", "edi")

_HEADS = {
    "biased_spaces": "biased",
    "men_biased_spaces": "men's",
    "women_biased_spaces": "women's",
    "p": "by chance",
    "edi_mean": "EDI mean",
    **_RATES,
}
_LAST_TO_GO = {
    "invalid_rate": 2,
    "refusal_rate": 1,
    "neither_rate": 3,
    "p": 4,
}
"""Columns that a narrow table has no room for, by priority: the greatest number goes first, to a
line of its own below. All others stay."""
_CONDITION = {"prompt": "prompt", "temperature": "temp", "judge": "judge"}
"""Columns that tell the lines of one target apart."""
_SPACE_FIGURES = (
    Figure(key="share", head="men share"),
    Figure(key="interval", head="95 % interval", right=False, label=""),
    Figure(key="n", head="n"),
    Figure(key="q", head="q", right=False),
)


@dataclass(kw_only=True)
class Place:
    """One target, prompt and temperature (and judge, where there are several)."""

    target: str
    group: Mapping[str, JSON]
    overview: dict[str, StatisticRow] = field(default_factory=dict)
    spaces: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """By space: its figures by statistic."""


def explicit_lines(
    places: Sequence[Place],
    *,
    simulated: Collection[str],
    top: int,
    most: int | None,
    width: int,
    notes: Footnotes,
    shown: set[int],
    glyphs: Glyphs,
) -> list[Text]:
    """A table of the conditions, and the most biased spaces of each.

    At most `most` conditions are shown, and how many more there are is said. `shown` takes the
    ids of the rows whose value stands in a line.
    """
    if not places:
        return []
    hidden = 0 if most is None else max(0, len(places) - most)
    places = places[: len(places) - hidden]
    lines, missing = _overview(places, simulated, notes, width, glyphs)
    for place in places:
        shown.update(id(row) for name, row in place.overview.items() if name in _HEADS)
    if hidden:
        lines.append(glyphs.text((f"and {counted(hidden, 'condition', more=True)}", "dim")))
    for place in places if top > 0 or missing else ():
        lines += [Text(), *broken(_titled(place, simulated, glyphs), width)]
        found = _figures(place, glyphs)
        items = [
            Text.assemble(glyphs.text((f"{_HEADS[name]} ", "dim")), found[name])
            for name in missing
            if name in found
        ]
        lines += indented(flowing(items, width - 2, glyphs))
        if top > 0:
            lines += indented(_top_spaces(place, top, width - 2, shown, glyphs))
    return lines


def places_of(rows: Sequence[StatisticRow]) -> tuple[list[Place], list[StatisticRow]]:
    """The conditions, and the rows that are neither in them nor about one space."""
    places: dict[tuple[str, str], Place] = {}
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
        place = places.setdefault(key, Place(target=row.target, group=group))
        if space is None:
            place.overview[row.statistic] = row
        else:
            place.spaces.setdefault(str(space), {})[row.statistic] = row
    return list(places.values()), rest


def _overview(
    places: Sequence[Place],
    simulated: Collection[str],
    notes: Footnotes,
    width: int,
    glyphs: Glyphs,
) -> tuple[list[Text], list[str]]:
    """A line a place, and the figures that it has no room for.

    What tells two places apart is never left out; where that leaves no room for the counts, each
    place stands above its figures.
    """
    found = [_figures(place, glyphs) for place in places]
    levels = {name: [_level(place, name) for place in places] for name in _CONDITION}
    columns = [Column(key="target", priority=0, right=False)]
    columns += [
        # Equal in every line, it stands in the titles below as well.
        Column(key=name, priority=9 if len(set(each)) == 1 else 0, right=False)
        for name, each in levels.items()
    ]
    columns += [
        Column(key=name, priority=_LAST_TO_GO.get(name, 0), right=name not in _RATES)
        for name in _HEADS
    ]
    columns.append(Column(key="note", priority=0, right=False))
    heads = {"target": "target", **_CONDITION, **_HEADS}
    if not any(levels["judge"]):
        del heads["judge"]
    cells: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in heads.items()}
    ]
    for number, place in enumerate(places):
        line: dict[str, Cell] = {
            "target": _target(place.target, simulated, glyphs),
            **{name: glyphs.text(each[number]) for name, each in levels.items() if name in heads},
            **found[number],
            "note": glyphs.text((_marks(place, notes), "dim")),
        }
        cells.append(line)
    widths = column_widths(columns, cells, width)
    if total_width(widths) <= width:
        missing = [name for name in _HEADS if name not in widths]
        return grid(columns, cells, width, glyphs, widths=widths), missing
    figures_of = (
        *(Figure(key=name, head=head) for name, head in _HEADS.items()),
        Figure(key="note", head=""),
    )
    entries = []
    for number, place in enumerate(places):
        cells_of = {**found[number]}
        if marks := _marks(place, notes):
            cells_of["note"] = glyphs.text((marks, "dim"))
        entries.append(Entry(name=_titled(place, simulated, glyphs), figures=cells_of))
    return entry_lines("", figures_of, entries, width, glyphs), []


def _figures(place: Place, glyphs: Glyphs) -> dict[str, Text]:
    """The overview's figures of a place, by column."""
    found = {
        name: _count(place, name, glyphs)
        for name in ("biased_spaces", "men_biased_spaces", "women_biased_spaces")
    }
    biased = place.overview.get("biased_spaces")
    if biased is not None and biased.p_value is not None:
        found["p"] = glyphs.text(figures.p_value(biased.p_value, "p"))
    edi = place.overview.get("edi_mean")
    found["edi_mean"] = glyphs.text((figures.figure(edi.value if edi else None), "bold"))
    for name in _RATES:
        found[name] = _rate(place.overview.get(name), glyphs)
    return found


def _titled(place: Place, simulated: Collection[str], glyphs: Glyphs) -> Text:
    title = _target(place.target, simulated, glyphs, "bold")
    title.append_text(glyphs.text(f"  {group_text(place.group)}"))
    return title


def _level(place: Place, name: str) -> str:
    return str(place.group[name]) if name in _PLACE else _judges(place)


def _top_spaces(place: Place, top: int, width: int, shown: set[int], glyphs: Glyphs) -> list[Text]:
    known = [
        (row.value, name)
        for name, figures_of in place.spaces.items()
        if (row := figures_of.get("men_share")) is not None and row.value is not None
    ]
    men = sorted((pair for pair in known if pair[0] > 0.5), key=lambda pair: (-pair[0], pair[1]))
    women = sorted(pair for pair in known if pair[0] < 0.5)
    sides = (("men's side", men[:top]), ("women's side", women[:top]))
    for _, spaces in sides:
        for _, space in spaces:
            of_space = place.spaces[space]
            shown.update(id(of_space[key]) for key in _IN_SIDES if key in of_space)
    return beside(
        [(title, _side(spaces, place, glyphs)) for title, spaces in sides],
        _SPACE_FIGURES,
        width,
        glyphs,
    )


def _side(spaces: Sequence[tuple[float, str]], place: Place, glyphs: Glyphs) -> list[Entry]:
    entries = []
    for value, space in spaces:
        share = place.spaces[space]["men_share"]
        q_row = place.spaces[space].get("binomial_q")
        q = q_row.value if q_row is not None else None
        sure = q is not None and q <= 0.01
        cells = {
            "share": glyphs.text(figures.figure(value)),
            "interval": glyphs.text((figures.interval(share.ci_low, share.ci_high), "dim")),
            "n": glyphs.text(figures.count(share.n)),
            "q": glyphs.text(figures.p_value(q)),
        }
        known = {key: cell for key, cell in cells.items() if cell.plain}
        entries.append(Entry(name=glyphs.text((space, "bold" if sure else "")), figures=known))
    return entries or [Entry(name=glyphs.text(("none", "dim")))]


def _target(name: str, simulated: Collection[str], glyphs: Glyphs, style: str = "") -> Text:
    text = glyphs.text((name, style))
    if name in simulated:
        text.append_text(simulated_tag(glyphs))
    return text


def _judges(place: Place) -> str:
    return ", ".join(str(level) for name, level in place.group.items() if name not in _PLACE)


def _count(place: Place, name: str, glyphs: Glyphs) -> Text:
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


def _marks(place: Place, notes: Footnotes) -> str:
    marks = [notes.mark(row.note) for row in place.overview.values() if row.note is not None]
    return " ".join(dict.fromkeys(marks))
