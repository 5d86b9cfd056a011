"""Whether each target and judge of a spec can be used here: asked before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import rubrics
from agents.judges import offline
from agents.judges.base import AnyJudge
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.scheduler.judge_plan import JudgeWork, OfflineWork, chosen_judges, judge_work
from auditor.spec.keys import missing_key
from auditor.spec.local_models import LOCAL, gaps_of_model
from auditor.spec.model import Judge, Spec
from auditor.store.planned_judges import judge_label
from auditor.types import JSON, EndpointConfig


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """One judge, and whether it can work."""

    protocol: str
    task: str
    name: str
    setting: str | None
    kind: str
    """"built in", a distribution with its version, "command", or "model"."""
    error: UsageError | None = None
    """What keeps it from working, with the command that mends it as its hint."""
    remark: str | None = None
    """What it lacks, though it can do without."""

    @property
    def label(self) -> str:
        """What it is called beside the other judges of its task."""
        return judge_label(self.name, self.setting)

    @property
    def is_model(self) -> bool:
        """Whether it is a model at an endpoint."""
        return self.kind == "model"

    @property
    def is_ready(self) -> bool:
        """Whether it can work."""
        return self.error is None

    @property
    def said(self) -> str:
        """Ready or not, in a sentence."""
        if self.error is None:
            return "ready" if self.remark is None else f"ready, but {self.remark}"
        return _not_ready(self.error)

    def as_json(self) -> dict[str, JSON]:
        """For `doctor --json`."""
        return {
            "protocol": self.protocol,
            "task": self.task,
            "judge": self.name,
            "setting": self.setting,
            "kind": self.kind,
            "ready": self.is_ready,
            "error": None if self.error is None else self.error.message,
            "hint": None if self.error is None else self.error.hint,
            "remark": self.remark,
        }


@dataclass(frozen=True, kw_only=True)
class TargetReadiness:
    """One target, and whether its model can be asked."""

    name: str
    model: str
    """With its provider, as the spec has it."""
    endpoint: str
    error: UsageError | None
    """All that keeps it from being asked, with what mends it."""

    @property
    def said(self) -> str:
        """Ready or not, in a sentence."""
        return "ready" if self.error is None else _not_ready(self.error)

    def as_json(self) -> dict[str, JSON]:
        """For `doctor --json`."""
        return {
            "target": self.name,
            "model": self.model,
            "endpoint": self.endpoint,
            "ready": self.error is None,
            "error": None if self.error is None else self.error.message,
            "hint": None if self.error is None else self.error.hint,
        }


def targets_readiness(
    spec: Spec, environ: Mapping[str, str], default_variables: Mapping[str, str]
) -> Iterator[TargetReadiness]:
    """Every target of a spec: whether its key, or its files and their libraries, are here.

    Nothing is asked or loaded. `default_variables` as of `check_keys`.
    """
    for target in spec.targets:
        asked, config = target.request, spec.endpoints[target.endpoint]
        yield TargetReadiness(
            name=target.name,
            model=f"{asked.provider}:{asked.model}",
            endpoint=target.endpoint,
            error=_gap(config, asked.model, asked.api, environ, default_variables),
        )


def judges_readiness(
    spec: Spec, environ: Mapping[str, str], default_variables: Mapping[str, str]
) -> Iterator[Readiness]:
    """Every judge of a spec, the defaults included, one after the other.

    Commands and outside packages are started once, models are not asked. `default_variables` as
    of `check_keys`. Raises UsageError for a judge that there is not, or that does not fit.
    """
    for protocol, task, judge in chosen_judges(spec):
        yield _readiness(spec, protocol, task, judge, environ, default_variables)


def lacking(judge: AnyJudge) -> str | None:
    """What a judge lacks though it can do without, with the command that mends it; or None."""
    said: str | None = getattr(judge, "lacking", None)
    return said


def _unavailable(judge: AnyJudge) -> UsageError | None:
    """What keeps a judge from judging anything here, though it can be made; or None."""
    said: str | None = getattr(judge, "unavailable", None)
    return None if said is None else UsageError(said)


def remarks(works: tuple[JudgeWork, ...]) -> Iterator[str]:
    """Sentences to be read before a run: what judges lack, and which commands they run."""
    for work in works:
        if not isinstance(work, OfflineWork):
            continue
        named = f"judge {work.record.task}/{work.record.label}"
        command = work.judge.configuration.get("command")
        if isinstance(command, list):
            yield f"{named} runs the command {' '.join(map(str, command))}"
        if (said := lacking(work.judge)) is not None:
            yield f"{named}: {said}"


def left_out(work: JudgeWork) -> str:
    """The sentence about a judge that can say nothing of imported answers."""
    return (
        f"{work.record.task}/{work.record.label} is left out: it has to see what was asked, and an"
        " import brings answers alone"
    )


def _readiness(
    spec: Spec,
    protocol: str,
    task: Task,
    judge: Judge,
    environ: Mapping[str, str],
    default_variables: Mapping[str, str],
) -> Readiness:
    kind, error, remark = "model", None, None
    if judge.endpoint is not None:
        config = spec.endpoints[judge.endpoint]
        error = _gap(config, judge.model or "", "chat", environ, default_variables)
    else:
        kind = "command"
        paths: tuple[str, ...] = ()
        if judge.offline is not None:
            found = offline(protocol, task.name, judge.offline)
            kind = "built in" if found.plugin is None else found.plugin.shown
            paths = found.materials
        own = spec.own_texts
        materials = {path: own[path] if path in own else rubrics.read(path) for path in paths}
        try:
            work = judge_work(spec, protocol, task, judge, materials)
        except UsageError as reason:
            error = reason
        else:
            if isinstance(work, OfflineWork):
                remark, error = lacking(work.judge), _unavailable(work.judge)
    return Readiness(
        protocol=protocol,
        task=task.name,
        name=judge.name,
        setting=judge.setting,
        kind=kind,
        error=error,
        remark=remark,
    )


def _gap(
    config: EndpointConfig,
    model: str,
    api: str,
    environ: Mapping[str, str],
    default_variables: Mapping[str, str],
) -> UsageError | None:
    """All that is missing before a model can be asked, as one error; or None."""
    found = []
    variable = missing_key(config, environ, default_variables)
    if variable is not None:
        found.append(UsageError(f"the environment variable {variable} is not set"))
    if config.provider == LOCAL:
        found += gaps_of_model(model, api=api)
    if len(found) < 2:
        return found[0] if found else None
    return UsageError("; also ".join(map(_with_hint, found)))


def _not_ready(error: UsageError) -> str:
    return f"not ready: {_with_hint(error)}"


def _with_hint(error: UsageError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message
