"""Unpacks gzip and zstd block by block, and says where a file breaks off."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from auditor.corpus.parts import Packing
from auditor.errors import UsageError

_GZIP_WINDOW = 31
_PIECE_BYTES = {Packing.GZIP: 256 * 1024, Packing.ZSTD: 16 * 1024}
"""So much is unpacked at a time: whatever it holds, that takes no great room."""


class BrokenOff(Exception):
    """A file could not be read to its end; what came before is good."""


def unpacked(blocks: Iterable[bytes], packing: Packing) -> Iterator[bytes]:
    """What packed blocks hold. Several members, one after the other, are one file.

    Raises BrokenOff where the last member has no end, or one is damaged, and UsageError where the
    library for it is missing.
    """
    begin, damage = _unpacking(packing)
    unpacker = None
    for block in blocks:
        for start in range(0, len(block), _PIECE_BYTES[packing]):
            packed = block[start : start + _PIECE_BYTES[packing]]
            while packed:
                if unpacker is None:
                    unpacker = begin()
                try:
                    yield unpacker.decompress(packed)
                except damage as error:
                    raise BrokenOff(f"damaged {packing} ({error})") from None
                packed = b""
                if unpacker.eof:
                    # Some writers fill the last block up with zeros.
                    packed = unpacker.unused_data.lstrip(b"\0")
                    unpacker = None
    if unpacker is not None:
        raise BrokenOff(f"truncated {packing}")


def _unpacking(packing: Packing) -> tuple[Callable[[], Any], type[Exception]]:
    """What begins a member, and what it raises for damage."""
    if packing is Packing.GZIP:
        return lambda: zlib.decompressobj(_GZIP_WINDOW), zlib.error
    try:
        import zstandard
    except ImportError:
        raise UsageError(
            "a file is packed with zstd, which needs zstandard, which is not installed",
            hint='install it with: pip install "bias-auditor[zstd]"',
        ) from None
    return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
