"""Results of `grap` by dimension: raw difference and coefficient always side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from auditor.canonical import canonical_json
from auditor.counted import counted
from auditor.live import figures
from auditor.live.entries import Entry, Figure, broken, entry_lines, fits_beside, indented
from auditor.live.glyphs import Glyphs
from auditor.live.simulated import simulated_tag
from auditor.live.tidy import group_text
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_DIMENSION = "dimension"
_OF_PROBE = ("preset", "intercept", "variant")
"""Keys of a group that tell probes apart which rest on the same scores."""
_COLUMNS = (
    Figure(key="raw_difference", head="raw"),
    Figure(key="raw_interval", head="95 % interval", right=False, label=""),
    Figure(key="wilcoxon_q", head="q", right=False),
    Figure(key="d_z", head="d_z"),
    Figure(key="probe_coefficient", head="coefficient"),
    Figure(key="probe_interval", head="95 % interval", right=False, label=""),
    Figure(key="sign_stability", head="same sign %"),
    Figure(key="sign_differs", head="", right=False),
)
_FIRST_TO_GO = ("sign_stability", "d_z", "probe_interval", "raw_interval")
"""Columns that a narrow table leaves out, and names, before names stand above their figures."""
_LEFT_OUT = {
    "raw_interval": "the raw differences' intervals",
    "probe_interval": "the coefficients' intervals",
    "d_z": "d_z",
    "sign_stability": "same sign %",
}
_READ = ("raw_difference", "wilcoxon_q", "d_z")
"""Statistics of the scores, whatever probe is fitted to them."""


@dataclass(kw_only=True)
class Probe:
    """One probe of one target: its group without the dimension, and its dimensions."""

    target: str
    group: Mapping[str, JSON]
    dimensions: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """Rows by dimension and statistic."""


def dimension_lines(
    probes: Sequence[Probe],
    *,
    simulated: Collection[str],
    top: int,
    width: int,
    shown: set[int],
    glyphs: Glyphs,
) -> list[Text]:
    """For each target and probe, the `top` dimensions on either side by standardised coefficient.

    A dimension without one (constant, not scored) is counted with those that are not shown.
    `shown` takes the ids of the rows whose value stands in a line.
    """
    lines: list[Text] = []
    left_out: dict[str, None] = {}
    for block in probes:
        known = sorted(
            (name for name, found in block.dimensions.items() if _coefficient(found) is not None),
            key=lambda name: (-(_coefficient(block.dimensions[name]) or 0.0), name),
        )
        count = min(top, -(-len(known) // 2))
        names = known if 2 * top >= len(known) else [*known[:count], *known[-count:]]
        if not names or top < 1:
            continue
        title = glyphs.text((block.target, "bold"))
        if block.target in simulated:
            title.append_text(simulated_tag(glyphs))
        title.append_text(glyphs.text(f"  {group_text(block.group)}"))
        lines += [Text(), *broken(title, width)]
        table, without = _table(block, names, width - 2, shown, glyphs)
        lines += table
        left_out.update(dict.fromkeys(without))
        if hidden := len(block.dimensions) - len(names):
            more = counted(hidden, "dimension", more=True)
            lines += broken(glyphs.text((f"  and {more}", "dim")), width)
    if left_out:
        said = ", ".join(name for key, name in _LEFT_OUT.items() if key in left_out)
        lines += broken(glyphs.text((f"at this width there is no room for {said}", "dim")), width)
    return lines


def _table(
    block: Probe, names: Sequence[str], width: int, shown: set[int], glyphs: Glyphs
) -> tuple[list[Text], list[str]]:
    """A line a dimension, and the columns that it has no room for."""
    entries = [_entry(name, block.dimensions[name], glyphs) for name in names]
    left_out: list[str] = []
    columns = list(_COLUMNS)
    for key in _FIRST_TO_GO:
        if fits_beside("dimension", columns, entries, width):
            break
        columns = [column for column in columns if column.key != key]
        left_out.append(key)
    if not fits_beside("dimension", columns, entries, width):
        # Above its figures a name needs none of their room.
        columns, left_out = list(_COLUMNS), []
    for name in names:
        shown.update(id(row) for key, row in block.dimensions[name].items() if key not in left_out)
    lines = entry_lines("dimension", columns, entries, width, glyphs)
    return indented(lines), left_out


def probes_of(rows: Sequence[StatisticRow]) -> list[Probe]:
    """A block for each probe that has coefficients, with the scores' own rows beside them."""
    scores: dict[tuple[str, str], list[StatisticRow]] = {}
    blocks: dict[tuple[str, str], Probe] = {}
    for row in rows:
        if _DIMENSION not in row.group or row.group.get("scale") == "raw":
            continue
        group = {key: row.group[key] for key in row.group if key not in (_DIMENSION, "scale")}
        key = (row.target, canonical_json(group))
        if row.statistic in ("probe_coefficient", "sign_stability", "sign_differs"):
            block = blocks.setdefault(key, Probe(target=row.target, group=group))
            _place(block, row)
        elif row.statistic in _READ:
            scores.setdefault(key, []).append(row)
    for block in blocks.values():
        group = {key: level for key, level in block.group.items() if key not in _OF_PROBE}
        for row in scores.get((block.target, canonical_json(group)), ()):
            if row.group[_DIMENSION] in block.dimensions:
                _place(block, row)
    return list(blocks.values())


def _place(block: Probe, row: StatisticRow) -> None:
    block.dimensions.setdefault(str(row.group[_DIMENSION]), {})[row.statistic] = row


def _coefficient(found: Mapping[str, StatisticRow]) -> float | None:
    row = found.get("probe_coefficient")
    return None if row is None else row.value


def _entry(name: str, found: Mapping[str, StatisticRow], glyphs: Glyphs) -> Entry:
    q = _value(found, "wilcoxon_q")
    stability = _value(found, "sign_stability")
    cells = {
        "raw_interval": glyphs.text((_interval(found, "raw_difference"), "dim")),
        "wilcoxon_q": glyphs.text(figures.p_value(q)),
        "probe_interval": glyphs.text((_interval(found, "probe_coefficient"), "dim")),
        "sign_stability": glyphs.text(
            figures.DASH if stability is None else f"{100 * stability:.0f}"
        ),
    }
    for key in ("raw_difference", "d_z", "probe_coefficient"):
        cells[key] = glyphs.text(figures.figure(_value(found, key)))
    if _value(found, "sign_differs") == 1.0:
        cells["sign_differs"] = glyphs.text(("signs differ", "yellow"))
    known = {key: cell for key, cell in cells.items() if cell.plain}
    return Entry(
        name=glyphs.text((name, "bold" if q is not None and q <= 0.05 else "")), figures=known
    )


def _value(found: Mapping[str, StatisticRow], statistic: str) -> float | None:
    row = found.get(statistic)
    return None if row is None else row.value


def _interval(found: Mapping[str, StatisticRow], statistic: str) -> str:
    row = found.get(statistic)
    return "" if row is None else figures.interval(row.ci_low, row.ci_high)
