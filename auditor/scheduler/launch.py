"""From a plan to a run in its store: the lock is taken, the plan written, the agents started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import rubrics
from auditor.errors import UsageError
from auditor.protocols.base import StandIn
from auditor.scheduler import spec_place
from auditor.scheduler.audit import Audit, AuditEnd, Part
from auditor.scheduler.cycles import rare_collections
from auditor.scheduler.kept_plan import kept_spec
from auditor.scheduler.opening import check_place, ready_store
from auditor.scheduler.plan import Plan, make_plan
from auditor.spec.added import without_added
from auditor.spec.changes import changed_fields
from auditor.spec.loading import toml_text
from auditor.spec.model import Spec
from auditor.spec.stand_ins import ReadFile, file_reader, stand_ins_of
from auditor.store import plan as stored
from auditor.store.connection import sqlite_errors
from auditor.user_files import read_whole

Say = Callable[[str], None]


def launch(
    plan: Plan,
    path: Path,
    *,
    say: Say,
    part: Part | None = None,
    supersede: bool = False,
    probes: bool = True,
    begun: Callable[[], None] = lambda: None,
) -> AuditEnd:
    """Carry a plan out in the store at `path`, made if there is none.

    `begun` is called once the plan stands in the store, before the first call. Raises what keeps
    the run from starting, with the store as it was.
    """
    check_place(path, plan.spec.name)
    with ready_store(path, say=say) as epoch:
        record = replace(plan.record(), spec_path=spec_place.kept(plan.spec.source, path))
        stored.write_plan(path, epoch, record, plan.all_cells(), supersede=supersede)
        begun()
    with rare_collections(), sqlite_errors(path):
        return asyncio.run(Audit(plan, path, epoch, say=say, part=part, probes=probes).run())


@dataclass(frozen=True, kw_only=True)
class StoredPlan:
    """The plan that a store holds, and what on disk is no longer like it."""

    plan: Plan
    differing: tuple[str, ...]
    """Sentences about files that differ from what the run goes by."""


def stored_plan(path: Path) -> StoredPlan:
    """The plan of a store, from the spec and the rubric files that it keeps.

    Raises StoreMismatch for what is no store, or one without a spec to carry on.
    """
    kept = kept_spec(path)
    spec = kept.spec
    return StoredPlan(
        plan=make_plan(spec, kept.materials),
        differing=tuple(
            _differences(spec, spec.source if kept.is_from_file else None, kept.materials)
        ),
    )


def _differences(spec: Spec, source: str | None, materials: dict[str, str]) -> list[str]:
    found = []
    if source is not None and (differs := _spec_difference(spec, source)) is not None:
        found.append(differs)
    known = set(rubrics.names())
    own = stand_ins_of(spec.protocols.values())
    read = file_reader(spec.source, pipes=False)
    for path, kept in materials.items():
        if path in own:
            if (differs := _difference(own[path], kept, read)) is not None:
                found.append(differs)
            continue
        if path not in known or rubrics.read(path) != kept:
            found.append(
                f"rubrics/{path} differs from what this run goes by, which is kept in the store"
            )
    return found


def _spec_difference(spec: Spec, source: str) -> str | None:
    """A sentence about a spec file that is no longer as it was; None also where it is gone."""
    try:
        data = read_whole(source, pipes=False)
    except (OSError, ValueError):
        return None
    try:
        on_disk = toml_text(data, source)
    except UsageError as error:
        return (
            "this run goes by the spec that its store keeps; the one on disk cannot be read:"
            f" {error.message}"
        )
    kept = without_added(spec.text)
    if on_disk.rstrip("\n") == kept.rstrip("\n"):
        return None
    fields = changed_fields(kept, on_disk)
    where = "" if fields is None else f", in {fields}"
    return (
        f"{source} differs from the spec of this run, which is kept in the store{where};"
        f" `auditor run {source}` takes the changes"
    )


def _difference(stand_in: StandIn, kept: str, read: ReadFile) -> str | None:
    """A sentence about a user's file that is no longer as it was; None also where it is gone."""
    try:
        is_equal = read(stand_in) == kept
    except ValueError:
        return None
    if is_equal:
        return None
    return f"{stand_in.file} differs from what this run goes by, which is kept in the store"
