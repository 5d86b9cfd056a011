"""Which judges a spec's protocols get: offline ones, commands, models with what they go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agents.judges import AnyJudge, OfflineJudge, offline, refuse_clash
from agents.judges.base import Truth, is_truth, needs_prompt, row_labels
from agents.judges.model import Asked, ModelJudge, ModelTask, model_task
from auditor import protocols
from auditor.canonical import digest16
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.spec.model import Judge, Spec
from auditor.store.plan_record import PlannedJudge
from auditor.types import JSON

_KEYS_OF_A_JUDGE = ("params", "command", "timeout_seconds", "setting", "options", "extra_body")
"""Keys of a judge's table that an error may name."""


@dataclass(frozen=True, kw_only=True)
class OfflineWork:
    """An offline judge, or a command, with the protocol and task that it serves."""

    judge: AnyJudge
    reads: str | None
    record: PlannedJudge


@dataclass(frozen=True, kw_only=True)
class ModelWork:
    """A model that judges, with the protocol and task that it serves."""

    judge: ModelJudge
    endpoint: str
    reads: str | None
    record: PlannedJudge
    truth: Truth | None
    """The offline judge that a simulated one takes for right; None for real models."""


JudgeWork = OfflineWork | ModelWork

_TEXT_ALONE = "response_only"
"""The setting of a judge that is shown the response's text and nothing else of the trial."""


def planned_judges(spec: Spec, materials: Mapping[str, str]) -> Iterator[JudgeWork]:
    """The spec's judges, and the default judge of each task that it leaves open.

    A command is tried, so that one that does not start is refused before anything is spent.
    Raises UsageError with the judge's line.
    """
    for protocol, task, judge in chosen_judges(spec):
        yield judge_work(spec, protocol, task, judge, materials)


def judge_work(
    spec: Spec, protocol: str, task: Task, judge: Judge, materials: Mapping[str, str]
) -> JudgeWork:
    """One judge of the spec, ready to work. Raises UsageError with its line."""
    if judge.command is not None:
        return _command_work(spec, protocol, task, judge, judge.command)
    if judge.offline is None:
        return _model_work(spec, protocol, task, judge, materials)
    found = _found(spec, protocol, task, judge)
    opened = _opened(spec, found, judge, materials)
    record = planned_judge(found, opened, judge.name, task, setting=judge.setting)
    return OfflineWork(judge=opened, reads=task.reads, record=record)


def _opened(
    spec: Spec, found: OfflineJudge, judge: Judge, materials: Mapping[str, str]
) -> AnyJudge:
    try:
        refuse_clash(found.protocol, found.task, found.name)
        if found.plugin is not None:
            _check_sight(judge)
        is_told = judge.setting is not None and found.plugin is None
        return found.open(
            materials,
            {**judge.params, "setting": judge.setting} if is_told else judge.params,
            timeout_seconds=judge.timeout_seconds,
        )
    except UsageError as error:
        raise _at_its_line(spec, judge, error) from None


def _command_work(
    spec: Spec, protocol: str, task: Task, judge: Judge, command: tuple[str, ...]
) -> OfflineWork:
    from agents.judges.command import open_command
    from agents.judges.outside import bench_of

    try:
        _check_sight(judge)
        opened = open_command(
            command,
            folder=Path(spec.source).parent,
            bench=bench_of(protocol, task),
            name=judge.name,
            timeout_seconds=judge.timeout_seconds,
        )
    except UsageError as error:
        raise _at_its_line(spec, judge, error) from None
    own = {"judge": "command", "configuration": dict(opened.configuration)}
    record = _record(protocol, task, judge.name, own, setting=judge.setting)
    return OfflineWork(judge=opened, reads=task.reads, record=record)


def _check_sight(judge: Judge) -> None:
    """Raise UsageError for a setting that a judge in a process of its own cannot work in."""
    if judge.setting not in (None, _TEXT_ALONE):
        raise UsageError(
            f'setting: value "{judge.setting}", but this judge is shown the response alone;'
            f' allowed: setting = "{_TEXT_ALONE}"'
        )


def _at_its_line(spec: Spec, judge: Judge, error: UsageError) -> UsageError:
    """An error about a judge, with its line where the spec names the judge."""
    named = [replace(each, setting=judge.setting) for each in spec.judges]
    if judge not in named:
        return error
    place = named.index(judge)
    key = error.message.partition(":")[0].split(".")
    is_key = key[0] in _KEYS_OF_A_JUDGE
    where = f"{spec.source}:{spec.positions.line(('judges', place, *(key if is_key else ())))}"
    said = f"judges[{place}]{'.' if is_key else ': '}{error.message}"
    return UsageError(f"{where}: {said}", where=where, hint=error.hint)


def judge_materials(spec: Spec) -> Iterator[str]:
    """Paths of the rubric files that the spec's judges read.

    Raises UsageError for a judge of a task that it cannot judge.
    """
    for protocol, task, judge in chosen_judges(spec):
        if judge.command is not None:
            continue
        if judge.offline is not None:
            yield from _found(spec, protocol, task, judge).materials
            continue
        found = _model_task(spec, protocol, task)
        yield from found.materials
        if judge.simulated:
            yield from offline(protocol, task.name, found.truth).materials


def _found(spec: Spec, protocol: str, task: Task, judge: Judge) -> OfflineJudge:
    try:
        return offline(protocol, task.name, judge.offline or judge.name)
    except UsageError as error:
        raise _at_its_line(spec, judge, error) from None


def chosen_judges(spec: Spec) -> Iterator[tuple[str, Task, Judge]]:
    """Every judge with the protocol and task that it serves."""
    # A judge that was added may judge imported answers of a protocol that the spec does not name.
    added = [judge.protocol for judge in spec.judges if judge.is_added and judge.protocol]
    for name in dict.fromkeys([*spec.protocols, *added]):
        for task in protocols.get(name).tasks:
            for judge in judges_of(spec, name, task):
                yield name, task, judge


def judges_of(spec: Spec, protocol: str, task: Task) -> list[Judge]:
    """The judges of one task of one protocol: the spec's or the default, and those added."""
    fitting = [
        judge
        for judge in spec.judges
        if judge.task == task.name and judge.protocol in (None, protocol)
    ]
    judges = [judge for judge in fitting if not judge.is_added]
    if not judges and not task.is_optional and protocol in spec.protocols:
        judges = [default_judge(task)]
    judges += [judge for judge in fitting if judge.is_added]
    return [each for judge in judges for each in _by_setting(judge, task)]


def _by_setting(judge: Judge, task: Task) -> list[Judge]:
    """A judge of a task with settings is one judge for each of them, unless it names one."""
    if not task.settings or judge.setting is not None:
        return [judge]
    return [replace(judge, setting=setting) for setting in task.settings]


def default_judge(task: Task) -> Judge:
    """The judge of a task for which a spec names none."""
    return Judge(task=task.name, name=task.default_judge, offline=task.default_judge)


def _model_task(spec: Spec, protocol: str, task: Task) -> ModelTask:
    try:
        return model_task(protocol, task.name)
    except UsageError as error:
        raise UsageError(f"{spec.source}: judges: {error.message}") from None


def _model_work(
    spec: Spec, protocol: str, task: Task, judge: Judge, materials: Mapping[str, str]
) -> ModelWork:
    if judge.provider is None or judge.model is None or judge.endpoint is None:
        raise AssertionError("a judge of a sound spec is offline or a model at an endpoint")
    found = model_task(protocol, task.name)
    asked = Asked(
        provider=judge.provider,
        model=judge.model,
        params=judge.params,
        extra_body=judge.extra_body,
        output=judge.output,
    )
    try:
        opened = found.open(
            asked, materials, options=judge.options, setting=judge.setting, seed=spec.seed
        )
    except UsageError as error:
        raise _at_its_line(spec, judge, error) from None
    truth = None
    if judge.simulated:
        truth = _truth(
            protocol, task, found, {**found.truth_params, **opened.truth_params}, materials
        )
    own = {
        "judge": judge.model,
        "configuration": dict(opened.configuration),
        # What a simulated judge says follows from what it takes for right.
        **({} if truth is None else {"truth": dict(truth.configuration)}),
    }
    record = _record(
        protocol,
        task,
        judge.name,
        own,
        setting=judge.setting,
        group=opened.labels,
        simulated=judge.simulated,
        is_prompted=opened.needs_prompt,
    )
    return ModelWork(
        judge=opened, endpoint=judge.endpoint, reads=task.reads, record=record, truth=truth
    )


def _truth(
    protocol: str,
    task: Task,
    found: ModelTask,
    params: Mapping[str, JSON],
    materials: Mapping[str, str],
) -> Truth:
    judge = offline(protocol, task.name, found.truth).open(materials, params)
    if not is_truth(judge):
        raise AssertionError("what a simulated judge takes for right reads one text at a time")
    return judge


def planned_judge(
    found: OfflineJudge, judge: AnyJudge, name: str, task: Task, *, setting: str | None = None
) -> PlannedJudge:
    """An offline judge as the store knows it: its configuration's hash is its identity."""
    own = {
        "judge": found.name,
        "configuration": dict(judge.configuration),
        **({} if found.plugin is None else {"plugin": found.plugin.origin}),
    }
    group = row_labels(judge)
    return _record(
        found.protocol,
        task,
        name,
        own,
        setting=setting,
        group=group,
        is_prompted=needs_prompt(judge),
    )


def _record(
    protocol: str,
    task: Task,
    name: str,
    own: Mapping[str, JSON],
    *,
    setting: str | None,
    group: Mapping[str, JSON] | None = None,
    simulated: bool = False,
    is_prompted: bool = False,
) -> PlannedJudge:
    """A judge under the hash of its configuration: its own, where it works, what marks its rows."""
    configuration = {
        "task": task.name,
        "protocol": protocol,
        **own,
        **({} if setting is None else {"setting": setting}),
        **({"group": dict(group)} if group else {}),
    }
    return PlannedJudge(
        task=task.name,
        name=name,
        hash=digest16(configuration),
        configuration=configuration,
        protocols=(protocol,),
        simulated=simulated,
        reads=task.reads,
        labels=task.labels,
        needs_prompt=is_prompted,
    )
