"""The given names of `grap`, in pairs whose two sides are alike but for the level."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from auditor.protocols.base import Materials
from auditor.protocols.grap.contrast import Contrast, read_contrast
from auditor.protocols.grap.files import DataFile
from auditor.protocols.grap.params import GrapParams, data_file

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
    Raises UsageError with file, line and what is allowed for other columns, a blank cell, and a
    name that stands twice.
    """
    return _pairs(data_file("names", materials, params), data_file("contrast", materials, params))


@lru_cache(maxsize=8)
def _pairs(file: DataFile, contrast: DataFile) -> tuple[NamePair, ...]:
    known = read_contrast(contrast)
    reader = csv.DictReader(file.text.removeprefix("\ufeff").splitlines(), restkey="more")
    columns = _columns(file, list(reader.fieldnames or ()), known)
    found: list[NamePair] = []
    lines: dict[str, int] = {}
    for row in reader:
        line = reader.line_num
        if not any(isinstance(cell, str) and cell.strip() for cell in row.values()):
            continue
        if "more" in row or None in row.values():
            raise file.wrong("another number of values than columns", "one a column", line)
        cells = {column: row[column].strip() for column in (_GROUP, *columns)}
        for column, cell in cells.items():
            if not cell or any(not char.isprintable() for char in cell):
                raise file.wrong(f"{column} {cell!r:.40}", "a printable text", line)
        for name in (cells[column] for column in columns):
            if lines.setdefault(name.casefold(), line) != line:
                raise file.wrong(
                    f"name {name!r} is also in line {lines[name.casefold()]}", "each once", line
                )
        found += _of_row(cells, columns, known)
    if not found:
        raise file.wrong("holds no name", f"lines of {_GROUP}, {', '.join(columns)}")
    return tuple(found)


def _columns(file: DataFile, header: list[str], known: Contrast) -> tuple[str, ...]:
    names = tuple(c for c in header if c != _GROUP and not c.endswith(_REMARKS))
    wanted = names if known.shared_names else known.levels
    is_fit = _GROUP in header and bool(names) and set(names) == set(wanted)
    if not is_fit or len(set(header)) < len(header):
        allowed = "one or more of names" if known.shared_names else ", ".join(known.levels)
        raise file.wrong(f"columns {', '.join(header)[:200]}", f"{_GROUP}, {allowed}", 1)
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
