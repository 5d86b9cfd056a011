"""Which judges a spec's protocols get: offline ones, and models with what they go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agents.judges import AnyJudge, OfflineJudge, TextJudge, offline
from agents.judges.base import is_text_judge
from agents.judges.model import Asked, ModelJudge, ModelTask, model_task
from auditor import protocols
from auditor.canonical import digest16
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.spec.model import Judge, Spec
from auditor.store.plan import PlannedJudge


@dataclass(frozen=True, kw_only=True)
class OfflineWork:
    """An offline judge with the protocol and task that it serves."""

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
    truth: TextJudge | None
    """The offline judge that a simulated one takes for right; None for real models."""


JudgeWork = OfflineWork | ModelWork


def planned_judges(spec: Spec, materials: Mapping[str, str]) -> Iterator[JudgeWork]:
    """The spec's judges, and the default judge of each task that it leaves open."""
    for protocol, task, judge in _chosen(spec):
        if judge.offline is not None:
            found = offline(protocol, task.name, judge.offline)
            opened = _opened(spec, found, judge, materials)
            record = planned_judge(found, opened, judge.name, task)
            yield OfflineWork(judge=opened, reads=task.reads, record=record)
        else:
            yield _model_work(protocol, task, judge, materials)


def _opened(
    spec: Spec, found: OfflineJudge, judge: Judge, materials: Mapping[str, str]
) -> AnyJudge:
    try:
        return found.open(materials, judge.params)
    except UsageError as error:
        if judge not in spec.judges:
            raise
        place = spec.judges.index(judge)
        is_params = error.message.startswith("params.")
        key = error.message.partition(":")[0].split(".") if is_params else []
        where = f"{spec.source}:{spec.positions.line(('judges', place, *key))}"
        said = f"judges[{place}]{'.' if is_params else ': '}{error.message}"
        raise UsageError(f"{where}: {said}", where=where, hint=error.hint) from None


def judge_materials(spec: Spec) -> Iterator[str]:
    """Paths of the rubric files that the spec's judges read.

    Raises UsageError for a judge of a task that it cannot judge.
    """
    for protocol, task, judge in _chosen(spec):
        if judge.offline is not None:
            yield from offline(protocol, task.name, judge.offline).materials
            continue
        found = _model_task(spec, protocol, task)
        yield found.prompt
        if judge.simulated:
            yield from offline(protocol, task.name, found.truth).materials


def _chosen(spec: Spec) -> Iterator[tuple[str, Task, Judge]]:
    for name in spec.protocols:
        for task in protocols.get(name).tasks:
            named = [judge for judge in spec.judges if judge.task == task.name]
            default = Judge(task=task.name, name=task.default_judge, offline=task.default_judge)
            for judge in named or ([] if task.is_optional else [default]):
                yield name, task, judge


def _model_task(spec: Spec, protocol: str, task: Task) -> ModelTask:
    try:
        return model_task(protocol, task.name)
    except UsageError as error:
        raise UsageError(f"{spec.source}: judges: {error.message}") from None


def _model_work(protocol: str, task: Task, judge: Judge, materials: Mapping[str, str]) -> ModelWork:
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
    opened = found.open(asked, materials)
    truth = _truth(protocol, task, found, materials) if judge.simulated else None
    configuration = {
        "task": task.name,
        "protocol": protocol,
        "judge": judge.model,
        "configuration": dict(opened.configuration),
        # What a simulated judge says follows from what it takes for right.
        **({} if truth is None else {"truth": dict(truth.configuration)}),
    }
    record = PlannedJudge(
        task=task.name,
        name=judge.name,
        hash=digest16(configuration),
        configuration=configuration,
        protocols=(protocol,),
        simulated=judge.simulated,
        reads=task.reads,
        labels=task.labels,
    )
    return ModelWork(
        judge=opened, endpoint=judge.endpoint, reads=task.reads, record=record, truth=truth
    )


def _truth(protocol: str, task: Task, found: ModelTask, materials: Mapping[str, str]) -> TextJudge:
    judge = offline(protocol, task.name, found.truth).open(materials)
    if not is_text_judge(judge):
        raise AssertionError("what a simulated judge takes for right reads one text at a time")
    return judge


def planned_judge(found: OfflineJudge, judge: AnyJudge, name: str, task: Task) -> PlannedJudge:
    """An offline judge as the store knows it: its configuration's hash is its identity."""
    configuration = {
        "task": found.task,
        "protocol": found.protocol,
        "judge": found.name,
        "configuration": dict(judge.configuration),
    }
    return PlannedJudge(
        task=found.task,
        name=name,
        hash=digest16(configuration),
        configuration=configuration,
        protocols=(found.protocol,),
        reads=task.reads,
        labels=task.labels,
    )
