"""What on disk is no longer like what a store's run goes by, in sentences for who resumes it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import rubrics
from auditor.counted import counted
from auditor.errors import UsageError
from auditor.protocols.base import StandIn
from auditor.scheduler.judge_plan import judge_materials
from auditor.scheduler.kept_plan import KeptSpec
from auditor.spec.added import without_added
from auditor.spec.changes import changed_fields
from auditor.spec.loading import parse_spec, toml_text
from auditor.spec.model import Spec
from auditor.spec.stand_ins import ReadFile, file_reader, place, stand_ins_of
from auditor.user_files import read_whole

_DIFFERS = "differs from what this run goes by, which is kept in the store"


def differences(kept: KeptSpec, store: Path) -> Iterator[str]:
    """One sentence for each file that differs from what the store keeps, or cannot be read.

    A file that is gone is passed over: the run needs none. So is a pipe, which gave its text once
    and is not waited for.
    """
    spec = kept.spec
    if kept.is_from_file and (said := _of_spec(spec, store)) is not None:
        yield said
    known = set(rubrics.names())
    own = stand_ins_of(spec.protocols.values())
    read = file_reader(spec.source, pipes=False)
    for path, text in kept.materials.items():
        if path in own:
            if (said := _of_file(own[path], text, spec.source, read)) is not None:
                yield said
        elif path not in known or rubrics.read(path) != text:
            yield f"rubrics/{path} {_DIFFERS}"


def _of_spec(spec: Spec, store: Path) -> str | None:
    source = spec.source
    if not _is_there(source):
        return None
    try:
        data = read_whole(source, pipes=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return _unreadable("the spec", f"{source}: {reason}")
    try:
        on_disk = toml_text(data, source)
    except UsageError as error:
        return _unreadable("the spec", error.message)
    kept = without_added(spec.text)
    if on_disk.rstrip("\n") == kept.rstrip("\n"):
        return None
    fields = changed_fields(kept, on_disk)
    where = "" if fields is None else f", in {fields}"
    return (
        f"{source} differs from the spec of this run, which is kept in the store{where};"
        f" {_what_a_run_does(spec, on_disk, store)}"
    )


def _what_a_run_does(spec: Spec, on_disk: str, store: Path) -> str:
    """What becomes of the text on disk where `auditor run` is given it."""
    command = f"`auditor run {spec.source}`"
    try:
        changed = parse_spec(on_disk, spec.source, read_file=_reader(spec.source))
        # A judge that there is not; commands are not tried, nor is anything asked.
        for _ in judge_materials(changed):
            pass
    except UsageError as error:
        first, *others = error.message.splitlines()
        more = f"; and {counted(len(others), 'problem', more=True)}" if others else ""
        return f"{command} refuses it: {first}{more}"
    except _Pipe:
        changed = spec
    if changed.name != spec.name:
        return f"it is the spec of another run, {changed.name!r}"
    beside = Path(spec.source).with_suffix(".db")
    if os.path.realpath(beside) != os.path.realpath(store):
        command = f"`auditor run {spec.source} --store {store}`"
    asked = {target.name: target.request for target in spec.targets}
    is_asked_otherwise = any(
        asked.get(target.name, target.request) != target.request for target in changed.targets
    )
    option = ", with --supersede where a target is asked otherwise" if is_asked_otherwise else ""
    return f"{command} takes the changes{option}"


def _of_file(stand_in: StandIn, kept: str, source: str, read: ReadFile) -> str | None:
    if stand_in.file is not None and not _is_there(place(source, stand_in.file)):
        return None
    try:
        is_equal = read(stand_in) == kept
    except ValueError as error:
        return _unreadable(f"the text of {stand_in.file}", f"{stand_in.file}: {error}")
    return None if is_equal else f"{stand_in.file} {_DIFFERS}"


def _unreadable(what: str, said: str) -> str:
    return f"this run goes by {what} that its store keeps; the one on disk cannot be read: {said}"


class _Pipe(Exception):
    """A file of a changed spec is one: what it would give is not known."""


def _reader(source: str) -> ReadFile:
    """Reads the user's files for a look at a changed spec. Raises _Pipe instead of waiting."""
    read = file_reader(source, pipes=False)

    def read_at_once(stand_in: StandIn) -> str:
        if stand_in.file is not None and _is_pipe(place(source, stand_in.file)):
            raise _Pipe
        return read(stand_in)

    return read_at_once


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):  # whoever reads it says why not
        return False


def _is_there(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to what may be held against a kept text: no pipe, no device."""
    try:
        kind = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file's name
        return False
    except OSError:
        return True
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind)
