"""The spec that a store keeps, and what it means: a resumed run goes by it, a check holds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import StoreMismatch
from auditor.scheduler import spec_place
from auditor.scheduler.plan import Plan, make_plan, material_paths
from auditor.spec.loading import parse_spec
from auditor.spec.model import Spec
from auditor.store import sources
from auditor.store.connection import sqlite_errors
from auditor.store.plan_record import PlannedTarget
from auditor.store.plan_verification import KeptPlan
from auditor.store.reading import open_reader


@dataclass(frozen=True, kw_only=True)
class KeptSpec:
    """A store's spec and the rubric files that it goes by."""

    spec: Spec
    is_from_file: bool
    """Whether the store knows the file that the spec came from."""
    materials: dict[str, str]
    plan_hash: bytes
    """Of the plan that was last written."""


def kept_spec(path: Path) -> KeptSpec:
    """The spec of a store. Raises StoreMismatch for what is no store, or holds no run yet."""
    connection = open_reader(path)
    try:
        with sqlite_errors(path):
            row = connection.execute("SELECT spec, spec_path, plan FROM runs").fetchone()
            materials = sources.materials(connection)
    finally:
        connection.close()
    if row is None:
        raise StoreMismatch(
            f"{path} holds no run yet", where=str(path), hint="start it with `auditor run SPEC`"
        )
    text, kept, plan_hash = row
    source = spec_place.found(kept, path)
    return KeptSpec(
        spec=parse_spec(
            text, source, materials_of=lambda _: materials, needs_targets=False, is_kept=True
        ),
        is_from_file=kept is not None,
        materials=materials,
        plan_hash=plan_hash,
    )


def kept_plan(path: Path) -> KeptPlan | None:
    """What a store's own rows of its plan are to be held against; None where that is not known.

    Its cells and counts are known where this program makes the very plan of the store's spec.
    """
    try:
        kept = kept_spec(path)
        plan = _plan_in_force(kept)
        spec = kept.spec
        whole = plan or make_plan(spec, kept.materials)
        return KeptPlan(
            spec=spec.text,
            name=spec.name,
            seed=spec.seed,
            budget=spec.budget.limits,
            max_failure_rate=spec.max_failure_rate,
            targets=[
                PlannedTarget(name=t.name, request=t.request, simulated=t.simulated)
                for t in spec.targets
            ],
            endpoints=[whole.planned_endpoint(name) for name in spec.used_endpoints],
            counts=() if plan is None else plan.counts,
            cells=None if plan is None else plan.all_cells(),
        )
    except Exception:
        # Of another version, or of a package that is gone. What is damaged fits no hash.
        return None


def _plan_in_force(kept: KeptSpec) -> Plan | None:
    """The plan that was last written, unless another version of this program has made it."""
    own = material_paths(kept.spec)
    # Imports bring files that the run's own plan does not go by, and later plans hold these too.
    found: tuple[Mapping[str, str], ...] = (
        kept.materials,
        {path: text for path, text in kept.materials.items() if path in own},
    )
    for materials in found:
        plan = make_plan(kept.spec, materials)
        if plan.hash == kept.plan_hash:
            return plan
    return None
