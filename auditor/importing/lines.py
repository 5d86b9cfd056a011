"""What one line of an import means: a trial, its answer, a judgement. Or why it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from auditor import protocols
from auditor.canonical import canonical_json, digest16
from auditor.errors import UsageError
from auditor.importing import fields as checks
from auditor.importing.factors import Factors
from auditor.importing.source import LONGEST_LINE
from auditor.importing.values import Rejected, read_object, shown
from auditor.protocols.additions import is_factor_checker, is_value_checker
from auditor.protocols.base import AnyProtocol, Materials, Task
from auditor.store.plan_record import PlannedJudge
from auditor.store.records import ImportedAnnotation, ImportedLine
from auditor.types import JSON, imported_cell_key, imported_judge_key

RESPONSE = "response"
"""What an annotation of a response says that it reads."""

_LINE_FIELDS = frozenset(
    (
        *("protocol", "target", "factors", "repetition", "text", "annotation", "outcome"),
        *("logprobs", "model", "at", "reasoning", "finish_reason", "simulated"),
    )
)
_EXPORTED_FIELDS = frozenset(("trial", "origin", "in_plan", "call", "fingerprint", "raw"))
"""Written by `export`, and made anew by the store that takes the line."""
_ANNOTATION_FIELDS = frozenset(
    ("task", "judge", "value", "valid", "reason", "setting", "repeat", "source")
)
_REMEMBERED_CELLS = 10_000

Cell = tuple[str, bytes, dict[str, JSON]]
"""Factors in canonical JSON, key, factors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLine:
    """A line that fits, with what it needs to be stored."""

    line: ImportedLine
    """With a response in any case; see `brings_answer`."""
    brings_answer: bool
    """Whether the line says anything of the response; else it is one without text."""
    task: str | None
    """Task of its annotation."""
    judge: PlannedJudge | None
    unknown_fields: Collection[str]
    """Fields that mean nothing here and were passed over."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which lines are wanted, by protocol and by target; None: all."""

    protocols: frozenset[str] | None = None
    targets: frozenset[str] | None = None

    @classmethod
    def of(cls, only: Collection[str] | None) -> Selection:
        """What `--only` names: protocols, and whatever is no protocol is a target."""
        chosen = set(only or ())
        known = chosen & set(protocols.names())
        return cls(protocols=frozenset(known) or None, targets=frozenset(chosen - known) or None)

    def takes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a line is wanted. An export also holds trials that have left its plan."""
        protocol, target = fields.get("protocol"), fields.get("target")
        return (
            (self.protocols is None or (isinstance(protocol, str) and protocol in self.protocols))
            and (self.targets is None or (isinstance(target, str) and target in self.targets))
            and fields.get("in_plan") is not False
        )


class LineReader:
    """Reads lines one by one, against the protocols that they name."""

    def __init__(
        self,
        *,
        selection: Selection,
        planned_targets: Collection[str],
        materials_of: Callable[[AnyProtocol], Materials],
    ) -> None:
        self._selection = selection
        self._planned = frozenset(planned_targets)
        self._materials_of = materials_of
        self._materials: dict[str, Materials] = {}
        self._factors: dict[str, Factors] = {}
        self._cells: dict[Any, Cell] = {}
        self._judges: dict[tuple[str, str, str, str | None], PlannedJudge] = {}

    def read(self, number: int, raw: bytes | None) -> CheckedLine | None:
        """A line as it is to be stored; None where it is not wanted.

        Raises Rejected where it does not fit, and UsageError where its target is one that the
        store's own run plans.
        """
        fields = self.wanted(raw)
        if fields is None:
            return None
        try:
            return self._checked(number, fields)
        except RecursionError:
            raise Rejected("line", "nested too deeply", "a JSON object") from None

    def wanted(self, raw: bytes | None) -> dict[str, Any] | None:
        """The fields of a line, None where it is not wanted. Raises as `read` does."""
        if raw is None:
            raise Rejected("line", "too long", f"at most {LONGEST_LINE // 2**20} MiB")
        fields = read_object(raw)
        if not self._selection.takes(fields):
            return None
        target = fields.get("target")
        if isinstance(target, str) and target in self._planned:
            raise UsageError(
                f"target: value {shown(target)}; allowed: a name that the store's own spec does"
                " not plan",
                hint="give the imported answers another target name, or import into another store",
            )
        return fields

    def _checked(self, number: int, fields: dict[str, Any]) -> CheckedLine:
        protocol = self._protocol(fields)
        target = checks.name(fields, "target")
        factors, cell_key, levels = self._cell(protocol, target, fields.get("factors"))
        repetition = checks.count(fields, "repetition")
        answer = checks.response(fields)
        brings_answer = (
            answer.text is not None
            or answer.logprobs is not None
            or fields.get("outcome") is not None
        )
        annotation, path, unknown = _annotation_fields(fields)
        judged, judge = None, None
        if annotation is not None:
            judged, judge = self._annotation(protocol, annotation, path)
        elif not brings_answer:
            raise Rejected("text", "missing", "a text, an annotation, or both")
        line = ImportedLine(
            number=number,
            protocol=protocol.name,
            target=target,
            simulated=checks.flag(fields, "simulated", default=False),
            factors=factors,
            repetition=repetition,
            cell_key=cell_key,
            trial_key=digest16(["imported", protocol.name, target, levels, repetition]),
            response=answer,
            annotations=() if judged is None else (judged,),
        )
        return CheckedLine(
            line=line,
            brings_answer=brings_answer,
            task=None if judge is None else judge.task,
            judge=judge,
            unknown_fields=unknown,
        )

    def _protocol(self, fields: Mapping[str, Any]) -> AnyProtocol:
        value = fields.get("protocol")
        allowed = ", ".join(protocols.names())
        if value is None:
            raise Rejected("protocol", "missing", allowed)
        if not isinstance(value, str) or value not in protocols.names():
            raise Rejected("protocol", f"value {shown(value)}", allowed)
        return protocols.get(value)

    def _cell(self, protocol: AnyProtocol, target: str, given: Any) -> Cell:
        key = _spelling(protocol.name, target, given)
        known = self._cells.get(key) if key is not None else None
        if known is not None:
            return known
        if protocol.name not in self._factors:
            materials = self._materials_of(protocol)
            self._factors[protocol.name] = Factors(protocol.factors(materials))
        levels = self._factors[protocol.name].resolved(given)
        if is_factor_checker(protocol) and (wrong := protocol.check_factors(levels)) is not None:
            factor, allowed = wrong
            raise Rejected(f"factors.{factor}", f"value {shown(levels[factor])}", allowed)
        cell = (
            canonical_json(levels),
            imported_cell_key(protocol.name, target, levels),
            levels,
        )
        if key is not None:
            if len(self._cells) >= _REMEMBERED_CELLS:
                self._cells.clear()
            self._cells[key] = cell
        return cell

    def _annotation(
        self, protocol: AnyProtocol, fields: Mapping[str, Any], path: str
    ) -> tuple[ImportedAnnotation, PlannedJudge]:
        tasks = {task.name: task for task in protocol.tasks}
        given = fields.get("task")
        if given is None:
            raise Rejected(path + "task", "missing", ", ".join(tasks))
        if not isinstance(given, str) or given not in tasks:
            raise Rejected(path + "task", f"value {shown(given)}", ", ".join(tasks))
        judge = self._judge(
            protocol.name,
            tasks[given],
            checks.name(fields, "judge", path),
            checks.optional_name(fields, "setting", path),
        )
        valid = checks.flag(fields, "valid", path, default=True)
        value = None
        if valid:
            if "value" not in fields:
                raise Rejected(path + "value", "missing", "a value, or valid: false")
            allowed = self._allowed(protocol, given, fields["value"])
            if allowed is not None:
                raise Rejected(path + "value", f"value {shown(fields['value'])}", allowed)
            value = checks.annotation_value(fields["value"], path)
        elif fields.get("value") is not None:
            raise Rejected(path + "value", f"value {shown(fields['value'])}", "none: it is invalid")
        annotation = ImportedAnnotation(
            judge=judge.hash,
            valid=valid,
            value=value,
            reason=checks.reason(fields, path),
            repeat=checks.count(fields, "repeat", path, default=0),
            reads=_read_judge(fields.get("source"), tasks[given].reads, path),
        )
        return annotation, judge

    def _allowed(self, protocol: AnyProtocol, task: str, value: JSON) -> str | None:
        """None for a value that the task may take in this run, else what is allowed."""
        name = protocol.name
        if not is_value_checker(protocol):
            return protocol.check_value(task, value)
        return protocol.check_value_by(task, value, self._materials_by_name(name))

    def _materials_by_name(self, name: str) -> Materials:
        if name not in self._materials:
            self._materials[name] = self._materials_of(protocols.get(name))
        return self._materials[name]

    def _judge(self, protocol: str, task: Task, name: str, setting: str | None) -> PlannedJudge:
        key = (protocol, task.name, name, setting)
        if key not in self._judges:
            self._judges[key] = imported_judge(protocol, task, name, setting)
        return self._judges[key]


def imported_judge(protocol: str, task: Task, name: str, setting: str | None) -> PlannedJudge:
    """A judge that is known by its name alone: names that are equal are the same judge."""
    configuration: dict[str, JSON] = {"imported": True, "task": task.name, "judge": name}
    if setting is not None:
        configuration["setting"] = setting
    return PlannedJudge(
        task=task.name,
        name=name,
        hash=imported_judge_key(task.name, name, setting),
        configuration=configuration,
        protocols=(protocol,),
        reads=task.reads,
        labels=task.labels,
    )


def _annotation_fields(
    fields: Mapping[str, Any],
) -> tuple[Mapping[str, Any] | None, str, list[str]]:
    """The annotation's fields, what messages put before their names, and fields of no meaning.

    An annotation stands in an object of its own, or, as `export` writes it, in the line itself.
    """
    annotation = fields.get("annotation")
    if annotation is None:
        known = _LINE_FIELDS | _EXPORTED_FIELDS
        if fields.get("task") is None:
            return None, "", [name for name in fields if name not in known]
        known |= _ANNOTATION_FIELDS
        return fields, "", [name for name in fields if name not in known]
    if not isinstance(annotation, dict):
        raise Rejected(
            "annotation", f"value {shown(annotation)}", "an object with task, judge and value"
        )
    unknown = [name for name in fields if name not in _LINE_FIELDS | _EXPORTED_FIELDS]
    unknown += [f"annotation.{name}" for name in annotation if name not in _ANNOTATION_FIELDS]
    return annotation, "annotation.", unknown


def _read_judge(source: Any, reads: str | None, path: str) -> bytes | None:
    """The hash of the judge whose annotation is read; None where the response is."""
    if source is None or source == RESPONSE:
        return None
    allowed = f'"{RESPONSE}"' if reads is None else f'"{RESPONSE}" or "{reads}/JUDGE"'
    task, _, judge = source.partition("/") if isinstance(source, str) else ("", "", "")
    if reads is None or task != reads or not judge:
        raise Rejected(path + "source", f"value {shown(source)}", allowed)
    return imported_judge_key(task, judge, None)


def _spelling(protocol: str, target: str, given: Any) -> Any:
    """How a line spells its cell; equal spellings need to be read once. None: not to be kept."""
    if not isinstance(given, dict):
        return None
    # Python holds 1, 1.0 and true for equal; levels do not.
    spelling = (protocol, target, tuple((k, type(v), v) for k, v in given.items()))
    try:
        hash(spelling)
    except TypeError:
        return None
    return spelling
