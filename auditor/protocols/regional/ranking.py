"""The order of regions that a simulated target is planted with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from auditor.protocols.base import Materials
from auditor.protocols.plants import unknown_key
from auditor.protocols.regional.files import INDICATORS, REGIONS
from auditor.protocols.regional.regions import all_codes, all_regions, indicators
from auditor.types import JSON

Heights = Mapping[str, float]
"""Place of each region by code, from 1 (most preferred) in even steps down to 0 (least)."""


def heights(order: JSON, materials: Materials) -> Heights:
    """Heights in a planted order; see `check_order` for what that may be."""
    codes = all_codes(materials)
    if isinstance(order, str):
        order = _ordered(materials[REGIONS], materials[INDICATORS], order)
    return _heights(tuple(order or ()), codes)


def check_order(order: JSON, materials: Materials) -> str | None:
    """None for an order of regions, else what is wrong with it.

    A list of codes, the most preferred first, or the name of an indicator, the highest first.
    Regions that are not in it follow in the order of their file.
    """
    if isinstance(order, str):
        known = indicators(materials)
        return None if order in known else unknown_key(order, known, ", ".join(known), "order.")
    codes = {region.code for region in all_regions(materials)}
    allowed = "a list of codes of regions, none twice, or the name of an indicator"
    if not isinstance(order, list | tuple):
        return f"order: value {str(order)[:60]!r}; allowed: {allowed}"
    for place, code in enumerate(order):
        if not isinstance(code, str) or code not in codes:
            return f"order: value {str(code)[:60]!r}; allowed: {allowed}"
        if code in order[:place]:
            return f"order: {code!r} stands twice; allowed: {allowed}"
    return None


@lru_cache(maxsize=64)
def _ordered(regions: str, table: str, indicator: str) -> tuple[str, ...]:
    """Codes by an indicator, the highest first; equals in the order of their file."""
    known = indicators({REGIONS: regions, INDICATORS: table})[indicator]
    return tuple(sorted(known, key=lambda code: -known[code]))


@lru_cache(maxsize=64)
def _heights(order: tuple[str, ...], codes: tuple[str, ...]) -> Heights:
    ranked = [*order, *(code for code in codes if code not in order)]
    return {code: 1 - place / (len(ranked) - 1) for place, code in enumerate(ranked)}
