"""The results of a run as tables for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, crop, grid
from auditor.live.dimensions import dimension_lines, is_detail
from auditor.live.explicit import explicit_lines
from auditor.live.extremes import extreme_lines
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs, glyphs_for
from auditor.live.header import SIMULATED_TAG, simulated_badge
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_TIDY = (
    Column(key="statistic", priority=0, right=False, least=16),
    Column(key="group", priority=2, right=False, least=12),
    Column(key="value", priority=0),
    Column(key="interval", priority=3, right=False),
    Column(key="p", priority=4),
    Column(key="n", priority=5),
    Column(key="note", priority=0, right=False),
)

_HEADS = {
    "statistic": "statistic",
    "group": "group",
    "value": "value",
    "interval": "95 % interval",
    "p": "p",
    "n": "n",
}

_NOT_IN_OVERVIEW = frozenset(
    (
        "space_sensitivity",
        "raw_biased_spaces",
        "refusal_rate",
        "neither_rate",
        "invalid_rate",
        "truncated_rate",
    )
)
"""Of `spatial.explicit`: figures by space, and rates that the overview has by condition."""

_ITEM = "occupation"
"""Of `stories`: rows of single occupations; an overview shows those at both ends."""

_ITEMS = frozenset((_ITEM, "region", "dimension", "bin"))
"""Rows of single items are too many for an overview."""

_COUNTS = frozenset(
    ("bias_consistency", "dc_ties", "domain_binomial", "excellent_dc", "excellent_mae")
)
_COUNT_ENDINGS = ("_spaces", "_count", "_dominant")


class ResultsTable:
    """Statistics by protocol, laid out for the width of the console that prints it."""

    def __init__(
        self,
        rows: Sequence[StatisticRow],
        *,
        simulated: Collection[str],
        top: int,
        most_rows: int | None,
        overview: bool,
    ) -> None:
        self._rows = rows
        self._simulated = frozenset(simulated)
        self._top = top
        self._most_rows = most_rows
        self._is_overview = overview

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.lines(options.max_width, glyphs_for(console))

    def lines(self, width: int, glyphs: Glyphs) -> list[Text]:
        """The tables' lines, none longer than `width` cells."""
        if not self._rows:
            return [glyphs.text(("no statistics yet", "dim"))]
        lines: list[Text] = []
        for protocol in dict.fromkeys(row.protocol for row in self._rows):
            rows = [row for row in self._rows if row.protocol == protocol]
            lines += [Text()] if lines else []
            lines += self._protocol(protocol, rows, width, glyphs)
        return lines

    def _protocol(
        self, protocol: str, rows: Sequence[StatisticRow], width: int, glyphs: Glyphs
    ) -> list[Text]:
        notes = Footnotes(glyphs)
        simulated = [row for row in rows if self._is_simulated(row)]
        title = glyphs.text((protocol, "bold"))
        if simulated:
            title = Text.assemble(title, "  ", simulated_badge(glyphs), no_wrap=True)
            if len(simulated) < len(rows):
                names = ", ".join(sorted(self._simulated & {row.target for row in rows}))
                title.append_text(glyphs.text(f" {names}" if names else ""))
        lines = [crop(title, width, glyphs)]
        rest = rows
        if self._is_overview and protocol == "spatial.explicit":
            block, rest = explicit_lines(
                rows,
                simulated=self._simulated,
                top=self._top,
                width=width,
                notes=notes,
                glyphs=glyphs,
            )
            lines += block
            rest = [row for row in rest if row.statistic not in _NOT_IN_OVERVIEW]
            lines += [Text(), glyphs.text(("further figures", "bold"))] if rest else []
        if self._is_overview:
            rest = [row for row in rest if not (_ITEMS & row.group.keys() or is_detail(row))]
        if rest:
            lines += self._tidy(rest, width, notes, glyphs)
        if self._is_overview and self._top > 0:
            lines += self._extremes(rows, width, glyphs)
            lines += dimension_lines(
                rows, simulated=self._simulated, top=self._top, width=width, glyphs=glyphs
            )
        return [*lines, *notes.lines(width)]

    def _extremes(self, rows: Sequence[StatisticRow], width: int, glyphs: Glyphs) -> list[Text]:
        """The occupations at both ends, for each target (and judge, where there are several)."""
        groups: dict[tuple[str, str], list[StatisticRow]] = {}
        for row in rows:
            if row.statistic == "male_share" and _ITEM in row.group and row.target != "*":
                others = {name: level for name, level in row.group.items() if name != _ITEM}
                groups.setdefault((row.target, _labels(others)), []).append(row)
        lines: list[Text] = []
        for (target, labels), shares in groups.items():
            title = self._target(target, glyphs)
            title.append_text(glyphs.text(f"  {labels}" if labels else ""))
            ends = extreme_lines(
                shares,
                item=_ITEM,
                titles=("most men", "fewest men"),
                top=self._top,
                width=width - 2,
                glyphs=glyphs,
            )
            lines += [Text(), crop(title, width, glyphs)]
            lines += [Text.assemble("  ", line, no_wrap=True) for line in ends]
        return lines

    def _tidy(
        self, rows: Sequence[StatisticRow], width: int, notes: Footnotes, glyphs: Glyphs
    ) -> list[Text]:
        """One line a row; where they are limited, overall figures go before detailed ones."""
        shown = list(rows)
        if self._most_rows is not None and len(shown) > self._most_rows:
            places = sorted(range(len(rows)), key=lambda n: (len(rows[n].group), n))
            shown = [rows[n] for n in sorted(places[: self._most_rows])]
        cells: list[Mapping[str, Cell]] = []
        for name in dict.fromkeys(row.target for row in shown):
            cells.append({"statistic": self._target(name, glyphs)})
            cells += [_tidy_row(row, notes, glyphs) for row in shown if row.target == name]
        used = {key for row in cells for key in row}
        heads = {key: glyphs.text((head, "dim")) for key, head in _HEADS.items() if key in used}
        lines = grid(_TIDY, [heads, *cells], width, glyphs)
        if hidden := len(rows) - len(shown):
            lines.append(glyphs.text((f"and {hidden:,} more rows", "dim")))
        return lines

    def _target(self, name: str, glyphs: Glyphs) -> Text:
        title = glyphs.text(("all targets" if name == "*" else name, "bold"))
        if name in self._simulated or (name == "*" and self._simulated):
            title.append_text(glyphs.text((f" {SIMULATED_TAG}", "magenta")))
        return title

    def _is_simulated(self, row: StatisticRow) -> bool:
        """Rows of a simulated target, and rows over all targets where one is simulated."""
        return row.target in self._simulated or (row.target == "*" and bool(self._simulated))


def _labels(group: Mapping[str, JSON]) -> str:
    return ", ".join(f"{name} {level}" for name, level in group.items())


def results_table(
    rows: Sequence[StatisticRow],
    *,
    simulated: Collection[str] = (),
    top: int = 5,
    most_rows: int | None = None,
    overview: bool = True,
) -> ResultsTable:
    """What `console.print` shows of a run's statistics, at any width.

    `simulated` names the targets of `sim:`; their figures, and those over all targets ("*"),
    bear a mark. For `spatial.explicit`: counts, EDI and rates by target, prompt and
    temperature, and the `top` spaces on either side; for everything else one line a row, by
    target, at most `most_rows` a protocol. `overview` False: every row of every protocol as a
    line. Nulls are dashes, with their notes below the table.
    """
    return ResultsTable(rows, simulated=simulated, top=top, most_rows=most_rows, overview=overview)


def _tidy_row(row: StatisticRow, notes: Footnotes, glyphs: Glyphs) -> Mapping[str, Cell]:
    cells: dict[str, Cell] = {
        "statistic": glyphs.text(f"  {row.statistic}"),
        "value": glyphs.text((value_text(row), "bold" if row.value is not None else "dim")),
    }
    if row.group:
        cells["group"] = glyphs.text((group_text(row.group), "dim"))
    if between := figures.interval(row.ci_low, row.ci_high):
        cells["interval"] = glyphs.text(between)
    if row.p_value is not None:
        cells["p"] = glyphs.text(figures.p_value(row.p_value))
    if row.n is not None:
        cells["n"] = glyphs.text(figures.count(row.n))
    if row.note is not None:
        cells["note"] = glyphs.text((notes.mark(row.note), "dim"))
    return cells


def group_text(group: Mapping[str, JSON]) -> str:
    """Factor levels as "prompt 1, temperature 0.7"; empty for an overall figure."""
    return ", ".join(f"{name} {level}" for name, level in group.items())


def value_text(row: StatisticRow) -> str:
    """A row's value: whole for statistics that count, three places for the others."""
    counts = row.statistic in _COUNTS or row.statistic.endswith(_COUNT_ENDINGS)
    if counts and row.value is not None and row.value.is_integer():
        return figures.count(row.value)
    return figures.figure(row.value)
