"""Judging a store again: by a judge that its run did not have, or has not finished with."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import rubrics
from auditor import protocols
from auditor.endpoints import Prices
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.scheduler.audit import Audit, AuditEnd
from auditor.scheduler.cycles import rare_collections
from auditor.scheduler.estimates import Expected, added_up, judge_left
from auditor.scheduler.judge_plan import (
    JudgeWork,
    ModelWork,
    OfflineWork,
    judge_materials,
    judge_work,
    judges_of,
)
from auditor.scheduler.launch import stored_plan
from auditor.scheduler.opening import ready_store
from auditor.scheduler.part import JudgePart, Part
from auditor.scheduler.plan import Plan
from auditor.scheduler.readiness import left_out
from auditor.scheduler.shares import shares
from auditor.scheduler.wishes import JudgeWish, granted, protocol_of, without_place
from auditor.spec.added import added_judges
from auditor.spec.model import Budget, Judge, Spec
from auditor.store.appointing import AppointedJudge, appoint
from auditor.store.connection import sqlite_errors
from auditor.store.reading import open_reader
from auditor.store.results import audited
from auditor.store.sources import OpenSources, open_sources

Say = Callable[[str], None]
_PAIR = 2


@dataclass(frozen=True, kw_only=True)
class Rejudging:
    """A judge at one task of a store: what it will do, before anything is written or sent."""

    path: Path
    protocol: str
    before: Plan
    """The store's plan as it is."""
    plan: Plan
    """The same with the judge in it."""
    works: tuple[JudgeWork, ...]
    """The judge: one, or one a setting where its task has several."""
    readers: tuple[OfflineWork, ...]
    """Offline judges that read what it says."""
    sources: tuple[OpenSources, ...]
    """What there is to judge, and what it has judged, by work."""
    is_known: bool
    """Whether the store's spec had this judge already."""
    left_out: tuple[str, ...] = ()
    """Sentences about settings in which it could judge nothing here."""

    @property
    def name(self) -> str:
        """Task and judge, as in name/sonnet."""
        record = self.works[0].record
        return f"{record.task}/{record.name}"

    @cached_property
    def endpoints(self) -> list[str]:
        """Names of the endpoints that are called."""
        return list(dict.fromkeys(w.endpoint for w in self.works if isinstance(w, ModelWork)))

    def limits(self, limit: int | None) -> tuple[int, ...] | None:
        """Of a limit on annotations in all, what each of `works` may add; None: there is none.

        Spread evenly over the settings. A judge of pairs annotates two answers or none. Raises
        UsageError for a limit under which it could annotate nothing.
        """
        if limit is None:
            return None
        is_paired = any(isinstance(w, ModelWork) and w.judge.pairing for w in self.works)
        if is_paired and limit < _PAIR:
            raise UsageError(
                f"--limit {limit}: {self.name} judges both answers of a pair in one call;"
                f" allowed: {_PAIR} or more"
            )
        step = _PAIR if is_paired else 1
        return shares(limit, [part.open for part in self.sources], step=step)

    def expected(self, limit: int | None = None) -> Expected:
        """What is left to do, at most; nothing is sent for an offline judge."""
        limits = self.limits(limit) or [None] * len(self.works)
        parts = [
            judge_left(self.plan, work, sources, limit=most)
            for work, sources, most in zip(self.works, self.sources, limits, strict=True)
        ]
        return added_up(parts)


def rejudging(path: Path, wish: JudgeWish) -> Rejudging:
    """What judging this store as wished will be.

    Raises UsageError that names what is allowed, also where there is nothing that the judge could
    read, and StoreMismatch for what holds no run.
    """
    before = stored_plan(path).plan
    connection = open_reader(path)
    try:
        with sqlite_errors(path):
            held = audited(connection)
            protocol = protocol_of(wish, list(dict.fromkeys(name for name, *_ in held)))
            origins = {origin for name, _, _, origin in held if name == protocol}
            grant = granted(before.spec, protocol, wish, materials=before.materials, store=path)
            plan = _plan_with(before, grant.spec, protocol)
            asked = _works(plan, protocol, wish, grant.name)
            works = _able(asked, origins)
            sources = [_open_sources(connection, protocol, work, origins) for work in works]
            if not any(part.open or part.done for part in sources):
                raise _nothing_to_judge(protocol, works[0])
    finally:
        connection.close()
    return Rejudging(
        path=path,
        protocol=protocol,
        before=before,
        plan=plan,
        works=works,
        readers=_readers(plan, protocol, wish.task),
        sources=tuple(sources),
        is_known=grant.is_known,
        left_out=tuple(left_out(work) for work in asked if work not in works),
    )


def carry_out(
    order: Rejudging,
    *,
    say: Say,
    purse: Budget | None = None,
    limit: int | None = None,
    probes: bool = True,
    begun: Callable[[], None] = lambda: None,
) -> AuditEnd:
    """Judge what is left, let the judges that read it follow, and compute the statistics.

    `limit` is on this judge's annotations in all, over its settings; what those that read it add
    does not count. `purse` holds limits for this alone; None: what the run's budget leaves. `begun`
    is called once the judge stands in the store, before the first call. Raises StoreLocked while
    another process writes the store, and what else keeps it from starting, with the store as it
    was.
    """
    with ready_store(order.path, say=say) as epoch:
        appoint(order.path, epoch, _appointed(order))
        begun()
    part = Part(
        targets=frozenset(),
        judges=JudgePart(asked=order.works, readers=order.readers, limits=order.limits(limit)),
    )
    audit = Audit(order.plan, order.path, epoch, say=say, part=part, probes=probes, purse=purse)
    with rare_collections(), sqlite_errors(order.path):
        return asyncio.run(audit.run())


def check_purse(order: Rejudging, budget: Budget) -> None:
    """Raise UsageError where a limit in money meets a judge whose price is unknown."""
    work = order.works[0]
    if budget.usd is None or not isinstance(work, ModelWork):
        return
    asked = work.judge.asked
    if Prices(order.plan.spec.endpoints[work.endpoint]).unit(asked.model) is None:
        raise UsageError(
            f"a limit in US dollars is set, but the price of {asked.provider}:{asked.model} is"
            " not known",
            hint="add --price INPUT,OUTPUT (US dollars for a million tokens), or limit calls or"
            " tokens instead",
        )


def left_out_judges(plan: Plan, path: Path) -> list[str]:
    """Task/name of each judge that was added to this store and that this plan does not have."""
    connection = open_reader(path)
    try:
        with sqlite_errors(path):
            row = connection.execute("SELECT spec FROM runs").fetchone()
    finally:
        connection.close()
    planned = {(work.record.task, work.record.name) for work in plan.judges}
    added = [] if row is None else added_judges(row[0])
    return [f"{task}/{name}" for task, name in added if (task, name) not in planned]


def _plan_with(before: Plan, spec: Spec, protocol: str) -> Plan:
    """The plan of the store with another spec; a protocol that it does not name has defaults."""
    if protocol not in spec.protocols:
        params = protocols.get(protocol).params_type()
        spec = replace(spec, protocols={**spec.protocols, protocol: params})
    wanted = [*protocols.get(protocol).materials, *judge_materials(spec)]
    files = {path: rubrics.read(path) for path in wanted if path not in before.materials}
    return Plan(spec=spec, materials={**before.materials, **files})


def _works(plan: Plan, protocol: str, wish: JudgeWish, name: str) -> tuple[JudgeWork, ...]:
    return tuple(
        _opened(plan, protocol, each, judge)
        for each in protocols.get(protocol).tasks
        for judge in judges_of(plan.spec, protocol, each)
        if each.name == wish.task and judge.name == name
        if wish.setting in (None, judge.setting)
    )


def _able(works: Sequence[JudgeWork], origins: Collection[str]) -> tuple[JudgeWork, ...]:
    """Those that can say something of answers of these origins. Raises UsageError for none."""
    able = tuple(w for w in works if any(w.record.reads_origin(origin) for origin in origins))
    if not able:
        raise UsageError(
            left_out(works[0]),
            hint="name another --setting; a judge that is asked for without one leaves this out",
        )
    return able


def _open_sources(
    connection: sqlite3.Connection, protocol: str, work: JudgeWork, origins: Collection[str]
) -> OpenSources:
    return open_sources(
        connection,
        protocol=protocol,
        judge=work.record.hash,
        reads=work.reads,
        longest=work.judge.prompt.longest if isinstance(work, ModelWork) else None,
        reads_logprobs=work.judge.configuration.get("reads") == "logprobs",
        origins=[origin for origin in origins if work.record.reads_origin(origin)],
    )


def _nothing_to_judge(protocol: str, work: JudgeWork) -> UsageError:
    record = work.record
    if work.reads is None:
        return UsageError(
            f"--task {record.task}: nothing is to be judged: the store has no answer of {protocol}"
            " with a text",
            hint="a judge reads answers; scores alone leave it nothing",
        )
    return UsageError(
        f"--task {record.task}: nothing is to be judged: no judge of {work.reads} in the store has"
        f" said anything that one of {record.task} could read",
        hint=f"judge {work.reads} first: auditor judge STORE --task {work.reads} --judge M",
    )


def _readers(plan: Plan, protocol: str, task: str) -> tuple[OfflineWork, ...]:
    works = (
        _opened(plan, protocol, each, judge)
        for each in protocols.get(protocol).tasks
        for judge in judges_of(plan.spec, protocol, each)
        # Models cost money: they wait for a call of their own.
        if each.reads == task and judge.model is None
    )
    return tuple(work for work in works if isinstance(work, OfflineWork))


def _opened(plan: Plan, protocol: str, task: Task, judge: Judge) -> JudgeWork:
    try:
        return judge_work(plan.spec, protocol, task, judge, plan.materials)
    except UsageError as error:
        raise UsageError(without_place(error.message), hint=error.hint) from None


def _appointed(order: Rejudging) -> AppointedJudge:
    # The protocol that an import brought stays out of the run's own plan.
    own = replace(order.plan, spec=replace(order.plan.spec, protocols=order.before.spec.protocols))
    return AppointedJudge(
        judges=[work.record for work in order.works],
        readers=[reader.record for reader in order.readers],
        endpoints=[order.plan.planned_endpoint(name) for name in order.endpoints],
        materials=_files_of(order),
        spec=order.plan.spec.text,
        plan_hashes=(order.before.hash, own.hash),
    )


def _files_of(order: Rejudging) -> Mapping[str, str]:
    known = order.before.materials
    return {path: text for path, text in order.plan.materials.items() if path not in known}
