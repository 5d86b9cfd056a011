"""The files of a corpus: of what kind each is, and the parts that are counted by themselves."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from auditor.canonical import text_digest16
from auditor.errors import UsageError
from auditor.harmless import harmless

PART_BYTES = 256 * 1024 * 1024
"""Plain JSON lines are cut into parts of this size, so that one large file keeps all cores busy."""

SHARED_BYTES = 8 * 1024 * 1024
"""Packed bytes from which it is worth while that several processes count one file's lines."""

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_COMPRESSED_SUFFIXES = (".gz", ".zst", ".zstd")
_JSON_SUFFIXES = (".jsonl", ".json", ".ndjson", ".jsonlines")
_TEXT_SUFFIXES = (".txt", ".text")
_ALLOWED = "allowed: JSON lines, text or parquet; plain, gzip or zstd"


class Packing(StrEnum):
    """How a file is compressed."""

    PLAIN = "plain"
    GZIP = "gzip"
    ZSTD = "zstd"


class Kind(StrEnum):
    """What a file's documents stand in."""

    JSON = "json"
    """One JSON object a line, each a document."""
    TEXT = "text"
    """Documents with blank lines between."""
    PARQUET = "parquet"
    """One document a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of one file: the lines that begin in it."""

    path: Path
    kind: Kind
    packing: Packing
    start: int
    stop: int
    """Both in bytes of the file as it lies there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFile:
    """A file to count, as it was found."""

    path: Path
    name: str
    """What messages and the store call it; the folder it lies in is nobody's business."""
    place: str
    """Hash of its whole path."""
    size: int
    modified_ns: int
    parts: tuple[Part, ...]

    @property
    def has_field(self) -> bool:
        """Whether its documents are a field of something."""
        return self.parts[0].kind is not Kind.TEXT

    @property
    def is_shared(self) -> bool:
        """Whether it is packed and large, with lines that several processes can count."""
        (part, *others) = self.parts
        is_packed = not others and part.packing is not Packing.PLAIN
        return is_packed and part.kind is Kind.JSON and self.size >= SHARED_BYTES

    @property
    def processes(self) -> int:
        """How many processes can count it at a time."""
        return -(-self.size // SHARED_BYTES) if self.is_shared else len(self.parts)


def corpus_file(path: Path, *, part_bytes: int = PART_BYTES) -> CorpusFile:
    """A file by its first bytes and its name. Raises UsageError for what cannot be a corpus."""
    shown = harmless(str(path))
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            raise UsageError(f"{shown}: {what}; {_ALLOWED}", where=shown)
        with path.open("rb") as file:
            begin = file.read(4096)
    except OSError as error:
        said = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise UsageError(f"{shown}: {said}; {_ALLOWED}", where=shown) from None
    if begin.startswith(b"SQLite format 3\x00"):
        raise UsageError(f"{shown}: a database; {_ALLOWED}", where=shown)
    packing = _packing(begin)
    kind = Kind.PARQUET if begin.startswith(_PARQUET) else _kind(path.name, begin, packing)
    size = found.st_size
    is_cut = packing is Packing.PLAIN and kind is Kind.JSON
    step = part_bytes if is_cut else max(size, 1)
    parts = tuple(
        Part(path=path, kind=kind, packing=packing, start=start, stop=min(start + step, size))
        for start in range(0, max(size, 1), step)
    )
    return CorpusFile(
        path=path,
        name=harmless(path.name),
        place=text_digest16(os.path.realpath(path)).hex(),
        size=size,
        modified_ns=found.st_mtime_ns,
        parts=parts,
    )


def _packing(begin: bytes) -> Packing:
    if begin.startswith(_GZIP):
        return Packing.GZIP
    return Packing.ZSTD if begin.startswith(_ZSTD) else Packing.PLAIN


def _kind(name: str, begin: bytes, packing: Packing) -> Kind:
    bare = name.lower()
    for suffix in _COMPRESSED_SUFFIXES:
        bare = bare.removesuffix(suffix)
    if bare.endswith(_JSON_SUFFIXES):
        return Kind.JSON
    if bare.endswith(_TEXT_SUFFIXES):
        return Kind.TEXT
    if packing is not Packing.PLAIN:
        return Kind.JSON
    return Kind.JSON if begin.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else Kind.TEXT


def content_digest(parts_read: list[str]) -> str:
    """Hash of a file out of those of its parts."""
    return text_digest16("".join(parts_read)).hex()
