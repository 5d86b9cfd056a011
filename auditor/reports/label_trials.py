"""Which trials of a store a label file speaks of, and what its labels say of them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditor import protocols
from auditor.canonical import canonical_json
from auditor.importing.factors import Factors
from auditor.importing.values import Rejected
from auditor.protocols.base import AnyProtocol, Factor, Materials, Task
from auditor.reports.label_values import (
    NotAllowed,
    NotAllowedPart,
    label_of_parts,
    label_value,
    parsed,
)
from auditor.reports.labels import PART_PREFIX, LabelFile, LabelProblem, LabelRow, shown
from auditor.reports.parts import stored_materials
from auditor.types import JSON

_KEY = re.compile(r"[0-9a-f]{32}\Z")
_LONGEST_NAME = 100
_NOT_HERE = "of a trial that this store holds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one person says of one response."""

    trial_id: int
    protocol: str
    task: str
    annotator: str | None
    """None: the file names none."""
    value: str | None
    """Canonical JSON; None: invalid."""
    line: str
    """File and number."""


@dataclass(kw_only=True)
class MatchedLabels:
    """The labels that fit a store, and what became of the others."""

    labels: list[Label] = field(default_factory=list)
    simulated_trials: set[int] = field(default_factory=set)
    repeated: int = 0
    """Lines that say again what an earlier one says."""
    other_tasks: int = 0
    """Lines of tasks that were not asked for."""
    problems: list[LabelProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Trial:
    trial_id: int
    protocol: str
    simulated: bool


class _Unfit(Exception):
    """A line that cannot be taken: field, what is there, what is allowed."""

    def __init__(self, field: str, said: str, allowed: str) -> None:
        super().__init__(field, said, allowed)
        self.field, self.said, self.allowed = field, said, allowed


def match_labels(
    connection: sqlite3.Connection, file: LabelFile, *, task: str | None = None
) -> MatchedLabels:
    """Find the trial of each label, and check that its value is one of its task.

    A trial's key finds it wherever it stands; target and factors find trials that have not been
    superseded. Factors with a default, and those of an alias, may be spelt as at import; without
    a protocol, all protocols of the store that have the task are tried. Of two labels of one
    trial and task by one annotator, the second one is a problem if it says something else.

    `task`: only labels of this task. Nothing is raised for single lines: see `problems`.
    """
    found = MatchedLabels(problems=list(file.problems))
    finder = _Finder(connection, [row.cells["trial"] for row in file.rows if "trial" in row.cells])
    first: dict[tuple[int, str, str | None], Label] = {}
    for row in file.rows:
        if task is not None and row.cells.get("task", task) != task:
            found.other_tasks += 1
            continue
        try:
            label, simulated = _label(finder, row)
        except _Unfit as error:
            found.problems.append(row.problem(error.field, error.said, error.allowed))
            continue
        known = first.setdefault((label.trial_id, label.task, label.annotator), label)
        if known is not label:
            if known.value == label.value:
                found.repeated += 1
            else:
                said = f"value {shown(row.said)} differs from {known.line}"
                allowed = "the same label, or another annotator"
                found.problems.append(row.problem("label", said, allowed))
            continue
        found.labels.append(label)
        if simulated:
            found.simulated_trials.add(label.trial_id)
    return found


def _label(finder: _Finder, row: LabelRow) -> tuple[Label, bool]:
    name = row.cells.get("task")
    if name is None:
        raise _Unfit("task", "missing", ", ".join(finder.tasks()))
    annotator = row.cells.get("annotator")
    if annotator is not None and (len(annotator) > _LONGEST_NAME or not annotator.isprintable()):
        allowed = f"a name that can be shown, at most {_LONGEST_NAME} characters"
        raise _Unfit("annotator", f"value {shown(annotator)}", allowed)
    trial = finder.trial(row, name)
    protocol = protocols.get(trial.protocol)
    task = _task(protocol, name)
    if task is None:
        allowed = ", ".join(known.name for known in protocol.tasks)
        raise _Unfit("task", f"value {shown(name)}", allowed)
    value = _value(finder, row, protocol, task)
    label = Label(
        trial_id=trial.trial_id,
        protocol=trial.protocol,
        task=name,
        annotator=annotator,
        value=value,
        line=f"{row.file}:{row.line}",
    )
    return label, trial.simulated


def _value(finder: _Finder, row: LabelRow, protocol: AnyProtocol, task: Task) -> str | None:
    """The label, from its one cell or from the cells of its parts. Raises _Unfit."""
    cell = row.cells.get("label")
    settings: dict[str, Any] = {
        "materials": finder.materials(protocol),
        "decimal_comma": row.decimal_comma,
    }
    if cell is not None and row.parts:
        name = next(iter(row.parts))
        said = f"value {shown(cell)} beside {shown(PART_PREFIX + name)}"
        raise _Unfit("label", said, "one of the two")
    try:
        if cell is not None:
            return label_value(protocol, task, cell, **settings)
        return label_of_parts(protocol, task, row.parts, **settings)
    except NotAllowedPart as error:
        said = f"value {shown(row.parts[error.part])}"
        raise _Unfit(PART_PREFIX + error.part, said, error.allowed) from None
    except NotAllowed as error:
        raise _Unfit("label", f"value {shown(cell or '')}", error.allowed) from None


class _Finder:
    """Finds the trials of a store by key, or by target and factors."""

    def __init__(self, connection: sqlite3.Connection, keys: Sequence[str]) -> None:
        self._connection = connection
        self._by_key = _trials_by_key(connection, keys)
        self._materials: dict[str, Materials] = {}
        self._protocols = [
            protocols.get(name)
            for (name,) in connection.execute("SELECT DISTINCT protocol FROM cells ORDER BY 1")
        ]
        self._factors: dict[str, tuple[Sequence[Factor], Factors]] = {}
        self._targets = {name for (name,) in connection.execute("SELECT name FROM targets")}

    def tasks(self) -> list[str]:
        """Tasks that a label may be of."""
        return sorted({task.name for protocol in self._protocols for task in protocol.tasks})

    def materials(self, protocol: AnyProtocol) -> Materials:
        """The rubric files that a protocol goes by in this store."""
        if protocol.name not in self._materials:
            self._materials[protocol.name] = stored_materials(self._connection, protocol)
        return self._materials[protocol.name]

    def trial(self, row: LabelRow, task: str) -> _Trial:
        """The trial that a line speaks of. Raises _Unfit."""
        key = row.cells.get("trial")
        if key is None:
            return self._by_factors(row, task)
        if not _KEY.match(key.lower()):
            raise _Unfit("trial", f"value {shown(key)}", "32 digits 0-9 a-f, a trial's key")
        trial = self._by_key.get(key.lower())
        if trial is None:
            raise _Unfit(
                "trial", f"value {shown(key)} is not in this store", f"the key {_NOT_HERE}"
            )
        return trial

    def _by_factors(self, row: LabelRow, task: str) -> _Trial:
        target = row.cells.get("target")
        if target is None:
            raise _Unfit("trial", "missing", "a trial's key, or target, repetition and the factors")
        if target not in self._targets:
            allowed = ", ".join(sorted(self._targets))
            raise _Unfit("target", f"value {shown(target)} is not in this store", allowed)
        repetition = _repetition(row)
        found: list[_Trial] = []
        rejections: list[Rejected] = []
        for protocol in self._candidates(row, task):
            try:
                factors = self._levels(protocol, row)
            except Rejected as error:
                rejections.append(error)
                continue
            trial = self._stored(protocol.name, target, factors, repetition)
            found += [] if trial is None else [trial]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(trial.protocol for trial in found)
            raise _Unfit("protocol", "missing, and several have such a trial", names)
        if len(rejections) == 1:
            unfit = rejections[0]
            raise _Unfit(unfit.field.removeprefix("factors."), unfit.said, unfit.allowed)
        words = ", ".join(f"{name} {level}" for name, level in row.levels.items())
        said = f"value {shown(f'{target}, {words}, repetition {repetition}')} is not in this store"
        raise _Unfit("trial", said, f"target, factors and repetition {_NOT_HERE}")

    def _candidates(self, row: LabelRow, task: str) -> list[AnyProtocol]:
        name = row.cells.get("protocol")
        if name is not None:
            named = [protocol for protocol in self._protocols if protocol.name == name]
            if not named:
                allowed = ", ".join(protocol.name for protocol in self._protocols)
                raise _Unfit("protocol", f"value {shown(name)} is not in this store", allowed)
            return named
        having = [protocol for protocol in self._protocols if _task(protocol, task)]
        if not having:
            raise _Unfit("task", f"value {shown(task)}", ", ".join(self.tasks()))
        return having

    def _levels(self, protocol: AnyProtocol, row: LabelRow) -> str:
        """The line's factors in canonical JSON. Raises Rejected."""
        if protocol.name not in self._factors:
            known = protocol.factors(self.materials(protocol))
            self._factors[protocol.name] = known, Factors(known)
        factors, resolver = self._factors[protocol.name]
        given = {
            factor.name: _level(factor, row.levels[factor.name], row.decimal_comma)
            for factor in factors
            if factor.name in row.levels
        }
        return canonical_json(resolver.resolved(given))

    def _stored(self, protocol: str, target: str, factors: str, repetition: int) -> _Trial | None:
        row = self._connection.execute(
            "SELECT t.id, g.simulated FROM targets g JOIN cells c ON c.target_id = g.id"
            " AND c.protocol = ? AND c.factors = ? AND c.superseded = 0"
            " JOIN trials t ON t.cell_id = c.id AND t.repetition = ? WHERE g.name = ?",
            (protocol, factors, repetition, target),
        ).fetchone()
        return None if row is None else _Trial(int(row[0]), protocol, bool(row[1]))


def _trials_by_key(connection: sqlite3.Connection, keys: Sequence[str]) -> Mapping[str, _Trial]:
    wanted = sorted({key.lower() for key in keys})
    if not wanted:
        return {}
    rows = connection.execute(
        "SELECT lower(hex(t.key)), t.id, c.protocol, g.simulated FROM trials t"
        " JOIN cells c ON c.id = t.cell_id JOIN targets g ON g.id = c.target_id"
        " WHERE lower(hex(t.key)) IN (SELECT value FROM json_each(?))",
        (json.dumps(wanted),),
    )
    return {key: _Trial(number, name, bool(simulated)) for key, number, name, simulated in rows}


def _task(protocol: AnyProtocol, name: str) -> Task | None:
    return next((task for task in protocol.tasks if task.name == name), None)


def _repetition(row: LabelRow) -> int:
    cell = row.cells.get("repetition")
    if cell is None:
        raise _Unfit("repetition", "missing", "a whole number from 0")
    # ASCII digits: others pass `isdigit` and mean something else elsewhere.
    if not re.fullmatch(r"[0-9]{1,18}", cell):
        raise _Unfit("repetition", f"value {shown(cell)}", "a whole number from 0")
    return int(cell)


def _level(factor: Factor, cell: str, decimal_comma: bool) -> JSON:
    """A factor's level as a cell spells it: CSV knows no types."""
    number = parsed(cell.replace(",", ".") if decimal_comma else cell)
    if factor.levels is not None:
        spelt = {
            level if isinstance(level, str) else canonical_json(level): level
            for level in factor.levels
        }
        by_value = None if number is None else spelt.get(canonical_json(number))
        return spelt.get(cell, cell if by_value is None else by_value)
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return number if factor.kind == "number" and is_number else cell
