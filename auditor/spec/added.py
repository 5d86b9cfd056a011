"""What `auditor judge` adds to the spec of a store: a block of ours behind the user's own text.

A store's spec is what its run goes by. A judge that is added later has to stand there, too, or the
next resume would leave it out. The user's text stays as it is, byte for byte, above the block.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence

from auditor.types import JSON

ADDED = "added"
"""The table of a spec that holds the block."""
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MARK = "# Added to this store by `auditor judge`:\n"


def without_added(text: str) -> str:
    """The user's own text of a stored spec."""
    return text.partition(_MARK)[0] if _MARK in text else text


def added_judges(text: str) -> list[tuple[str, str]]:
    """(task, name) of each judge that was added to a stored spec; the user's text is not read."""
    block = text.removeprefix(without_added(text))
    tables = tomllib.loads(block).get(ADDED, {}).get("judges", [])
    return [(table["task"], table["name"]) for table in tables]


def with_block(
    text: str, judges: Sequence[Mapping[str, JSON]], endpoints: Mapping[str, Mapping[str, JSON]]
) -> str:
    """A spec's text with these additions in the place of those that it had."""
    own = without_added(text)
    if not judges and not endpoints:
        return own
    # The mark begins a line, and the user's own text can be told from what was added to end its
    # last one: TOML takes no table behind an unended line.
    parts = [own if own.endswith("\n") else f"{own}\n", _MARK]
    for name, table in endpoints.items():
        parts += [f"[{ADDED}.endpoints.{_key(name)}]\n", *_pairs(table)]
    for table in judges:
        parts += [f"[[{ADDED}.judges]]\n", *_pairs(table)]
    return "".join(parts)


def with_block_of(stored: str, text: str) -> str:
    """A text with the block of a stored spec behind it."""
    return text + stored.removeprefix(without_added(stored))


def with_added(
    declared: Mapping[str, Mapping[str, JSON]], added: Mapping[str, Mapping[str, JSON]]
) -> dict[str, dict[str, JSON]]:
    """A spec's endpoint tables, with added settings over each one's own."""
    names = dict.fromkeys([*declared, *added])
    return {name: {**declared.get(name, {}), **added.get(name, {})} for name in names}


def toml_value(value: JSON) -> str:
    """A JSON value but null as TOML spells it, in one line."""
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    # JSON's escapes are TOML's; only DEL is allowed bare in one of them alone.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _pairs(table: Mapping[str, JSON]) -> list[str]:
    return [f"{_key(key)} = {toml_value(value)}\n" for key, value in table.items()]


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else toml_value(name)
