"""`list judges --check`: whether a judge keeps what judges promise."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.cli.output import print_json, say, stdout
from auditor.errors import UsageError

if TYPE_CHECKING:
    from agents.judges import AnyJudge
    from agents.judges.conformance import Check
    from auditor.protocols.base import Task


_VERDICTS = {True: ("pass", "green"), False: ("FAIL", "bold red"), None: ("not tried", "yellow")}


@dataclass(frozen=True, kw_only=True)
class _Subject:
    """A judge to be checked."""

    protocol: str
    task: Task
    name: str | None
    """What it has to call itself; None: anything."""
    shown: str
    open: Callable[[], AnyJudge]


def check(
    name: str | None, *, command: str | None, task: str | None, protocol: str | None, json: bool
) -> int:
    """Check the judges of a name, or a command; exit code 1 where one breaks a promise."""
    from agents.judges.conformance import conformance
    from auditor.scheduler.stoppable import run_stoppable

    if command is not None:
        subjects = [_command(command, task, protocol)]
    else:
        subjects = list(_named(name or "", task, protocol))
        if not subjects:
            within = f" of {protocol}" if protocol else ""
            raise UsageError(
                f"no judge is called {name!r}{f' for task {task!r}' if task else ''}{within}",
                hint="`auditor list judges` names them",
            )
    found = [
        (
            subject,
            run_stoppable(
                conformance(
                    subject.open,
                    subject.protocol,
                    subject.task,
                    subject.name,
                    tell=partial(_tell, subject.shown),
                )
            ),
        )
        for subject in subjects
    ]
    if json:
        print_json(
            [
                {
                    "judge": subject.shown,
                    "checks": [
                        {"check": each.name, "passed": each.passed, "said": each.said or None}
                        for each in checks
                    ],
                }
                for subject, checks in found
            ]
        )
    else:
        for subject, checks in found:
            _print(subject.shown, checks)
    return 1 if any(each.passed is False for _, checks in found for each in checks) else 0


def _tell(shown: str, words: str) -> None:
    say(f"{shown}: {words}")


def _print(shown: str, checks: list[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    from auditor.harmless import harmless

    table = Table(title=harmless(shown), title_justify="left", box=None, show_header=False)
    for each in checks:
        verdict = _VERDICTS[each.passed]
        table.add_row(Text(*verdict), Text(harmless(each.name)), Text(harmless(each.said, 400)))
    stdout().print(table)


def _named(name: str, task: str | None, protocol: str | None) -> Iterator[_Subject]:
    """The judges that a name may mean: NAME, TASK/NAME or PROTOCOL.TASK.NAME."""
    from agents import judges
    from auditor import protocols
    from auditor.plugins import Group, plugins

    own = [(judge.protocol, judge.task, judge.name) for judge in judges.table()]
    parts = [tuple(entry.rsplit(".", 2)) for entry in plugins(Group.JUDGES)]
    outside = [part for part in parts if len(part) == 3 and part not in own]
    for in_protocol, of_task, called in [*own, *outside]:
        full = f"{in_protocol}.{of_task}.{called}"
        if name not in (called, f"{of_task}/{called}", full):
            continue
        if task not in (None, of_task) or protocol not in (None, in_protocol):
            continue
        tasks = {each.name: each for each in protocols.get(in_protocol).tasks}
        if of_task in tasks:
            yield _Subject(
                protocol=in_protocol,
                task=tasks[of_task],
                name=called,
                shown=full,
                open=_opener(in_protocol, of_task, called),
            )


def _opener(protocol: str, task: str, name: str) -> Callable[[], AnyJudge]:
    def open_judge() -> AnyJudge:
        import rubrics
        from agents.judges import offline, refuse_clash
        from agents.judges.conformance import TIMEOUT_SECONDS

        refuse_clash(protocol, task, name)
        found = offline(protocol, task, name)
        materials = {path: rubrics.read(path) for path in found.materials}
        waits = None if found.plugin is None else TIMEOUT_SECONDS
        return found.open(materials, timeout_seconds=waits)

    return open_judge


def _command(command: str, task: str | None, protocol: str | None) -> _Subject:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command: {error}", hint='--command "./my-judge --option"') from None
    if not words:
        raise UsageError("--command: no program", hint='--command "./my-judge --option"')
    in_protocol, of_task = _task(task, protocol)

    def open_judge() -> AnyJudge:
        from agents.judges.command import open_command
        from agents.judges.conformance import TIMEOUT_SECONDS
        from agents.judges.outside import bench_of

        return open_command(
            words,
            folder=Path(),
            bench=bench_of(in_protocol, of_task),
            name=Path(words[0]).name,
            timeout_seconds=TIMEOUT_SECONDS,
        )

    return _Subject(protocol=in_protocol, task=of_task, name=None, shown=command, open=open_judge)


def _task(task: str | None, protocol: str | None) -> tuple[str, Task]:
    """The protocol and task that a command is checked for."""
    from auditor import protocols

    names = protocols.names() if protocol is None else (protocol,)
    known = [(name, each) for name in names for each in protocols.get(name).tasks]
    if task is None:
        allowed = ", ".join(dict.fromkeys(each.name for _, each in known))
        raise UsageError(f"--command needs --task; allowed: {allowed}")
    fitting = [(name, each) for name, each in known if each.name == task]
    if not fitting:
        allowed = ", ".join(dict.fromkeys(each.name for _, each in known))
        raise UsageError(f"--task {task}: no protocol has this task; allowed: {allowed}")
    if len(fitting) > 1:
        several = ", ".join(name for name, _ in fitting)
        raise UsageError(f"--task {task}: say --protocol; allowed: {several}")
    return fitting[0]
