"""The user's own files that stand in for rubric files, as a spec's protocols name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path as FilePath

from auditor.protocols.base import AnyProtocol, Materials, ProtocolParams, StandIn
from auditor.spec.problems import Problems, shown
from auditor.user_files import read_whole

ReadFile = Callable[[StandIn], str]
"""The text of a user's file. Raises ValueError that says what keeps it from being read."""


def file_reader(source: str, *, pipes: bool = True) -> ReadFile:
    """Reads files by their paths from the folder of the spec, each once: a pipe gives no more.

    Without `pipes` these are refused as devices are, so that nothing waits for one.
    """

    @cache
    def read(stand_in: StandIn) -> str:
        if stand_in.file is None:
            return stand_in.text
        try:
            data = read_whole(place(source, stand_in.file), pipes=pipes)
        except FileNotFoundError:
            raise ValueError("no such file") from None
        except (OSError, ValueError) as error:
            raise ValueError(getattr(error, "strerror", None) or str(error)) from None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ValueError(f"byte {data[error.start]:#04x} in line {line} is not UTF-8") from None

    return read


def place(source: str, file: str) -> FilePath:
    """Where a file of a spec lies: paths start from the spec's folder."""
    return FilePath(source).parent / file


def with_stand_ins(
    protocol: AnyProtocol,
    params: ProtocolParams,
    materials: Materials,
    read: ReadFile,
    problems: Problems,
) -> Materials | None:
    """The materials with the user's files in place of others; None after reporting a problem."""
    texts = dict(materials)
    for path, stand_in in params.stand_ins.items():
        try:
            texts[path] = read(stand_in)
        except ValueError as error:
            where = ("protocols", protocol.name, stand_in.field)
            problems.add(where, f"{shown(stand_in.file)}: {error}", "a file that can be read")
            return None
    return texts


def check_agreement(
    chosen: Iterable[tuple[AnyProtocol, ProtocolParams]], problems: Problems
) -> None:
    """Report protocols that read one rubric file and do not have the same file in its place."""
    first: dict[str, tuple[str, StandIn | None]] = {}
    for protocol, params in chosen:
        for path in protocol.materials:
            own = params.stand_ins.get(path)
            name, other = first.setdefault(path, (protocol.name, own))
            if own == other:
                continue
            field = (own or other or StandIn(field="", file=None)).field
            problems.add(
                ("protocols", protocol.name, field),
                f"{_said(own)} in place of rubrics/{path}, and {_said(other)} in {shown(name)}",
                "the same file in both: a run has one of each",
            )


def stand_ins_of(params: Iterable[ProtocolParams]) -> Mapping[str, StandIn]:
    """All that stands in for rubric files in a spec, by their paths."""
    found: dict[str, StandIn] = {}
    for each in params:
        found.update(each.stand_ins)
    return found


def _said(stand_in: StandIn | None) -> str:
    if stand_in is None:
        return "none"
    return "nothing" if stand_in.file is None else shown(stand_in.file)
