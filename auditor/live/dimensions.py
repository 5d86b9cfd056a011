"""Results of `grap` by dimension: raw difference and coefficient always side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from auditor.canonical import canonical_json
from auditor.live import figures
from auditor.live.columns import Cell, Column, crop, grid
from auditor.live.glyphs import Glyphs
from auditor.live.header import SIMULATED_TAG
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_DIMENSION = "dimension"
_OF_PROBE = ("preset", "intercept", "variant")
"""Keys of a group that tell probes apart which rest on the same scores."""
_COLUMNS = (
    Column(key="dimension", priority=0, right=False, least=14),
    Column(key="raw_difference", priority=0),
    Column(key="raw_interval", priority=3, right=False),
    Column(key="wilcoxon_q", priority=2, right=False),
    Column(key="d_z", priority=5),
    Column(key="probe_coefficient", priority=0),
    Column(key="probe_interval", priority=4, right=False),
    Column(key="sign_stability", priority=6),
    Column(key="sign_differs", priority=0, right=False),
)
_HEADS = {
    "dimension": "dimension",
    "raw_difference": "raw",
    "raw_interval": "95 % interval",
    "wilcoxon_q": "q",
    "d_z": "d_z",
    "probe_coefficient": "coefficient",
    "probe_interval": "95 % interval",
    "sign_stability": "same sign %",
}


@dataclass(kw_only=True)
class _Block:
    """One probe of one target: its group without the dimension, and its dimensions."""

    target: str
    group: Mapping[str, JSON]
    dimensions: dict[str, dict[str, StatisticRow]] = field(default_factory=dict)
    """Rows by dimension and statistic."""


def dimension_lines(
    rows: Sequence[StatisticRow],
    *,
    simulated: Collection[str],
    top: int,
    width: int,
    glyphs: Glyphs,
) -> list[Text]:
    """For each target and probe, the `top` dimensions on either side by standardised coefficient.

    A dimension without one (constant, not scored) is counted with those that are not shown.
    """
    lines: list[Text] = []
    for block in _blocks(rows):
        known = sorted(
            (name for name, found in block.dimensions.items() if _coefficient(found) is not None),
            key=lambda name: (-(_coefficient(block.dimensions[name]) or 0.0), name),
        )
        count = min(top, -(-len(known) // 2))
        shown = known if 2 * top >= len(known) else [*known[:count], *known[-count:]]
        if not shown:
            continue
        title = glyphs.text((block.target, "bold"))
        if block.target in simulated:
            title.append_text(glyphs.text((f" {SIMULATED_TAG}", "magenta")))
        labels = ", ".join(f"{name} {level}" for name, level in block.group.items())
        title.append_text(glyphs.text(f"  {labels}"))
        lines += [Text(), crop(title, width, glyphs)]
        cells: list[Mapping[str, Cell]] = [
            {key: glyphs.text((head, "dim")) for key, head in _HEADS.items()},
            *(_row(name, block.dimensions[name], glyphs) for name in shown),
        ]
        lines += [
            Text.assemble("  ", line, no_wrap=True)
            for line in grid(_COLUMNS, cells, width - 2, glyphs)
        ]
        if hidden := len(block.dimensions) - len(shown):
            noun = "dimension" if hidden == 1 else "dimensions"
            lines.append(crop(glyphs.text((f"  and {hidden} more {noun}", "dim")), width, glyphs))
    return lines


def is_detail(row: StatisticRow) -> bool:
    """Whether an overview leaves a row of `grap` out: single sides, fits in sample, levels."""
    return row.protocol == "grap" and (
        "gender" in row.group
        or row.group.get("evaluation") == "in_sample"
        or row.statistic == "setting_level"
        or (row.statistic == "separation" and row.value == 0)
    )


def _blocks(rows: Sequence[StatisticRow]) -> list[_Block]:
    """A block for each probe that has coefficients, with the scores' own rows beside them."""
    scores: dict[tuple[str, str], list[StatisticRow]] = {}
    blocks: dict[tuple[str, str], _Block] = {}
    for row in rows:
        if _DIMENSION not in row.group or row.group.get("scale") == "raw":
            continue
        group = {key: row.group[key] for key in row.group if key not in (_DIMENSION, "scale")}
        key = (row.target, canonical_json(group))
        if row.statistic in ("probe_coefficient", "sign_stability", "sign_differs"):
            block = blocks.setdefault(key, _Block(target=row.target, group=group))
            _place(block, row)
        elif row.statistic in _HEADS:
            scores.setdefault(key, []).append(row)
    for block in blocks.values():
        group = {key: level for key, level in block.group.items() if key not in _OF_PROBE}
        for row in scores.get((block.target, canonical_json(group)), ()):
            if row.group[_DIMENSION] in block.dimensions:
                _place(block, row)
    return list(blocks.values())


def _place(block: _Block, row: StatisticRow) -> None:
    block.dimensions.setdefault(str(row.group[_DIMENSION]), {})[row.statistic] = row


def _coefficient(found: Mapping[str, StatisticRow]) -> float | None:
    row = found.get("probe_coefficient")
    return None if row is None else row.value


def _row(name: str, found: Mapping[str, StatisticRow], glyphs: Glyphs) -> dict[str, Cell]:
    q = _value(found, "wilcoxon_q")
    stability = _value(found, "sign_stability")
    cells: dict[str, Cell] = {
        "dimension": glyphs.text((name, "bold" if q is not None and q <= 0.05 else "")),
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
    return cells


def _value(found: Mapping[str, StatisticRow], statistic: str) -> float | None:
    row = found.get(statistic)
    return None if row is None else row.value


def _interval(found: Mapping[str, StatisticRow], statistic: str) -> str:
    row = found.get(statistic)
    return "" if row is None else figures.interval(row.ci_low, row.ci_high)
