"""Factor levels of an imported trial, held against what its protocol knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from auditor.canonical import canonical_json
from auditor.importing.values import Rejected, shown
from auditor.protocols.base import Factor
from auditor.types import JSON

_LONGEST_TEXT = 1000
_LISTED = 12


class Factors:
    """The factors of one protocol: names to levels, as lines may spell them."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self._factors = {factor.name: factor for factor in factors}
        self._levels = {
            factor.name: {canonical_json(level): level for level in factor.levels}
            for factor in factors
            if factor.levels is not None
        }

    def resolved(self, given: JSON) -> dict[str, JSON]:
        """All factors with their levels: aliases resolved, defaults laid in.

        Levels compare in canonical JSON: 1 and 1.0 are equal, "1" is neither. Raises Rejected.
        """
        if given is None:
            given = {}
        if not isinstance(given, Mapping):
            raise Rejected("factors", f"value {shown(given)}", "an object of factor to level")
        for name in given:
            if name not in self._factors:
                raise Rejected(
                    f"factors.{shown(name)[1:-1]}", "unknown factor", ", ".join(self._factors)
                )
        return {
            name: self._level(factor, given.get(name)) for name, factor in self._factors.items()
        }

    def _level(self, factor: Factor, value: Any) -> JSON:
        field = f"factors.{factor.name}"
        if value is None:
            if factor.default is None:
                raise Rejected(field, "missing", self._allowed(factor, None))
            return factor.default
        if isinstance(value, str):
            value = factor.aliases.get(value, value)
        if factor.levels is not None:
            known = self._levels[factor.name]
            try:
                return known[canonical_json(value)]
            except KeyError:
                allowed = self._allowed(factor, value)
                raise Rejected(field, f"value {shown(value)}", allowed) from None
        if not _is_of_kind(value, factor.kind):
            raise Rejected(field, f"value {shown(value)}", self._allowed(factor, value))
        level: JSON = value
        return level

    def _allowed(self, factor: Factor, value: JSON) -> str:
        if factor.levels is None:
            return "a number" if factor.kind == "number" else "a text"
        listed = ", ".join(canonical(level) for level in factor.levels[:_LISTED])
        more = len(factor.levels) - _LISTED
        if more > 0:
            listed += f" and {more} more"
        names = [*map(str, factor.levels), *factor.aliases]
        close = get_close_matches(str(value)[:_LONGEST_TEXT], names, n=1) if value else []
        return f"{listed} (close: {shown(close[0])})" if close else listed


def canonical(level: JSON) -> str:
    """A level as a line spells it, in letters that can be read."""
    return shown(level) if isinstance(level, str) else canonical_json(level)


def _is_of_kind(value: JSON, kind: str) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str) and bool(value.strip()) and len(value) <= _LONGEST_TEXT
