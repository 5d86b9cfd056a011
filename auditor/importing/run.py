"""The run that an import belongs to: the one of its store, of a spec, or of protocols' defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import rubrics
from agents.judges import offline
from auditor import protocols
from auditor.canonical import digest16
from auditor.errors import StoreMismatch, UsageError
from auditor.protocols.base import AnyProtocol, ProtocolParams
from auditor.scheduler import spec_place
from auditor.scheduler.plan import OfflineWork, Plan, versions
from auditor.spec.added import with_block_of, without_added
from auditor.spec.loading import parse_spec
from auditor.spec.model import Judge, Spec
from auditor.store import plan as stored
from auditor.store import sources
from auditor.store.connection import sqlite_errors
from auditor.store.plan_record import PlanRecord
from auditor.store.reading import open_reader
from auditor.types import JSON

_LONGEST_NAME = 100


@dataclass(frozen=True, kw_only=True)
class ImportRun:
    """What an import goes by: a spec, and rubric files as its store has them."""

    name: str
    spec: Spec | None
    """None: the defaults of the protocols that come, as far as they are known."""
    default_protocols: tuple[str, ...] = ()
    """Those of the stored spec, where it is made of defaults."""
    is_stored: bool
    """Whether the store holds a run already; else the import begins one."""
    has_imports: bool
    planned_targets: frozenset[str]
    stored_materials: Mapping[str, str]
    added: Spec | None = None
    """The stored spec, where judges were added to it."""

    def materials(self, names: Iterable[str]) -> dict[str, str]:
        """Rubric files that protocols and their judges read: the store's own before installed."""
        paths: dict[str, None] = {}
        for name in names:
            protocol = protocols.get(name)
            paths.update(dict.fromkeys(protocol.materials))
            for judge in self._judges(protocol):
                if judge.command is None:
                    found = offline(name, judge.task, _offline(judge))
                    paths.update(dict.fromkeys(found.materials))
        return {path: self._material(path) for path in paths}

    def protocol_materials(self, protocol: AnyProtocol) -> dict[str, str]:
        """Rubric files that one protocol reads."""
        return {path: self._material(path) for path in protocol.materials}

    def offline_judges(self, names: Iterable[str]) -> tuple[OfflineWork, ...]:
        """The offline judges of these protocols: the spec's own, or each task's default."""
        chosen = list(names)
        if not chosen:
            return ()
        spec = self.spec_of(chosen)
        judges: list[Judge] = []
        for name in chosen:
            judges += [j for j in self._judges(protocols.get(name)) if j not in judges]
        params = {name: spec.protocols.get(name) or _default_params(name) for name in chosen}
        spec = replace(spec, protocols=params, judges=tuple(judges), targets=())
        return Plan(spec=spec, materials=self.materials(chosen)).offline_judges

    def spec_of(self, names: Iterable[str]) -> Spec:
        """The run's spec; where it is made of defaults, with these protocols."""
        if self.spec is not None:
            return self.spec
        text = default_spec(self.name, dict.fromkeys([*self.default_protocols, *names]))
        if self.added is not None:
            text = with_block_of(self.added.text, text)
        return parse_spec(text, f"{self.name}, by default", needs_targets=False, is_kept=True)

    def record(self, names: Iterable[str]) -> PlanRecord:
        """The plan of a run that begins with an import: no target, no trial of its own."""
        spec = self.spec_of(names)
        return PlanRecord(
            name=spec.name,
            seed=spec.seed,
            simulated=False,
            spec=spec.text,
            spec_path=None if self.spec is None else spec.source,
            plan_hash=digest16(["imported", spec.text]),
            budget=spec.budget.limits,
            max_failure_rate=spec.max_failure_rate,
            versions=versions(),
            materials=self.materials([*names, *spec.protocols]),
            targets=(),
            judges=(),
            endpoints=(),
            counts=(),
        )

    def _judges(self, protocol: AnyProtocol) -> list[Judge]:
        named = self.spec.judges if self.spec else ()
        chosen = []
        for task in protocol.tasks:
            # Judges that are models cost money: an import starts none of them.
            own = [
                judge
                for judge in named
                if judge.task == task.name and judge.is_local and not judge.is_added
            ]
            name = task.default_judge
            default = Judge(task=task.name, name=name, offline=name)
            chosen += own or ([] if task.is_optional else [default])
            added = self.added.judges if self.added else ()
            chosen += [
                judge
                for judge in added
                if judge.is_added and judge.task == task.name and judge.is_local
                if judge.protocol in (None, protocol.name)
            ]
        return chosen

    def _material(self, path: str) -> str:
        for texts in (self.stored_materials, self.spec.own_texts if self.spec else {}):
            if path in texts:
                return texts[path]
        return rubrics.read(path)


def import_run(store: Path, spec: Spec | None, file: Path) -> ImportRun:
    """What an import into this store goes by.

    Raises StoreMismatch where `spec` is of another run than the store's, or the file no store,
    and UsageError where the store's run has another spec.
    """
    name = spec.name if spec else safe_name(file)
    planned = {target.name for target in spec.targets} if spec else set()
    run = ImportRun(
        name=name,
        spec=spec,
        is_stored=False,
        has_imports=False,
        planned_targets=frozenset(planned),
        stored_materials={},
    )
    return _stored_run(store, run) if stored.exists(store) else run


def _stored_run(store: Path, run: ImportRun) -> ImportRun:
    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            row = connection.execute("SELECT name, spec, spec_path FROM runs").fetchone()
            targets = connection.execute("SELECT name, origin FROM targets").fetchall()
            materials = sources.materials(connection)
    finally:
        connection.close()
    if row is None:
        return run
    name, text, source = row
    if run.spec is not None and run.spec.name != name:
        raise StoreMismatch(
            f"{store} holds the run {name!r}, not {run.name!r}",
            where=str(store),
            hint="give another path with --store",
        )
    if run.spec is not None and run.spec.text != without_added(text):
        raise UsageError(
            f"{run.spec.source} is not the spec that {store} keeps",
            where=run.spec.source,
            hint="leave --spec out: an import goes by the spec of its store",
        )
    spec = parse_spec(
        text,
        spec_place.found(source, store),
        materials_of=lambda protocol: {
            path: materials.get(path) or rubrics.read(path) for path in protocol.materials
        },
        needs_targets=False,
        is_kept=True,
    )
    planned = {target.name for target in spec.targets}
    planned |= {target for target, origin in targets if origin == "planned"}
    is_default = without_added(text) == default_spec(name, spec.protocols)
    return ImportRun(
        name=name,
        spec=None if is_default else spec,
        default_protocols=tuple(spec.protocols) if is_default else (),
        is_stored=True,
        has_imports=any(origin == "imported" for _, origin in targets),
        planned_targets=run.planned_targets | planned,
        stored_materials=materials,
        added=spec if any(judge.is_added for judge in spec.judges) else None,
    )


def default_spec(name: str, protocols_named: Iterable[str]) -> str:
    """The spec of an import without one: every protocol with all its defaults, as TOML."""
    lines = [f"name = {json.dumps(name)}", "seed = 1"]
    known = list(protocols_named)
    if not known:
        lines += ["", "[protocols]"]
    for protocol in known:
        lines += ["", f"[protocols.{json.dumps(protocol)}]"]
        defaults = _default_params(protocol).model_dump(mode="json", exclude_none=True)
        lines += [f"{key} = {_toml(value)}" for key, value in defaults.items()]
    return "\n".join(lines) + "\n"


def safe_name(file: Path) -> str:
    """A name for a run out of a file's: what no file could be called so gives way to dashes."""
    stem = file.name.removesuffix(".gz")
    stem = Path(stem).stem if stem else ""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:_LONGEST_NAME]
    return name or "import"


def _default_params(protocol: str) -> ProtocolParams:
    return protocols.get(protocol).params_type()


def _offline(judge: Judge) -> str:
    return judge.offline or judge.name


def _toml(value: JSON) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
