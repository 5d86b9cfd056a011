"""The `judges` of a spec: offline ones by name, models at endpoints that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from auditor.canonical import canonical_json
from auditor.providers.sim import COMMON_KEYS, check_common_plant
from auditor.spec.endpoints import Endpoints
from auditor.spec.model import SIMULATED, Judge
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.protocols import ChosenProtocol
from auditor.spec.tables import JudgeTable, ParamsTable
from auditor.spec.targets import check_body
from auditor.spec.validation import validated
from auditor.types import JSON

_MODEL_ONLY = ("endpoint", "extra_body", "output")


def checked_judges(
    raw: Iterable[tuple[int, Mapping[str, Any]]],
    endpoints: Endpoints,
    protocols: Mapping[str, ChosenProtocol],
    problems: Problems,
) -> tuple[Judge, ...]:
    """The sound judges, in the spec's order. `raw` holds their tables with their places.

    Whether there is an offline judge of that name, and what params it takes, is not known here.
    """
    tasks = list(
        dict.fromkeys(task.name for chosen in protocols.values() for task in chosen.protocol.tasks)
    )
    judges: list[Judge] = []
    places: list[int] = []
    for place, table in raw:
        path: Path = ("judges", place)
        judge = _judge(table, path, endpoints, problems)
        if judge is None:
            continue
        if tasks and judge.task not in tasks:
            problems.add_value((*path, "task"), judge.task, ", ".join(tasks))
        for other_place, other in zip(places, judges, strict=True):
            _check_unlike(judge, path, other, problems.line(("judges", other_place)), problems)
        judges.append(judge)
        places.append(place)
    return tuple(judges)


def _judge(
    raw: Mapping[str, Any], path: Path, endpoints: Endpoints, problems: Problems
) -> Judge | None:
    table = validated(JudgeTable, raw, path, problems)
    if table is None:
        return None
    if (table.judge is None) == (table.model is None):
        said = "neither judge nor model" if table.judge is None else "both judge and model"
        problems.add(path, said, 'judge = "NAME" (offline) or model = "provider:model"')
        return None
    if table.judge is not None:
        return _offline(table, table.judge, raw, path, problems)
    split = endpoints.split_model(table.model or "", (*path, "model"))
    params = validated(ParamsTable, raw.get("params", {}), (*path, "params"), problems)
    if split is None or params is None:
        return None
    provider, model = split
    check_body(table.extra_body, provider == SIMULATED, path, problems)
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
    misplaced = [key for key in _MODEL_ONLY if key in raw]
    for key in misplaced:
        problems.add((*path, key), "at an offline judge", "only beside model")
    if misplaced:
        return None
    return Judge(
        task=table.task,
        name=judge if table.name is None else table.name,
        offline=judge,
        params=table.params,
    )


def _check_unlike(judge: Judge, path: Path, other: Judge, line: int, problems: Problems) -> None:
    if judge.task != other.task:
        return
    if judge.name == other.name:
        problems.add(
            (*path, "name"),
            f"value {shown(judge.name)} also names the judge of {judge.task} in line {line}",
            "a name of its own",
        )
    if _configuration(judge) == _configuration(other):
        problems.add(
            path,
            f"the same judge of {judge.task} as in line {line}",
            "judges that differ in judge, model, params, extra_body or output",
        )


def _configuration(judge: Judge) -> str:
    return canonical_json(
        [
            judge.offline,
            judge.provider,
            judge.model,
            dict(judge.params),
            dict(judge.extra_body),
            judge.output,
        ]
    )
