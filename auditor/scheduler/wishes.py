"""From what a user asks of a judge to a spec that has it: known, or added."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.judges import names as offline_names
from agents.judges.model import model_task
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.scheduler.judge_plan import default_judge, judges_of
from auditor.spec.added import ADDED, with_block
from auditor.spec.loading import PROVIDERS, parse_spec
from auditor.spec.model import Judge, Spec
from auditor.spec.twins import twin_of
from auditor.types import JSON

_LONGEST_NAME = 100
_PLACE = re.compile(
    r"^.*?:\d+: (?:added\.)?(?:judges\[\d+\](?:\.|: )?|endpoints\.[^.:]+\.)?", re.MULTILINE
)


@dataclass(frozen=True, kw_only=True)
class JudgeWish:
    """A judge as the command line asks for it."""

    task: str
    judge: str
    """A judge of the store by name, an offline judge, or "provider:model"."""
    name: str | None = None
    protocol: str | None = None
    """None: the only one of the store that has the task."""
    params: Mapping[str, JSON] = field(default_factory=dict)
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    output: str | None = None
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How a model judges, where the task knows several ways."""
    setting: str | None = None
    """What of a trial it is shown, where the task knows several ways; None: all, one by one."""
    endpoint: Mapping[str, JSON] = field(default_factory=dict)
    """Settings as an [endpoints.NAME] table has them, without its provider."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A spec that has the judge that was asked for."""

    spec: Spec
    name: str
    """The judge's, in its task."""
    is_known: bool
    """Whether the spec had it before."""


def protocol_of(wish: JudgeWish, names: Sequence[str]) -> str:
    """The protocol, one of these, whose task is to be judged. Raises UsageError."""
    tasks = {name: [task.name for task in protocols.get(name).tasks] for name in names}
    having = [name for name in names if wish.task in tasks[name]]
    if wish.protocol is not None:
        if wish.protocol not in names:
            raise UsageError(
                f"--protocol {wish.protocol}: the store has none of it; allowed: {', '.join(names)}"
            )
        having = [wish.protocol] if wish.protocol in having else []
    if not having:
        wanted = [wish.protocol] if wish.protocol is not None else list(names)
        allowed = dict.fromkeys(task for name in wanted for task in tasks[name])
        raise UsageError(
            f"--task {wish.task}: {' and '.join(wanted)} {'has' if len(wanted) == 1 else 'have'}"
            f" no such task; allowed: {', '.join(allowed)}"
        )
    if len(having) > 1:
        raise UsageError(
            f"--task {wish.task}: {' and '.join(having)} have it",
            hint="name one of them with --protocol",
        )
    return having[0]


def granted(
    spec: Spec, protocol: str, wish: JudgeWish, *, materials: Mapping[str, str], store: Path
) -> Granted:
    """The store's spec with the judge in it.

    A judge of the spec by its name, or one that is asked as the wish says, is that judge: it has
    its name, and goes on where it stopped. Any other is added. Raises UsageError.
    """
    task = next(task for task in protocols.get(protocol).tasks if task.name == wish.task)
    _check_words(task, wish)
    known = judges_of(spec, protocol, task)
    if not known and not task.is_optional:
        known = [default_judge(task)]
    named = next((judge for judge in known if judge.name == wish.judge), None)
    if named is not None and not _has_settings(wish):
        return Granted(spec=spec, name=named.name, is_known=True)
    wanted = _wanted(spec, protocol, task, wish, known)
    for judge in known:
        if _asks_alike(judge, wanted):
            if wish.name not in (None, judge.name):
                raise UsageError(
                    f"--name {wish.name}: the store has this judge as {judge.name!r}",
                    hint=f"leave --name out, or say --judge {judge.name}",
                )
            if not judge.is_added:
                _check_same_place(spec, judge, wish)
                return Granted(spec=spec, name=judge.name, is_known=True)
            wanted = replace(wanted, name=judge.name)
    taken = [judge.name for judge in known if not _asks_alike(replace(judge, setting=None), wanted)]
    if wanted.name in taken:
        raise UsageError(
            f"another judge of {task.name} has the name {wanted.name!r}",
            hint="give this one a name with --name",
        )
    is_known = any(_asks_alike(judge, wanted) for judge in known)
    if not is_known:
        _check_look(spec, wanted, known)
    text = _with_judge(spec, wanted, wish)
    return Granted(
        spec=_parsed(text, spec, materials, wish, store), name=wanted.name, is_known=is_known
    )


def _check_words(task: Task, wish: JudgeWish) -> None:
    """Raise UsageError for what could be no judge, whatever the store has."""
    if wish.setting is not None and wish.setting not in task.settings:
        allowed = ", ".join(task.settings) or f"none: {task.name} has no settings"
        raise UsageError(f"--setting: value {wish.setting!r}; allowed: {allowed}")
    if wish.name is not None and not wish.name.strip():
        raise UsageError(
            f"--name: value {wish.name!r}; allowed: 1 to {_LONGEST_NAME} characters, not all white"
            " space"
        )


def _check_look(spec: Spec, wanted: Judge, known: Sequence[Judge]) -> None:
    """Raise UsageError for a name that a reader takes for that of another judge of the task."""
    others = [judge for judge in (*known, *spec.judges) if judge.task == wanted.task]
    twin = twin_of(wanted.name, (judge.name for judge in others))
    if twin is not None:
        raise UsageError(
            f"the name {wanted.name!r} looks like that of another judge of {wanted.task}, {twin!r}:"
            " the same characters, otherwise composed (Unicode normal forms)",
            hint="give this one a name of its own with --name",
        )


def _has_settings(wish: JudgeWish) -> bool:
    asked = (wish.params, wish.extra_body, wish.output, wish.options, wish.setting)
    return any((*asked, wish.endpoint, wish.name))


def _wanted(
    spec: Spec, protocol: str, task: Task, wish: JudgeWish, known: Sequence[Judge]
) -> Judge:
    spelling, colon, model = wish.judge.partition(":")
    if wish.judge in offline_names(protocol, task.name):
        model_only = {
            "--output": wish.output,
            "--extra-body": wish.extra_body,
            "--option": wish.options,
        }
        for option, given in model_only.items():
            if given:
                raise UsageError(f"{option}: only beside a model; {wish.judge} is an offline judge")
        if wish.endpoint:
            key = next(iter(wish.endpoint))
            raise UsageError(f"{key}: {wish.judge} is an offline judge and calls no endpoint")
        return Judge(
            task=task.name,
            name=wish.name or _offline_name(wish),
            offline=wish.judge,
            params=wish.params,
            setting=wish.setting,
            protocol=protocol,
            is_added=True,
        )
    if colon and model and spelling in PROVIDERS:
        model_task(protocol, task.name)
        return Judge(
            task=task.name,
            name=wish.name or model[:_LONGEST_NAME],
            provider=PROVIDERS[spelling],
            model=model,
            endpoint=_endpoint_name(spec, PROVIDERS[spelling], wish),
            params=wish.params,
            extra_body=wish.extra_body,
            output=wish.output,
            options=wish.options,
            setting=wish.setting,
            protocol=protocol,
            is_added=True,
        )
    if any(judge.name == wish.judge for judge in known):
        raise UsageError(
            f"--judge {wish.judge}: a judge of this store has its settings; none can be changed",
            hint="ask for another judge: PROVIDER:MODEL, or an offline judge with --name",
        )
    allowed = dict.fromkeys([*(judge.name for judge in known), *offline_names(protocol, task.name)])
    wrong = f"no judge of {task.name} has this name"
    if colon and not model:
        wrong = "a provider without a model"
    elif not wish.judge.strip():
        wrong = "no judge is named"
    raise UsageError(
        f"--judge: value {wish.judge!r}: {wrong};"
        f" allowed: {', '.join(allowed)}, or PROVIDER:MODEL with a provider of"
        f" {', '.join(PROVIDERS)}"
    )


def _offline_name(wish: JudgeWish) -> str:
    """An offline judge with settings is told from the plain one by them."""
    if not wish.params:
        return wish.judge
    settings = ", ".join(
        f"{key}={value if isinstance(value, str) else canonical_json(value)}"
        for key, value in wish.params.items()
    )
    return f"{wish.judge} ({settings})"[:_LONGEST_NAME].strip()


def _asks_alike(one: Judge, other: Judge) -> bool:
    def asked(judge: Judge) -> str:
        return canonical_json(
            [
                judge.offline,
                judge.provider,
                judge.model,
                dict(judge.params),
                dict(judge.extra_body),
                judge.output,
                dict(judge.options),
            ]
        )

    if one.command is not None or other.command is not None:
        return False
    is_one_setting = None in (one.setting, other.setting) or one.setting == other.setting
    return is_one_setting and asked(one) == asked(other)


def _check_same_place(spec: Spec, judge: Judge, wish: JudgeWish) -> None:
    """A judge of the user's own spec is asked where that says."""
    config = spec.endpoints.get(judge.endpoint or "")
    for key in ("base_url", "api_key_env"):
        if config is None or wish.endpoint.get(key, getattr(config, key)) == getattr(config, key):
            continue
        raise UsageError(
            f"{key}: the judge {judge.name} of this store's spec is asked at"
            f" endpoints.{config.name}",
            hint="leave it out, or change the spec",
        )


def _endpoint_name(spec: Spec, provider: str, wish: JudgeWish) -> str:
    """The endpoint of the spec that is the same server with the same key, or a name for one."""
    place = (wish.endpoint.get("base_url"), wish.endpoint.get("api_key_env"))
    for config in spec.endpoints.values():
        if config.provider == provider and (config.base_url, config.api_key_env) == place:
            return config.name
    candidates = [provider, *(f"{provider}-{number}" for number in range(2, 1000))]
    return next(name for name in candidates if name not in spec.endpoints)


def _with_judge(spec: Spec, judge: Judge, wish: JudgeWish) -> str:
    """The spec's text with the judge, in the place of the one of its name that was added."""
    added: dict[str, Any] = tomllib.loads(spec.text).get(ADDED, {})
    tables = list(added.get("judges", []))
    same = [t for t in tables if (t["task"], t.get("name")) == (judge.task, judge.name)]
    if any("setting" not in table for table in same):
        # It works in every setting: one that is asked for by itself takes none of them away.
        judge = replace(judge, setting=None)
    elif judge.setting is not None:
        same = [table for table in same if table["setting"] == judge.setting]
    tables = [table for table in tables if table not in same]
    table: dict[str, JSON] = {"task": judge.task, "protocol": judge.protocol, "name": judge.name}
    endpoints = dict(added.get("endpoints", {}))
    if judge.offline is not None:
        table["judge"] = judge.offline
    else:
        table["model"] = f"{judge.provider}:{judge.model}"
        name = str(judge.endpoint)
        if wish.endpoint or name != judge.provider:
            table["endpoint"] = name
        if wish.endpoint:
            own = {"provider": judge.provider, **endpoints.get(name, {})}
            endpoints[name] = {**own, **wish.endpoint}
    optional = {
        "params": judge.params,
        "extra_body": judge.extra_body,
        "output": judge.output,
        "options": judge.options,
        "setting": judge.setting,
    }
    table |= {key: value for key, value in optional.items() if value}
    return with_block(spec.text, [*tables, table], endpoints)


def _parsed(
    text: str, spec: Spec, materials: Mapping[str, str], wish: JudgeWish, store: Path
) -> Spec:
    try:
        return parse_spec(
            text,
            spec.source,
            materials_of=lambda _: materials,
            needs_targets=False,
            is_kept=True,
        )
    except UsageError as error:
        raise UsageError(without_place(error.message), where=str(store), hint=error.hint) from None


def without_place(message: str) -> str:
    """Problems of a spec that the user did not write, without its lines."""
    return _PLACE.sub("", message)
