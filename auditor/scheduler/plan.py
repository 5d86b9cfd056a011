"""A spec turned into a plan: cells as a pure function of the spec and the rubric files."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Any

import rubrics
from auditor import __version__, protocols
from auditor.canonical import digest16, text_digest16
from auditor.errors import UsageError
from auditor.plugins import Group, plugins
from auditor.protocols.additions import draws_prompts
from auditor.protocols.base import AnyProtocol, ProtocolParams
from auditor.scheduler.judge_plan import (
    JudgeWork,
    ModelWork,
    OfflineWork,
    judge_materials,
    planned_judges,
)
from auditor.scheduler.left_out import Reasons, check_any_left, known_beforehand
from auditor.spec.model import Spec, Target
from auditor.store.plan_record import PlannedEndpoint, PlannedTarget, PlanRecord
from auditor.types import JSON, Cell, Prompt, Simulation

__all__ = ["OfflineWork", "Plan", "make_plan", "material_paths", "versions"]

_RECORDED_PACKAGES = (
    "aiohttp",
    "anthropic",
    "genai-prices",
    "nomquamgender",
    "numpy",
    "openai",
    "pydantic-ai-slim",
    "scipy",
    "torch",
    "transformers",
)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that a run will do. Cells are streamed; nothing here grows with their number."""

    spec: Spec
    materials: Mapping[str, str] = field(repr=False)
    """Rubric files that the plan and its judges read, by path."""

    @cached_property
    def protocols(self) -> dict[str, tuple[AnyProtocol, ProtocolParams]]:
        """The spec's protocols with their parameters, in its order."""
        return {name: (protocols.get(name), params) for name, params in self.spec.protocols.items()}

    def cells(self, target: Target, place: int = 0) -> Iterator[Cell]:
        """The cells of one target in the spec's order, from a place on."""
        return islice(self._cells(target), place, None)

    def all_cells(self) -> Iterator[Cell]:
        """The cells of all targets, one target after the other."""
        for target in self.spec.targets:
            yield from self.cells(target)

    def _cells(self, target: Target) -> Iterator[Cell]:
        place = 0
        for name, (protocol, params) in self.protocols.items():
            if (target.name, name) in self.left_out:
                continue
            repetitions = protocol.repetitions(params)
            for prompt in self.prompts(name):
                yield Cell(
                    protocol=name,
                    target=target.name,
                    request=target.request,
                    prompt=prompt,
                    repetitions=repetitions,
                    place=place,
                )
                place += 1

    def prompts(self, name: str) -> Iterator[Prompt]:
        """The prompts of one of the spec's protocols, in its order."""
        protocol, params = self.protocols[name]
        if draws_prompts(protocol):
            return protocol.drawn_prompts(params, self.materials, self.spec.seed)
        return protocol.prompts(params, self.materials)

    @cached_property
    def counts(self) -> tuple[tuple[str, str, int, int], ...]:
        """(protocol, target, cells, trials) of every combination."""
        return tuple(
            (name, target.name, cells, cells * protocol.repetitions(params))
            for target in self.spec.targets
            for name, (protocol, params) in self.protocols.items()
            for cells in (protocol.count(params, self.materials),)
            if (target.name, name) not in self.left_out
        )

    @cached_property
    def left_out(self) -> Reasons:
        """Targets that a protocol passes over, known without asking them, and why."""
        return known_beforehand(self.spec.targets, (p for p, _ in self.protocols.values()))

    @property
    def trials(self) -> int:
        """All trials of the plan."""
        return sum(trials for *_, trials in self.counts)

    @property
    def caps_output(self) -> bool:
        """Whether every call must have an output cap: a limit in money or tokens needs one."""
        return self.spec.budget.needs_cap

    @cached_property
    def judges(self) -> tuple[JudgeWork, ...]:
        """The judges of the spec, and the default judge of each task it leaves open."""
        return tuple(planned_judges(self.spec, self.materials))

    @property
    def offline_judges(self) -> tuple[OfflineWork, ...]:
        """Those that need no endpoint."""
        return tuple(work for work in self.judges if isinstance(work, OfflineWork))

    @property
    def model_judges(self) -> tuple[ModelWork, ...]:
        """Those that are models."""
        return tuple(work for work in self.judges if isinstance(work, ModelWork))

    @cached_property
    def hash(self) -> bytes:
        """Equal hashes mean equal cells in equal order."""
        return digest16(
            [
                "plan",
                __version__,
                [[target.name, target.request.key.hex()] for target in self.spec.targets],
                [[name, p.model_dump(mode="json")] for name, p in self.spec.protocols.items()],
                {path: text_digest16(text).hex() for path, text in self.materials.items()},
                # Elsewhere another seed means other draws, and the same cells.
                [self.spec.seed]
                if any(draws_prompts(p) for p, _ in self.protocols.values())
                else [],
                [origin.origin for name in self.protocols if (origin := protocols.origin(name))],
            ]
        )

    def record(self, prices: Callable[[str], Any] = lambda _: None) -> PlanRecord:
        """What the store keeps of the plan; `prices` gives the prices known of an endpoint."""
        spec = self.spec
        return PlanRecord(
            name=spec.name,
            seed=spec.seed,
            simulated=any(t.simulated for t in spec.targets)
            or any(work.record.simulated for work in self.judges),
            spec=spec.text,
            spec_path=spec.source,
            plan_hash=self.hash,
            budget=spec.budget.limits,
            max_failure_rate=spec.max_failure_rate,
            versions=versions(),
            materials=dict(self.materials),
            targets=tuple(
                PlannedTarget(name=t.name, request=t.request, simulated=t.simulated)
                for t in spec.targets
            ),
            judges=tuple(work.record for work in self.judges),
            endpoints=tuple(
                self.planned_endpoint(name, prices(name)) for name in spec.used_endpoints
            ),
            counts=self.counts,
        )

    def planned_endpoint(self, name: str, price: JSON = None) -> PlannedEndpoint:
        """An endpoint as the store records it."""
        config = self.spec.endpoints[name]
        return PlannedEndpoint(
            name=name,
            provider=config.provider,
            base_url=config.base_url,
            client=config.client,
            price=price,
        )

    def simulate(self, cell: Cell) -> Simulation:
        """How `sim:` answers a cell."""
        return self.protocols[cell.protocol][0].simulation(cell.prompt, self.materials)

    def default_max_tokens(self, cell: Cell) -> int:
        """The output cap of a cell's protocol."""
        return self.protocols[cell.protocol][0].default_max_tokens


def make_plan(spec: Spec, materials: Mapping[str, str] | None = None) -> Plan:
    """The plan of a spec; `materials` are those of a store, None reads the installed files.

    Raises UsageError where a judge of the spec fits no task of its protocols, and where every
    target is left out of every protocol.
    """
    tasks = {task.name for name in spec.protocols for task in protocols.get(name).tasks}
    for judge in spec.judges:
        if judge.task not in tasks and not judge.is_added:
            raise UsageError(
                f"{spec.source}: judges: no protocol of this spec has the task {judge.task!r};"
                f" allowed: {', '.join(sorted(tasks))}"
            )
    if materials is None:
        own = spec.own_texts
        materials = {
            path: own[path] if path in own else rubrics.read(path) for path in material_paths(spec)
        }
    plan = Plan(spec=spec, materials=materials)
    check_any_left(
        spec.source, spec.targets, (p for p, _ in plan.protocols.values()), plan.left_out
    )
    return plan


def material_paths(spec: Spec) -> list[str]:
    """The rubric files that a spec's protocols and judges read."""
    paths: dict[str, None] = {}
    for name in spec.protocols:
        paths.update(dict.fromkeys(protocols.get(name).materials))
    paths.update(dict.fromkeys(judge_materials(spec)))
    return list(paths)


def versions() -> dict[str, str]:
    """Versions of what figures may depend on."""
    found = {"auditor": __version__, "python": platform.python_version(), **_package_versions()}
    for group in Group:
        found.update({each.distribution: each.version for each in plugins(group).values()})
    return found


@cache
def _package_versions() -> dict[str, str]:
    # Their metadata is a file of hundreds of lines each, and a run asks more than once.
    found = {}
    for package in _RECORDED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
