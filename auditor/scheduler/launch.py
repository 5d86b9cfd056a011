"""From a plan to a run in its store: the lock is taken, the plan written, the agents started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from auditor.scheduler import spec_place
from auditor.scheduler.audit import Audit, AuditEnd
from auditor.scheduler.cycles import rare_collections
from auditor.scheduler.differences import differences
from auditor.scheduler.kept_plan import KeptSpec, kept_spec
from auditor.scheduler.opening import check_place, ready_store
from auditor.scheduler.part import Part
from auditor.scheduler.plan import Plan, make_plan
from auditor.store import plan as stored
from auditor.store.connection import sqlite_errors

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
    kept: KeptSpec
    path: Path

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """Sentences about files that differ from what the run goes by."""
        return tuple(differences(self.kept, self.path))


def stored_plan(path: Path) -> StoredPlan:
    """The plan of a store, from the spec and the rubric files that it keeps.

    Raises StoreMismatch for what is no store, or one without a spec to carry on.
    """
    kept = kept_spec(path)
    return StoredPlan(plan=make_plan(kept.spec, kept.materials), kept=kept, path=path)
