"""The results of a run as tables for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from auditor.live.entries import broken
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs, glyphs_for
from auditor.live.overview import Overview
from auditor.live.simulated import simulated_badge, simulated_tag
from auditor.live.tidy import tidy_lines
from auditor.protocols.base import StatisticRow


class ResultsTable:
    """Statistics by protocol, laid out for the width of the console that prints it."""

    def __init__(
        self, rows: Sequence[StatisticRow], *, simulated: Collection[str], overview: bool
    ) -> None:
        self._rows = rows
        self._simulated = frozenset(simulated)
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
            lines += self._head(protocol, rows, width, glyphs)
            if self._is_overview:
                overview = Overview(
                    protocol,
                    rows,
                    name_of=partial(self._target, glyphs),
                    simulated=self._simulated,
                )
                lines += overview.lines(width, glyphs)
            else:
                lines += self._every_row(rows, width, glyphs)
        return lines

    def _head(
        self, protocol: str, rows: Sequence[StatisticRow], width: int, glyphs: Glyphs
    ) -> list[Text]:
        """The protocol's name, and how many of its targets are simulated."""
        title = glyphs.text((protocol, "bold"))
        targets = {row.target for row in rows if row.target != "*"}
        simulated = len(targets & self._simulated)
        if any(self._is_simulated(row.target) for row in rows):
            badge = simulated_badge(glyphs, simulated=simulated, of=len(targets))
            title = Text.assemble(title, "  ", badge, no_wrap=True)
        return broken(title, width)

    def _every_row(self, rows: Sequence[StatisticRow], width: int, glyphs: Glyphs) -> list[Text]:
        notes = Footnotes(glyphs)
        lines = tidy_lines(
            rows,
            name_of=partial(self._target, glyphs),
            notes=notes,
            width=width,
            glyphs=glyphs,
        )
        return [*lines, *notes.lines(width)]

    def _target(self, glyphs: Glyphs, name: str) -> Text:
        title = glyphs.text(("all targets" if name == "*" else name, "bold"))
        if self._is_simulated(name):
            title.append_text(simulated_tag(glyphs))
        return title

    def _is_simulated(self, target: str) -> bool:
        """A simulated target, and all targets together where one is simulated."""
        return target in self._simulated or (target == "*" and bool(self._simulated))


def results_table(
    rows: Sequence[StatisticRow], *, simulated: Collection[str] = (), overview: bool = True
) -> ResultsTable:
    """What `console.print` shows of a run's statistics, at any width.

    `simulated` names the targets of `sim:`; their figures, and those over all targets ("*"),
    bear a mark. An overview has at most some 60 lines a protocol: the statistics that the protocol
    names as its headlines, as far as they go, and how many rows are not shown. `overview` False:
    every row of every protocol. Nulls are dashes, with their notes below the table.
    """
    return ResultsTable(rows, simulated=simulated, overview=overview)
