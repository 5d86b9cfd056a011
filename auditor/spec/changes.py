"""In which fields two texts of a spec differ."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_MOST_NAMED = 4


def changed_fields(before: str, after: str) -> str | None:
    """Names of the fields in which two specs differ, in a phrase; a few, and how many more.

    Values are left out: an address may hold what is to stay secret. None where they differ in
    no field (in comments, in order), and where either is no TOML.
    """
    try:
        names = list(_changed(tomllib.loads(before), tomllib.loads(after), ""))
    except tomllib.TOMLDecodeError:
        return None
    if not names:
        return None
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _changed(before: Any, after: Any, name: str) -> Iterator[str]:
    old, new = _by_name(before), _by_name(after)
    if old is None or new is None:
        if before != after:
            yield name
        return
    for key in {**old, **new}:
        whole = f"{name}.{key}" if name else key
        if key in old and key in new:
            yield from _changed(old[key], new[key], whole)
        else:
            yield whole


def _by_name(value: Any) -> Mapping[str, Any] | None:
    """A table as it is; a list of tables that have names of their own by these; else None."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return None
    named = {
        str(each.get("name", each.get("task", place))): each for place, each in enumerate(value)
    }
    return named if value and len(named) == len(value) else None
