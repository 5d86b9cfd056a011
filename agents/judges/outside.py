"""Judges of outside packages: what such a class has to have, and how it is run.

The entry point's name is "PROTOCOL.TASK.NAME", the judge's place ("stories.name.mine"); its
object is a class, or another callable, that makes the judge. It has

- `summary`: one line for `auditor list judges`;
- optionally `materials`: paths of rubric files whose texts it is called with, in this order;
- optionally `rubrics`: the name of a package of its own whose files are rubric files under the
  distribution's name ("my-judges/words.toml" in `materials`), so that they are stored by hash;
- optionally `takes_params`: True where it is called with the spec's `params` after those texts.

What it makes is a `TextJudge` or a `BatchJudge`: `task`, `name`, `configuration` and `judge`, or
`start`, `judge_batch` and `close`. It works in a process of its own: it may raise, hang or die
without harm to anything but its own annotations, and its library may be as heavy as it likes.
In this process it is made once, for its configuration, and asked nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import rubrics
from agents.judges.command_judge import Bench, LineJudge
from agents.judges.command_process import Launch
from agents.judges.outside_making import make, split_name
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.plugins import Plugin
from auditor.protocols.base import Task
from auditor.types import JSON

_PROGRAM = """
import sys
sys.path[:] = sys.argv[1].split(sys.argv[2])
from agents.judges.outside_process import main
main()
"""


def task_of(plugin: Plugin) -> Task:
    """The task that a plug-in's judge is for. Raises UsageError where there is none."""
    protocol, name, _ = split_name(plugin)
    try:
        tasks = {task.name: task for task in protocols.get(protocol).tasks}
    except UsageError as error:
        raise plugin.refused(error.message) from error
    if name not in tasks:
        raise plugin.refused(
            f"the protocol {protocol} has no task {name!r}; allowed: {', '.join(tasks)}"
        )
    return tasks[name]


def taken_up(plugin: Plugin) -> tuple[Any, str, tuple[str, ...], bool]:
    """The class of a plug-in, its summary, materials, and whether it takes params.

    Raises UsageError that names the plug-in, and what is wrong with it.
    """
    task_of(plugin)
    made = plugin.load()
    if not callable(made):
        raise plugin.refused(f"{plugin.place} is neither a class nor a function")
    summary = getattr(made, "summary", None)
    if not isinstance(summary, str) or not summary or not summary.isprintable():
        raise plugin.refused("summary is not a text of one line")
    takes_params = getattr(made, "takes_params", False)
    if not isinstance(takes_params, bool):
        raise plugin.refused("takes_params is neither True nor False")
    package = getattr(made, "rubrics", None)
    if package is not None:
        try:
            rubrics.mount(plugin.distribution, str(package))
        except UsageError as error:
            raise plugin.refused(error.message) from error
    materials = getattr(made, "materials", ())
    if not isinstance(materials, tuple) or not all(isinstance(path, str) for path in materials):
        raise plugin.refused("materials is not a tuple of rubric files")
    missing = [path for path in materials if path not in rubrics.names()]
    if missing:
        raise plugin.refused(f"materials: there is no rubric file {missing[0]!r}")
    return made, summary, materials, takes_params


def open_outside(
    plugin: Plugin, arguments: Sequence[JSON], *, timeout_seconds: float | None = None
) -> LineJudge:
    """The judge of a plug-in, to be run in a process of its own.

    `arguments` are what its class is called with. Raises UsageError as it is, where the class
    raises one for wrong params, and one that names the plug-in where the judge is none.
    """
    task = task_of(plugin)
    protocol, _, name = split_name(plugin)
    judge = make(plugin, arguments)
    configuration = json.loads(canonical_json(dict(judge.configuration)))
    path = os.pathsep.join(entry or os.curdir for entry in sys.path)
    opening = {"plugin": plugin.name, "arguments": list(arguments)}
    options = {} if timeout_seconds is None else {"timeout_seconds": timeout_seconds}
    return LineJudge(
        name=name,
        bench=bench_of(protocol, task),
        launch=Launch(
            argv=[sys.executable, "-P", "-c", _PROGRAM, path, os.pathsep],
            opening=json.dumps(opening).encode("ascii") + b"\n",
        ),
        configuration=configuration,
        hello=configuration,
        **options,
    )


def bench_of(protocol: str, task: Task) -> Bench:
    """What a judge of a protocol's task is appointed to."""
    check = protocols.get(protocol).check_value
    return Bench(
        protocol=protocol,
        task=task.name,
        reads=task.reads,
        check=lambda value: check(task.name, value),
    )
