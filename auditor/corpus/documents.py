"""The documents of one part of a file, one after the other, and what is none of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.corpus.parts import Kind, Part
from auditor.corpus.unpacking import BrokenOff
from auditor.errors import UsageError
from auditor.harmless import harmless

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that is still read; a longer one is rejected and passed over."""
LONGEST_TEXT = 1024 * 1024
"""Bytes of a document of plain text: at the next line a longer one is cut in two."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ROWS = 1000
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line or row that holds no document, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class End:
    """How far a part was read: the lines that begin in it."""

    lines: int
    problem: str | None
    """Why it could not be read to its end; None: it could."""


Found = str | Rejected | End


def documents(part: Part, blocks: Iterable[bytes], field: str) -> Iterator[Found]:
    """Documents and rejected lines in their order, then an End. Lines are numbered from 1.

    `field` names what holds the text of a JSON object or of a parquet row. Raises UsageError
    where a library is missing.
    """
    if part.kind is Kind.PARQUET:
        return _of_rows(part.path, blocks, field)
    lines = _Lines(blocks)
    if part.kind is Kind.TEXT:
        return _of_text(lines)
    return _of_objects(lines, field)


class _Lines:
    """Lines without their ends; what a file breaks off in is none."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self.count = 0
        self.problem: str | None = None

    def __iter__(self) -> Iterator[bytes | None]:
        """Each line; None where it is longer than LONGEST_LINE."""
        rest: list[bytes] = []
        length = 0
        try:
            for block in self._blocks:
                first, *others = block.split(b"\n")
                if length <= LONGEST_LINE:
                    rest.append(first)
                length += len(first)
                for other in others:
                    yield self._line(rest, length)
                    rest, length = [other], len(other)
        except BrokenOff as error:
            self.problem = f"{error}, after line {self.count}"
            return
        if length:
            yield self._line(rest, length)

    def _line(self, pieces: list[bytes], length: int) -> bytes | None:
        self.count += 1
        if length > LONGEST_LINE:
            return None
        # Files that were joined have one at each beginning, wherever that is.
        return b"".join(pieces).removeprefix(_BYTE_ORDER_MARK)

    def end(self) -> End:
        """How far they went."""
        return End(self.count, self.problem)


def _of_objects(lines: _Lines, field: str) -> Iterator[Found]:
    loads = _reader()
    for line in lines:
        if line is None:
            yield Rejected(lines.count, f"longer than {LONGEST_LINE // 2**20} MiB")
            continue
        try:
            value = loads(line)
        except ValueError:
            if not line or line.isspace():
                continue
            value = _read_leniently(line)
        if type(value) is dict:
            text = value.get(field)
            if type(text) is str:
                yield text
                continue
        yield Rejected(lines.count, value if type(value) is _Reason else _reason(value, field))
    yield lines.end()


def _reader() -> Callable[[bytes], Any]:
    """What reads JSON fast, or what reads it at all."""
    try:
        from orjson import loads
    except ImportError:
        return json.loads
    return loads


class _Reason(str):
    """Why a line is no JSON."""


def _read_leniently(line: bytes) -> Any:
    """A line that the strict reader refuses: lone surrogates and NaN are common, and harmless."""
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _Reason(f"byte {line[error.start]:#04x} at place {error.start + 1} is not UTF-8")
    except json.JSONDecodeError as error:
        return _Reason(f"not JSON: {error.msg} at column {error.colno}")
    except RecursionError:
        return _Reason("nested too deeply")
    except ValueError:
        return _Reason("a number of thousands of digits")


def _reason(value: Any, field: str) -> str:
    if not isinstance(value, dict):
        return "not a JSON object"
    name = harmless(field, _LONGEST_REASON)
    if field in value:
        return f"field {name!r}: not a text"
    return f"no field {name!r}"


def _of_text(lines: _Lines) -> Iterator[Found]:
    document: list[bytes] = []
    first, length = 1, 0
    for line in lines:
        if line is None:
            yield Rejected(lines.count, f"longer than {LONGEST_LINE // 2**20} MiB")
        is_between = line is None or not line or line.isspace()
        if document and (is_between or length > LONGEST_TEXT):
            yield _text(document, first)
            document, length = [], 0
        if line is None or is_between:
            continue
        if not document:
            first = lines.count
        document.append(line)
        length += len(line)
    if document:
        yield _text(document, first)
    yield lines.end()


def _text(lines: list[bytes], first: int) -> str | Rejected:
    whole = b"\n".join(lines)
    try:
        return whole.decode("utf-8")
    except UnicodeDecodeError as error:
        number = first + whole.count(b"\n", 0, error.start)
        return Rejected(number, f"byte {whole[error.start]:#04x} is not UTF-8")


def _of_rows(path: Path, blocks: Iterable[bytes], field: str) -> Iterator[Found]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            f"{harmless(path.name)}: parquet needs pyarrow, which is not installed",
            hint='install it with: pip install "bias-auditor[parquet]"',
        ) from None
    count = 0
    problem = None
    try:
        # The library reads the file itself; the blocks are for its hash.
        for _ in blocks:
            pass
        with pyarrow.parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if field not in names:
                listed = harmless(", ".join(names), _LONGEST_REASON)
                raise BrokenOff(f"no column {field!r}; it has {listed} (see --field)")
            for batch in file.iter_batches(batch_size=_ROWS, columns=[field]):
                for text in batch.column(0).to_pylist():
                    count += 1
                    if isinstance(text, str):
                        yield text
                    else:
                        yield Rejected(count, f"column {field!r}: not a text")
    except BrokenOff as error:
        problem = str(error)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        said = harmless(str(error).splitlines()[0] if str(error) else "", _LONGEST_REASON)
        problem = f"damaged parquet ({said}), after row {count}"
    yield End(count, problem)
