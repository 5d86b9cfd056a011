"""The parts of a task's values, by the rubric files that a store keeps."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import rubrics
from auditor.errors import UsageError
from auditor.protocols.additions import is_part_teller
from auditor.protocols.base import AnyProtocol, Materials, Part, ProtocolParams, Task
from auditor.store import sources


def stored_materials(connection: sqlite3.Connection, protocol: AnyProtocol) -> dict[str, str]:
    """Rubric files that a protocol reads: those of the run, else the installed ones."""
    stored = sources.materials(connection)
    return {path: stored.get(path) or rubrics.read(path) for path in protocol.materials}


def task_parts(
    protocol: AnyProtocol, task: Task, materials: Materials, params: ProtocolParams | None = None
) -> tuple[Part, ...]:
    """What the protocol names as parts of the task's values; none where it names none."""
    return protocol.value_parts(task.name, params, materials) if is_part_teller(protocol) else ()


def asked_parts(parts: Sequence[Part], names: Sequence[str]) -> tuple[Part, ...]:
    """The parts of these names, in the order of `parts`; without names those that are asked for.

    Raises UsageError with the allowed names for one that is none.
    """
    known = [part.name for part in parts]
    for name in names:
        if name not in known:
            allowed = ", ".join(known) or "none: the values of this task have no parts"
            raise UsageError(f"part: value {name!r}; allowed: {allowed}")
    return tuple(part for part in parts if (part.name in names if names else part.is_asked))
