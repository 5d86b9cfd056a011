"""Named randomness: every draw depends on (seed, stream, item), never on order or number."""

from __future__ import annotations

import hashlib
from functools import lru_cache


def draw_integer(seed: int, stream: str, item: bytes | str, *, bits: int = 64) -> int:
    """A uniform integer of up to 64 bits that belongs to (seed, stream, item) for good."""
    key = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item
    digest = hashlib.blake2b(key, digest_size=8, key=_key(seed), person=_person(stream)).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)


def draw(seed: int, stream: str, item: bytes | str) -> float:
    """A uniform number in [0, 1) that belongs to (seed, stream, item) for good."""
    # 53 bits fit a float exactly, so the result can never round up to 1.
    return draw_integer(seed, stream, item, bits=53) * 2.0**-53


@lru_cache(maxsize=8)
def _key(seed: int) -> bytes:
    return seed.to_bytes(16, "big", signed=True)


@lru_cache(maxsize=256)
def _person(stream: str) -> bytes:
    # BLAKE2b takes 16 bytes of personalisation; longer names are hashed down to them.
    return hashlib.blake2b(stream.encode(), digest_size=16).digest()
