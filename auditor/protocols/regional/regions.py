"""The regions under audit with their names and indicators, as the rubric files have them."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.likeness import as_read
from auditor.protocols.regional.files import REGIONS, Once, TableFile, table_file
from auditor.protocols.regional.levels import chosen

if TYPE_CHECKING:
    from auditor.protocols.regional.params import RegionalParams

_NAMES = ("name_en", "name_zh", "name_zh_short")


@dataclass(frozen=True, slots=True)
class Region:
    """One region."""

    code: str
    """The factor's level."""
    name_en: str
    name_zh: str
    """Official name."""
    name_zh_short: str
    """Everyday name, which prompts use."""
    kind: str | None

    def name(self, language: str) -> str:
        """The name that prompts in a language use."""
        return self.name_zh_short if language == "zh" else self.name_en

    @property
    def names(self) -> tuple[str, ...]:
        """All names, each once."""
        return tuple(dict.fromkeys((self.name_en, self.name_zh, self.name_zh_short)))


def all_regions(materials: Materials, params: RegionalParams | None = None) -> tuple[Region, ...]:
    """All regions, in the file's order; `params` say what messages call the file.

    Raises UsageError with file, line, value and what is allowed for a code or name that is missing
    or also another region's (also where it only reads the same), fewer than two regions, other
    columns, and characters that cannot be seen.
    """
    return _regions(table_file("regions", materials, params))


def all_codes(materials: Materials) -> tuple[str, ...]:
    """Codes of all regions, in the file's order."""
    return tuple(_by_code(materials[REGIONS]))


def region_of(code: str, materials: Materials) -> Region:
    """The region of a code that is one."""
    return _by_code(materials[REGIONS])[code]


def chosen_regions(params: RegionalParams, materials: Materials) -> tuple[Region, ...]:
    """The regions that a spec asks for, in its order.

    Raises UsageError with where="region" for a code that is none or a single one, and as
    `all_regions` does.
    """
    by_code = {region.code: region for region in all_regions(materials, params)}
    found = chosen(params.region, by_code, "region", "codes of regions")
    if len(found) < 2:
        raise UsageError("one region; allowed: at least two", where="region")
    return found


def indicators(
    materials: Materials, params: RegionalParams | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Values by indicator and region's code, in the file's order.

    A blank cell is unknown and absent; so are codes that are no region's. Raises UsageError with
    file, line, value and what is allowed for a value that is no number and a code that is there
    twice; a user's own file may name no code that is no region's, and has a number of each of its
    indicators, of which there is at least one.
    """
    file = table_file("indicators", materials, params)
    codes = {region.code for region in all_regions(materials, params)}
    is_own = params is not None and params.indicators is not None
    if not is_own and not file.text.strip():
        return {}
    values, lines = _indicators(file)
    if is_own:
        _check_own(file, values, lines, codes)
    return {
        name: {code: value for code, value in known.items() if code in codes}
        for name, known in values.items()
    }


def _check_own(
    file: TableFile,
    values: Mapping[str, Mapping[str, float]],
    lines: Mapping[str, int],
    codes: Container[str],
) -> None:
    for code, line in lines.items():
        if code not in codes:
            raise file.wrong(line, f"code {code!r} is no region's", "codes of the regions")
    if not lines:
        raise file.wrong(1, "no region in the file", "at least one")
    if not values:
        raise file.wrong(1, "no column of an indicator", "code, and one or more indicators")
    for name, known in values.items():
        if not known:
            raise file.wrong(1, f"no number of {name}", "one or more of each indicator")


@lru_cache(maxsize=8)
def _regions(file: TableFile) -> tuple[Region, ...]:
    once = Once(file)
    found = []
    line = 1
    for line, row in file.rows(("code", "name_en", "name_zh"), ("name_zh_short", "kind")):
        row.setdefault("name_zh_short", row["name_zh"])
        for column in ("code", *_NAMES):
            if not as_read(row[column]):
                raise file.wrong(line, f"{column} is blank", "a text")
        region = Region(
            code=row["code"],
            name_en=row["name_en"],
            name_zh=row["name_zh"],
            name_zh_short=row["name_zh_short"],
            kind=row.get("kind") or None,
        )
        once.add("code", region.code, line)
        for name in region.names:
            once.add("name", name, line)
        found.append(region)
    if len(found) < 2:
        raise file.wrong(line, f"{len(found)} regions in the file", "at least two")
    return tuple(found)


@lru_cache(maxsize=8)
def _by_code(text: str) -> Mapping[str, Region]:
    return {region.code: region for region in all_regions({REGIONS: text})}


@lru_cache(maxsize=8)
def _indicators(
    file: TableFile,
) -> tuple[Mapping[str, Mapping[str, float]], Mapping[str, int]]:
    """Values by indicator and code, and the line of each code."""
    once = Once(file)
    values: dict[str, dict[str, float]] = {}
    lines: dict[str, int] = {}
    for line, row in file.rows(("code",), None):
        code = row.pop("code")
        if not code:
            raise file.wrong(line, "code is blank", "a region's code")
        once.add("code", code, line)
        lines[code] = line
        for name, written in row.items():
            known = values.setdefault(name, {})
            if written:
                known[code] = _number(file, line, name, written)
    return MappingProxyType(values), MappingProxyType(lines)


def _number(file: TableFile, line: int, name: str, written: str) -> float:
    try:
        number = float(written)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise file.wrong(line, f"{name} {written!r} is not a number", "a number, or blank")
    return number
