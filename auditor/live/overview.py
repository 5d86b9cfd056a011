"""One protocol's results in a screen or two: what it names as its headlines, as far as they go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rich.text import Text

from auditor.live.dimensions import dimension_lines, probes_of
from auditor.live.entries import broken, indented
from auditor.live.explicit import explicit_lines, places_of
from auditor.live.extremes import both_ends, extreme_lines
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.live.ranges import Range, range_lines
from auditor.live.summaries import Chosen, chosen, declared
from auditor.live.tidy import group_text, tidy_lines
from auditor.protocols.base import StatisticRow

MOST_LINES = 60
"""Of an overview, whatever a run holds; a few more where the notes of what is shown are long."""
_DETAIL: tuple[tuple[int, int | None], ...] = (
    *((top, None) for top in (5, 3, 2)),
    *((top, most) for most in (32, 28, 24, 20, 16) for top in (3, 2, 1)),
    *((0, most) for most in (None, 40, 30, 20, 14, 8, 4)),
)
"""(items at either end, lines of rows or conditions): the first whose lines are few enough."""


class Overview:
    """The most telling rows of one protocol, and how many it leaves out.

    `name_of` gives the heading of a target, `simulated` the names that bear a mark.
    """

    def __init__(
        self,
        protocol: str,
        rows: Sequence[StatisticRow],
        *,
        name_of: Callable[[str], Text],
        simulated: Collection[str],
    ) -> None:
        self._protocol = protocol
        self._rows = rows
        self._name_of = name_of
        self._simulated = simulated
        is_explicit = protocol == "spatial.explicit"
        self._places, rest = places_of(rows) if is_explicit else ([], rows)
        self._probes = probes_of(rows)
        self._chosen = chosen(rest, declared(protocol))
        if not (self._places or self._probes or self._chosen.least_lines):
            # Before the first answer there may be rates alone, which are nobody's headline.
            self._chosen = chosen(rows, None)

    def lines(self, width: int, glyphs: Glyphs) -> list[Text]:
        """The lines in the greatest detail that has room."""
        lines: list[Text] = []
        for top, most in _DETAIL:
            picked = self._picked(top, most)
            places = len(self._places) if most is None else min(most, len(self._places))
            if places + picked.least_lines >= MOST_LINES:
                continue
            lines = self._at(picked, top, most, width, glyphs)
            if len(lines) < MOST_LINES:
                break
        return lines

    def _picked(self, top: int, most: int | None) -> Chosen:
        picked = self._chosen.without_ends() if top > 0 else self._chosen
        return picked if most is None else picked.first(most)

    def _at(
        self, picked: Chosen, top: int, most: int | None, width: int, glyphs: Glyphs
    ) -> list[Text]:
        notes = Footnotes(glyphs)
        shown: set[int] = set()
        lines = explicit_lines(
            self._places,
            simulated=self._simulated,
            top=top,
            # Where a condition has no room for all its figures, it takes several lines.
            most=None if most is None else max(1, most // 2),
            width=width,
            notes=notes,
            shown=shown,
            glyphs=glyphs,
        )
        further = self._figures(picked, notes, shown, width, glyphs)
        if lines and further:
            lines += [Text(), glyphs.text(("further figures", "bold"))]
        lines += further
        if top > 0:
            lines += self._ends(picked.ends, top, shown, width, glyphs)
            lines += dimension_lines(
                self._probes,
                simulated=self._simulated,
                top=top,
                width=width,
                shown=shown,
                glyphs=glyphs,
            )
        lines += notes.lines(width)
        if hidden := len(self._rows) - len(shown):
            said = f"{hidden:,} of {len(self._rows):,} rows of {self._protocol} are not shown"
            lines += broken(glyphs.text((said, "dim")), width)
        return lines

    def _figures(
        self, picked: Chosen, notes: Footnotes, shown: set[int], width: int, glyphs: Glyphs
    ) -> list[Text]:
        """The rows that stand for themselves, then those that are summed up."""
        lines: list[Text] = []
        common = picked.common
        if common:
            said = f"where not said otherwise: {group_text(common)}"
            lines += broken(glyphs.text((said, "dim")), width)
        if picked.rows:
            lines += tidy_lines(
                picked.rows,
                name_of=self._name_of,
                notes=notes,
                width=width,
                glyphs=glyphs,
                but=common,
            )
            shown.update(map(id, picked.rows))
        if picked.ranges:
            lines += [Text()] if lines else []
            lines += range_lines(
                picked.ranges,
                name_of=self._name_of,
                notes=notes,
                width=width,
                glyphs=glyphs,
                but=common,
            )
            shown.update(id(row) for found in picked.ranges for row in found.outermost)
        return lines

    def _ends(
        self, ranges: Sequence[Range], top: int, shown: set[int], width: int, glyphs: Glyphs
    ) -> list[Text]:
        lines: list[Text] = []
        for found in ranges:
            title = self._name_of(found.target)
            levels = group_text(found.group)
            title.append_text(glyphs.text(f"  {found.statistic}{levels and f', {levels}'}"))
            ends = extreme_lines(found, top=top, width=width - 2, glyphs=glyphs)
            lines += [Text(), *broken(title, width)]
            lines += indented(ends)
            shown.update(id(row) for rows in both_ends(found, top) for row in rows)
        return lines
