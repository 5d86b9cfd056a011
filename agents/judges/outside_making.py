"""Making an outside package's judge, in this process and in its own; it loads little else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.judges.base import AnyJudge
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.plugins import Group, Plugin, described, plugins
from auditor.types import JSON


def split_name(plugin: Plugin) -> tuple[str, str, str]:
    """Protocol, task and name of a plug-in's judge. Raises UsageError where it names none."""
    parts = plugin.name.rsplit(".", 2)
    if len(parts) != 3 or not all(parts):
        raise plugin.refused('its entry point is not called "PROTOCOL.TASK.NAME"')
    protocol, task, name = parts
    return protocol, task, name


def make(plugin: Plugin, arguments: Sequence[JSON]) -> AnyJudge:
    """The judge itself, in this process.

    Raises UsageError as it is, where the class raises one for wrong params, and one that names
    the plug-in where the judge is none.
    """
    made = plugin.load()
    try:
        judge = made(*arguments)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise plugin.refused(described(error)) from error
    wrong = _wrong(judge, plugin)
    if wrong is not None:
        raise plugin.refused(wrong)
    found: AnyJudge = judge
    return found


def find(name: str) -> Plugin:
    """The judge plug-in with an entry point of that name."""
    return plugins(Group.JUDGES)[name]


def _wrong(judge: Any, plugin: Plugin) -> str | None:
    _, task, name = split_name(plugin)
    for member, wanted in (("task", task), ("name", name)):
        value = getattr(judge, member, None)
        if value != wanted:
            return f"its judge's {member} is {value!r}; allowed: {wanted!r}, as its entry point"
    if callable(getattr(judge, "judge_batch", None)):
        lacking = [part for part in ("start", "close") if not callable(getattr(judge, part, None))]
        if lacking:
            return f"its judge has judge_batch, but no method {', '.join(lacking)}"
    elif not callable(getattr(judge, "judge", None)):
        return "its judge has neither a method judge nor judge_batch"
    try:
        configuration = judge.configuration
        if not isinstance(configuration, Mapping):
            return "its judge's configuration is not a mapping"
        canonical_json(dict(configuration))
    except Exception as error:
        return f"its judge's configuration is not JSON: {described(error)}"
    return None
