"""The `judges` of a spec: offline ones by name, commands, models at endpoints that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditor.canonical import canonical_json
from auditor.providers.sim import COMMON_KEYS, check_common_plant
from auditor.spec.added import ADDED
from auditor.spec.commands import check_command, default_name
from auditor.spec.endpoints import Endpoints
from auditor.spec.local_models import LOCAL, check_local_model
from auditor.spec.model import SIMULATED, Judge
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.protocols import ChosenProtocol
from auditor.spec.tables import JudgeTable, ParamsTable
from auditor.spec.targets import check_body
from auditor.spec.validation import validated
from auditor.types import JSON

_MODEL_ONLY = ("endpoint", "extra_body", "output", "options")
_KINDS = 'judge = "NAME" (offline), model = "provider:model" or command = ["./program"]'


def checked_judges(
    raw: Iterable[tuple[Path, Mapping[str, Any]]],
    endpoints: Endpoints,
    protocols: Mapping[str, ChosenProtocol],
    problems: Problems,
) -> tuple[Judge, ...]:
    """The sound judges, in the spec's order. `raw` holds their tables with their places.

    Whether there is an offline judge of that name, and what params it takes, is not known here;
    nor whether there is a program of a command.
    """
    tasks = list(
        dict.fromkeys(task.name for chosen in protocols.values() for task in chosen.protocol.tasks)
    )
    judges: list[Judge] = []
    paths: list[Path] = []
    for path, table in raw:
        judge = _judge(table, path, endpoints, problems)
        if judge is None:
            continue
        judge = replace(
            judge,
            protocol=table.get("protocol"),
            setting=table.get("setting"),
            is_added=path[0] == ADDED,
        )
        if tasks and judge.task not in tasks and not judge.is_added:
            problems.add_value((*path, "task"), judge.task, ", ".join(tasks))
        if judge.protocol is not None and not judge.is_added:
            _check_protocol(judge, path, protocols, problems)
        if judge.task in tasks:
            _check_setting(judge, path, protocols, problems)
        for other_path, other in zip(paths, judges, strict=True):
            _check_unlike(judge, path, other, problems.line(other_path), problems)
        judges.append(judge)
        paths.append(path)
    return tuple(judges)


def _check_protocol(
    judge: Judge, path: Path, protocols: Mapping[str, ChosenProtocol], problems: Problems
) -> None:
    having = [
        name
        for name, chosen in protocols.items()
        if any(task.name == judge.task for task in chosen.protocol.tasks)
    ]
    if having and judge.protocol not in having:
        problems.add_value((*path, "protocol"), judge.protocol, ", ".join(having))


def _check_setting(
    judge: Judge, path: Path, protocols: Mapping[str, ChosenProtocol], problems: Problems
) -> None:
    known = [
        setting
        for chosen in protocols.values()
        for task in chosen.protocol.tasks
        if task.name == judge.task
        for setting in task.settings
    ]
    if known and judge.offline is not None and "setting" in judge.params:
        allowed = " or ".join(f'setting = "{setting}"' for setting in dict.fromkeys(known))
        problems.add((*path, "params", "setting"), "no parameter", f"{allowed} beside judge")
    if judge.setting is not None and judge.setting not in known:
        allowed = ", ".join(dict.fromkeys(known)) or f"none: {judge.task} has no settings"
        problems.add_value((*path, "setting"), judge.setting, allowed)


def _judge(
    raw: Mapping[str, Any], path: Path, endpoints: Endpoints, problems: Problems
) -> Judge | None:
    table = validated(JudgeTable, raw, path, problems)
    if table is None:
        return None
    named = [kind for kind in ("judge", "model", "command") if getattr(table, kind) is not None]
    if len(named) != 1:
        problems.add(path, _counted(named), _KINDS)
        return None
    if table.judge is not None:
        return _offline(table, table.judge, raw, path, problems)
    if table.command is not None:
        return _command(table, table.command, raw, path, problems)
    return _model(table, table.model or "", raw, path, endpoints, problems)


def _model(
    table: JudgeTable,
    named: str,
    raw: Mapping[str, Any],
    path: Path,
    endpoints: Endpoints,
    problems: Problems,
) -> Judge | None:
    if table.timeout_seconds is not None:
        problems.add((*path, "timeout_seconds"), "at a model", "timeout_seconds of its endpoint")
        return None
    split = endpoints.split_model(named, (*path, "model"))
    params = validated(ParamsTable, raw.get("params", {}), (*path, "params"), problems)
    if split is None or params is None:
        return None
    provider, model = split
    check_body(table.extra_body, provider == SIMULATED, path, problems)
    if provider == LOCAL:
        check_local_model(raw.get("params", {}), table.extra_body, path, problems)
    if provider == SIMULATED:
        _check_plant(table.extra_body, path, problems)
    endpoint = endpoints.of_model(table.endpoint, provider, path)
    if endpoint is None:
        return None
    return Judge(
        task=table.task,
        name=model if table.name is None else table.name,
        provider=provider,
        model=model,
        endpoint=endpoint,
        params=dict(raw.get("params", {})),
        extra_body=table.extra_body,
        output=table.output,
        options=table.options,
    )


def _check_plant(plant: Mapping[str, JSON], path: Path, problems: Problems) -> None:
    """A simulated judge takes the keys that every simulated model has, and no others."""
    rest, wrong = check_common_plant(plant)
    if wrong is not None:
        said, _, allowed = wrong.partition("; allowed: ")
        key, _, said = said.partition(": ")
        problems.add((*path, "extra_body", key), said, allowed)
    for key in rest:
        problems.add((*path, "extra_body", key), "no part of a plant", ", ".join(COMMON_KEYS))


def _offline(
    table: JudgeTable, judge: str, raw: Mapping[str, Any], path: Path, problems: Problems
) -> Judge | None:
    if _is_misplaced(_MODEL_ONLY, "an offline judge", raw, path, problems):
        return None
    return Judge(
        task=table.task,
        name=judge if table.name is None else table.name,
        offline=judge,
        timeout_seconds=table.timeout_seconds,
        params=table.params,
    )


def _command(
    table: JudgeTable,
    words: tuple[str, ...],
    raw: Mapping[str, Any],
    path: Path,
    problems: Problems,
) -> Judge | None:
    if _is_misplaced((*_MODEL_ONLY, "params"), "a command", raw, path, problems):
        return None
    check_command(words, path, problems)
    return Judge(
        task=table.task,
        name=default_name(words) if table.name is None else table.name,
        command=words,
        timeout_seconds=table.timeout_seconds,
    )


def _is_misplaced(
    keys: Iterable[str], kind: str, raw: Mapping[str, Any], path: Path, problems: Problems
) -> bool:
    """Whether a judge has keys that are another kind's, after reporting them."""
    misplaced = [key for key in keys if key in raw]
    for key in misplaced:
        beside = "model" if key in _MODEL_ONLY else "judge or model"
        problems.add((*path, key), f"at {kind}", f"only beside {beside}")
    return bool(misplaced)


def _counted(named: Sequence[str]) -> str:
    if not named:
        return "neither judge nor model nor command"
    return f"{'both' if len(named) == 2 else 'all of'} {' and '.join(named)}"


def _check_unlike(judge: Judge, path: Path, other: Judge, line: int, problems: Problems) -> None:
    if judge.task != other.task:
        return
    if judge.name == other.name and not _differ_in_setting(judge, other):
        problems.add(
            (*path, "name"),
            f"value {shown(judge.name)} also names the judge of {judge.task} in line {line}",
            "a name of its own",
        )
    if _configuration(judge) == _configuration(other):
        problems.add(
            path,
            f"the same judge of {judge.task} as in line {line}",
            "judges that differ in judge, command, model, params, extra_body, output, options or"
            " setting",
        )


def _differ_in_setting(judge: Judge, other: Judge) -> bool:
    """Whether one judge is named twice for two settings."""
    settings = {judge.setting, other.setting}
    return len(settings) == 2 and None not in settings


def _configuration(judge: Judge) -> str:
    return canonical_json(
        [
            judge.protocol,
            judge.offline,
            judge.command,
            judge.provider,
            judge.model,
            dict(judge.params),
            dict(judge.extra_body),
            judge.output,
            dict(judge.options),
            judge.setting,
        ]
    )
