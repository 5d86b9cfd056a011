"""Protocols of outside packages: what such a class has to have, and taking it up.

The entry point's name is the protocol's name; its object is a class with all that `AuditProtocol`
names. Beside that it may have `rubrics`, the name of a package of its own whose files (tables,
prompts, `statistics.toml`, the card `README.md`) are rubric files under the family's folder: the
file `prompts.toml` of the package is `coin/prompts.toml` in `materials` of a protocol `coin` or
`coin.toss`. So they are stored by hash, compared at a resume and explained as the built-in ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rubrics
from auditor.errors import UsageError
from auditor.plugins import Plugin, described
from auditor.protocols.base import AnyProtocol, ProtocolParams, Task

_METHODS = (
    "prompts",
    "count",
    "repetitions",
    "factors",
    "check_value",
    "simulation",
    "check_plant",
    "statistics",
    "across",
    "headlines",
)


def taken_up(plugin: Plugin) -> AnyProtocol:
    """The protocol of a plug-in. Raises UsageError that names it, and what is wrong with it."""
    made = plugin.load()
    if not isinstance(made, type):
        raise plugin.refused(f"{plugin.place} is not a class")
    try:
        wrong = _wrong(made, plugin.name)
        if wrong is not None:
            raise plugin.refused(wrong)
        _mount(made, plugin.name)
        missing = [path for path in made.materials if path not in rubrics.names()]  # type: ignore[attr-defined]
        if missing:
            raise plugin.refused(f"materials: there is no rubric file {missing[0]!r}")
        protocol: AnyProtocol = made()
    except UsageError as error:
        raise error if error.where == plugin.place else plugin.refused(error.message) from error
    except Exception as error:
        raise plugin.refused(described(error)) from error
    return protocol


def family(name: str) -> str:
    """The folder of a protocol's rubric files: its name up to the first dot."""
    return name.partition(".")[0]


def _mount(made: Any, name: str) -> None:
    package = getattr(made, "rubrics", None)
    if package is None:
        return
    if not isinstance(package, str):
        raise UsageError("rubrics is not the name of a package")
    rubrics.mount(family(name), package)


def _wrong(made: Any, name: str) -> str | None:
    """What of a class is not as a protocol has it; None where all is."""
    lacking = [method for method in _METHODS if not callable(getattr(made, method, None))]
    if lacking:
        return f"it has no method {', '.join(lacking)}"
    for member in ("name", "summary", "paper"):
        value = getattr(made, member, None)
        if not isinstance(value, str) or not value or not value.isprintable():
            return f"{member} is not a text of one line"
    if made.name != name:
        return f"name is {made.name!r}, its entry point {name!r}"
    return _wrong_members(made) or _wrong_tasks(getattr(made, "tasks", None))


def _wrong_members(made: Any) -> str | None:
    params = getattr(made, "params_type", None)
    if not (isinstance(params, type) and issubclass(params, ProtocolParams)):
        return "params_type is not a class of auditor.protocols.base.ProtocolParams"
    params()
    cap = getattr(made, "default_max_tokens", None)
    if not isinstance(cap, int) or cap < 1:
        return "default_max_tokens is not a whole number from 1"
    materials = getattr(made, "materials", None)
    if not isinstance(materials, tuple) or not all(isinstance(path, str) for path in materials):
        return "materials is not a tuple of rubric files"
    return None


def _wrong_tasks(tasks: object) -> str | None:
    if not isinstance(tasks, tuple) or not tasks or not all(isinstance(t, Task) for t in tasks):
        return "tasks is not a tuple of auditor.protocols.base.Task with one at least"
    known: Sequence[str] = [task.name for task in tasks]
    for place, task in enumerate(tasks):
        if task.name in known[:place]:
            return f"tasks: two are called {task.name!r}"
        if task.reads is not None and task.reads not in known[:place]:
            return f"tasks: {task.name!r} reads {task.reads!r}, which is no task before it"
    return None
