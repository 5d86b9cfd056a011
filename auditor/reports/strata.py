"""Strata of a sample: what answers are told apart by, and how many are drawn of each kind."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from pathlib import Path

from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.protocols.base import AnyProtocol, Materials
from auditor.protocols.csv_lines import NotCSV, csv_lines
from auditor.reports.labels import shown
from auditor.types import JSON
from auditor.user_files import read_whole

Stratum = tuple[str, ...]
"""Levels as texts, in the order of the names that answers are told apart by."""
Stratifier = Callable[[str, Mapping[str, JSON]], Stratum]
"""From target and factors to the stratum."""

TARGET = "target"
_SIZE = "n"
_MOST_SHOWN = 12


def level_text(level: JSON) -> str:
    """A level as sheets and size files spell it."""
    return level if isinstance(level, str) else canonical_json(level)


def stratifier(names: Sequence[str], protocol: AnyProtocol, materials: Materials) -> Stratifier:
    """What finds an answer's stratum.

    A name is a factor, "target", or a property of a factor's levels: a column of one of the
    protocol's tables (`domain` of a space). Raises UsageError with the allowed names.
    """
    readers: dict[str, Callable[[str, Mapping[str, JSON]], str]] = {
        TARGET: lambda target, _: target
    }
    factors = [factor.name for factor in protocol.factors(materials)]
    for path in protocol.materials:
        if path.endswith(".csv"):
            readers |= _properties(materials[path], factors)
    readers |= {name: _factor(name) for name in factors}
    for place, name in enumerate(names):
        if name not in readers:
            allowed = ", ".join([*factors, *(known for known in readers if known not in factors)])
            raise UsageError(f"stratify: value {name!r}; allowed: {allowed}")
        if name in names[:place]:
            raise UsageError(f"stratify: value {name!r} stands twice; allowed: once")
    chosen = [readers[name] for name in names]
    return lambda target, levels: tuple(read(target, levels) for read in chosen)


def _factor(name: str) -> Callable[[str, Mapping[str, JSON]], str]:
    return lambda _, levels: level_text(levels[name])


def _properties(
    table: str, factors: Sequence[str]
) -> dict[str, Callable[[str, Mapping[str, JSON]], str]]:
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    columns = list(rows[0]) if rows else []
    factor = next((name for name in columns if name in factors), None)
    if factor is None:
        return {}

    def reader(column: str) -> Callable[[str, Mapping[str, JSON]], str]:
        known = {row[factor]: row[column] or "" for row in rows}
        return lambda _, levels: known.get(level_text(levels[factor]), "")

    return {column: reader(column) for column in columns if column != factor}


def in_proportion(available: Mapping[Stratum, int], n: int) -> list[Stratum]:
    """The stratum of the first, second, ... n-th answer, in proportion to the strata's sizes.

    Each next answer goes to the stratum with the largest size / (2 drawn + 1) that is not used up;
    equals by name. So a greater n keeps what a smaller one gives, which rounding shares of n does
    not. Fewer than n where there are no more.

    Source: the divisor method of Webster and Sainte-Laguë.
    """
    queue = [(Fraction(-size), stratum, 0) for stratum, size in available.items() if size > 0]
    heapify(queue)
    found: list[Stratum] = []
    total = sum(max(0, size) for size in available.values())
    while queue and len(found) < min(n, total):
        _, stratum, drawn = queue[0]
        found.append(stratum)
        drawn += 1
        size = available[stratum]
        weight = Fraction(-size, 2 * drawn + 1) if drawn < size else Fraction(1)
        heapreplace(queue, (weight, stratum, drawn))
    return found


def read_sizes(path: Path, names: Sequence[str]) -> tuple[tuple[str, ...], dict[Stratum, int]]:
    """What answers are told apart by, and the answers to draw of each stratum, from a CSV file.

    Columns: the names (those given, or whatever the file has), and `n`. Strata that are not listed
    get none. Raises UsageError with file, line, value and what is allowed.
    """
    name = str(path)
    try:
        text = read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not UTF-8", where=name, hint='save as "CSV UTF-8"') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{name}: {reason}", where=name, hint="name a CSV file of sizes") from None
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    try:
        (_, first), *records = csv_lines(text, delimiter=delimiter) if text else [(1, [])]
    except NotCSV as error:
        raise UsageError(
            f"{name}:{error.line}: no CSV: {error}; allowed: each quoted value closed",
            where=f"{name}:{error.line}",
        ) from None
    header = [cell.strip() for cell in first]
    wanted = tuple(names) or tuple(column for column in header if column != _SIZE)
    if _SIZE not in header or set(header) != {*wanted, _SIZE} or len(set(header)) < len(header):
        allowed = ", ".join([*wanted, _SIZE])
        said = ", ".join(header) or "none"
        raise UsageError(
            f"{name}:1: columns: value {shown(said)}; allowed: {allowed}", where=f"{name}:1"
        )
    sizes: dict[Stratum, int] = {}
    for line, record in records:
        if not any(cell.strip() for cell in record):
            continue
        place = f"{name}:{line}"
        if len(record) != len(header):
            raise UsageError(f"{place}: {len(record)} cells; allowed: {len(header)}", where=place)
        cells = dict(zip(header, (cell.strip() for cell in record), strict=True))
        if not re.fullmatch(r"[0-9]{1,9}", cells[_SIZE]):
            raise UsageError(
                f"{place}: n: value {shown(cells[_SIZE])}; allowed: a whole number from 0",
                where=place,
            )
        stratum = tuple(cells[column] for column in wanted)
        if stratum in sizes:
            raise UsageError(
                f"{place}: {', '.join(stratum)} stands twice; allowed: once", where=place
            )
        sizes[stratum] = int(cells[_SIZE])
    if not sum(sizes.values()):
        raise UsageError(f"{name}: no stratum is to be drawn from", where=name)
    return wanted, sizes


def check_sizes(path: Path, sizes: Mapping[Stratum, int], available: Mapping[Stratum, int]) -> None:
    """Raises UsageError for a stratum of which there is no answer: it is likely misspelt."""
    for stratum, size in sizes.items():
        if size and not available.get(stratum):
            listed = "; ".join(", ".join(known) for known in sorted(available)[:_MOST_SHOWN])
            more = len(available) - _MOST_SHOWN
            raise UsageError(
                f"{path}: stratum {shown(', '.join(stratum))} has no answer in this store;"
                f" allowed: {listed or 'none'}{f' and {more} more' if more > 0 else ''}",
                where=str(path),
            )
