"""The given names of `grap`, in pairs whose two sides are alike but for the level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.harmless import harmless
from auditor.protocols.base import Materials
from auditor.protocols.csv_lines import NotCSV, csv_lines
from auditor.protocols.grap.contrast import Contrast, read_contrast
from auditor.protocols.grap.files import DataFile, data_file
from auditor.protocols.likeness import as_read, hidden_in

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

_GROUP = "group"
_REMARKS = ("_p", "_count")
"""Endings of columns that say how the names were matched; nothing reads them here."""


@dataclass(frozen=True, slots=True)
class NamePair:
    """One name for each level, of one group of origin."""

    group: str
    names: Mapping[str, str]
    """By level."""


def name_pairs(materials: Materials, params: GrapParams | None = None) -> tuple[NamePair, ...]:
    """The pairs of the file, in its order; `params` say what messages call it.

    Columns are `group`, one for each level of the contrast, and any that end in `_p` or `_count`.
    Where both sides share their name, every other column holds names, and each name makes a pair.
    Raises UsageError with file, line and what is allowed for other columns, a blank cell, one
    with characters that cannot be seen, a name that stands twice (also on both sides of a pair, or
    in a spelling that reads the same), and what is no CSV.
    """
    return _pairs(data_file("names", materials, params), data_file("contrast", materials, params))


@lru_cache(maxsize=8)
def _pairs(file: DataFile, contrast: DataFile) -> tuple[NamePair, ...]:
    try:
        return _read(file, read_contrast(contrast))
    except NotCSV as error:
        raise file.wrong(
            f"no CSV: {error}", "each quoted value closed, at most 128 KiB long", error.line
        ) from None


def _read(file: DataFile, known: Contrast) -> tuple[NamePair, ...]:
    records = csv_lines(file.text)
    _, header = next(records, (1, []))
    columns = _columns(file, header, known)
    found: list[NamePair] = []
    lines: dict[str, int] = {}
    for line, values in records:
        if not any(value.strip() for value in values):
            continue
        if len(values) != len(header):
            raise file.wrong("another number of values than columns", "one a column", line)
        row = dict(zip(header, values, strict=True))
        cells = {column: row[column].strip() for column in (_GROUP, *columns)}
        _check(file, cells, columns, known, line)
        for name in (cells[column] for column in columns):
            first = lines.setdefault(as_read(name), line)
            if first != line:
                raise file.wrong(f"name {name!r} is also in line {first}", "each once", line)
        found += _of_row(cells, columns, known)
    if not found:
        raise file.wrong("holds no name", f"lines of {_GROUP}, {', '.join(columns)}")
    return tuple(found)


def _check(
    file: DataFile, cells: Mapping[str, str], columns: Sequence[str], known: Contrast, line: int
) -> None:
    for column, cell in cells.items():
        if not cell or hidden_in(cell) is not None:
            raise file.wrong(f"{column} {cell!r:.40}", "a text that can be seen", line)
    names = [cells[column] for column in columns]
    if len({as_read(name) for name in names}) < len(names):
        said = (
            f"{names[-1]!r} twice" if known.shared_names else f"both sides are called {names[-1]!r}"
        )
        raise file.wrong(said, "different names", line)


def _columns(file: DataFile, header: list[str], known: Contrast) -> tuple[str, ...]:
    names = tuple(c for c in header if c != _GROUP and not c.endswith(_REMARKS))
    wanted = names if known.shared_names else known.levels
    is_fit = _GROUP in header and bool(names) and set(names) == set(wanted)
    if not is_fit or len(set(header)) < len(header):
        allowed = "one or more of names" if known.shared_names else ", ".join(known.levels)
        listed = harmless(", ".join(header), 200)
        raise file.wrong(f"columns {listed}", f"{_GROUP}, {allowed}", 1)
    return tuple(wanted)


def _of_row(
    cells: Mapping[str, str], columns: tuple[str, ...], known: Contrast
) -> tuple[NamePair, ...]:
    group = cells[_GROUP]
    if not known.shared_names:
        names = {level: cells[level] for level in known.levels}
        return (NamePair(group, MappingProxyType(names)),)
    return tuple(
        NamePair(group, MappingProxyType(dict.fromkeys(known.levels, cells[column])))
        for column in columns
    )
