"""Canonical JSON and the 16-byte hashes made of it: what "the same" means everywhere."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode

_WITHOUT_FLOATS = (str, int, type(None))

MOST_LEVELS = 100
"""Of a JSON value that comes from outside. Far above any use, and far below what a reader of the
store can take, whose stack may be deeper than the writer's was."""


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, ASCII only, whole floats as integers: 1.0 and 1 are equal.

    Raises ValueError for NaN and infinities, TypeError for what is not JSON.
    """
    # Most values are labels, and a text needs no second look.
    return _encode(value if type(value) is str else _whole_numbers(value))


def digest16(value: Any) -> bytes:
    """16-byte BLAKE2b hash of the canonical form of a JSON value."""
    return hashlib.blake2b(canonical_json(value).encode("ascii"), digest_size=16).digest()


def text_digest16(text: str) -> bytes:
    """16-byte BLAKE2b hash of a text as it came, lone surrogates included."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def is_too_deep(value: Any, levels: int = MOST_LEVELS) -> bool:
    """Whether objects and lists stand in each other on more levels than these."""
    layer = [value] if type(value) in (dict, list) else []
    for _ in range(levels):
        if not layer:
            return False
        layer = [
            item
            for each in layer
            for item in (each.values() if type(each) is dict else each)
            if type(item) in (dict, list)
        ]
    return bool(layer)


def is_storable(value: Any) -> bool:
    """Whether a value from outside is JSON that every reader of a store can take."""
    if is_too_deep(value):
        return False
    try:
        canonical_json(value)
    except (TypeError, ValueError, RecursionError):  # a set, 1e999, tuples without end
        return False
    return True


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, _WITHOUT_FLOATS):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _whole_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole_numbers(item) for item in value]
    return value
