"""The levels of a factor that a spec asks for, out of those that a file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from auditor.errors import UsageError

Level = TypeVar("Level")


def chosen(
    wanted: Sequence[str] | None, known: Mapping[str, Level], field: str, allowed: str
) -> tuple[Level, ...]:
    """The wanted ones in their order; all in the file's order for None.

    Raises UsageError with where=`field`, a close name and what is allowed for one that is none.
    """
    if wanted is None:
        return tuple(known.values())
    for name in wanted:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f" (did you mean {close[0]!r}?)" if close else ""
            raise UsageError(
                f"no {field} {name!r}{meant}; allowed: {allowed}: {', '.join(known)[:300]}",
                where=field,
            )
    return tuple(known[name] for name in wanted)
