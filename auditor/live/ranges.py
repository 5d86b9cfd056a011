"""Statistics with many rows, summed up: the lowest, the median and the highest, and where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from rich.text import Text

from auditor.counted import counted, plural
from auditor.live import figures
from auditor.live.entries import Figure, entry_lines
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.live.tidy import grouped_entries, value_text
from auditor.protocols.base import StatisticRow
from auditor.types import JSON

_FIGURES = (
    Figure(key="of", head="over", right=False),
    Figure(key="lowest", head="lowest", right=False),
    Figure(key="median", head="median"),
    Figure(key="highest", head="highest", right=False),
    Figure(key="note", head="", right=False),
)


@dataclass(frozen=True, kw_only=True)
class Range:
    """Rows of one statistic and target that differ in the factors `over` alone."""

    target: str
    statistic: str
    group: Mapping[str, JSON]
    """What they have in common."""
    over: tuple[str, ...]
    rows: Sequence[StatisticRow]

    @property
    def known(self) -> list[StatisticRow]:
        """The rows with a value, the lowest first; equal ones in their own order."""
        found = [row for row in self.rows if row.value is not None]
        return sorted(found, key=lambda row: row.value or 0.0)

    @property
    def outermost(self) -> list[StatisticRow]:
        """The rows whose own value a line shows: the lowest and the highest."""
        known = self.known
        return [known[0], known[-1]] if known else []


def range_lines(
    ranges: Sequence[Range],
    *,
    name_of: Callable[[str], Text],
    notes: Footnotes,
    width: int,
    glyphs: Glyphs,
    but: Collection[str] = (),
) -> list[Text]:
    """A line a range, by target and statistic; `but` as in `tidy_lines`."""
    entries = grouped_entries(
        ranges,
        name_of=name_of,
        figures_of=lambda found: _cells(found, notes, glyphs),
        but=but,
        glyphs=glyphs,
    )
    return entry_lines("summed up", _FIGURES, entries, width, glyphs)


def _cells(found: Range, notes: Footnotes, glyphs: Glyphs) -> dict[str, Text]:
    known = found.known
    missing = len(found.rows) - len(known)
    noun = found.over[0] if len(found.over) == 1 else "row"
    of = counted(len(found.rows), noun)
    if missing:
        of = f"{len(known):,} of {len(found.rows):,} {plural(noun)}"
    cells = {"of": glyphs.text((of, "dim"))}
    if not known:
        cells["lowest"] = glyphs.text((figures.DASH, "dim"))
    elif known[0].value == known[-1].value:
        cells["lowest"] = glyphs.text((value_text(known[0]), "bold"), (" throughout", "dim"))
    else:
        middle = median(row.value for row in known if row.value is not None)
        cells["lowest"] = _end(known[0], known, found.over, glyphs)
        cells["median"] = glyphs.text(figures.figure(middle))
        cells["highest"] = _end(known[-1], known, found.over, glyphs)
    said = [row.note for row in (found.outermost or found.rows[:1]) if row.note is not None]
    if said:
        marks = dict.fromkeys(notes.mark(note) for note in said)
        cells["note"] = glyphs.text((" ".join(marks), "dim"))
    return cells


def _end(
    row: StatisticRow, known: Sequence[StatisticRow], over: Sequence[str], glyphs: Glyphs
) -> Text:
    """A value and where it is found; of several equal ones, how many there are."""
    same = sum(each.value == row.value for each in known)
    where = ", ".join(str(row.group[name]) for name in over)
    place = where if same == 1 else f"{same:,} of them"
    return glyphs.text((value_text(row), "bold"), (f" ({place})", "dim"))
