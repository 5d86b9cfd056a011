"""`show`: single answers of a store, with what was asked and how they were judged."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.store.texts import read_text
from auditor.types import JSON, Message, Outcome

_KEY = re.compile(r"[0-9a-f]{4,32}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnnotation:
    """What one judge says of an answer."""

    task: str
    judge: str
    valid: bool
    value: JSON
    reason: str | None
    repeat: int

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        names = ("task", "judge", "valid", "value", "reason", "repeat")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One response with all that belongs to it."""

    trial: str
    """The trial's key, in hexadecimal digits."""
    protocol: str
    target: str
    factors: Mapping[str, JSON]
    repetition: int
    outcome: Outcome
    text: str | None
    reasoning: str | None
    model: str | None
    """What the endpoint says it served."""
    origin: str
    simulated: bool
    messages: tuple[Message, ...]
    """What was asked; empty where that is not known, as of imported answers."""
    annotations: tuple[ShownAnnotation, ...]

    def as_json(self) -> dict[str, JSON]:
        """The fields by name, as `show --json` prints them."""
        return {
            "trial": self.trial,
            "protocol": self.protocol,
            "target": self.target,
            "factors": dict(self.factors),
            "repetition": self.repetition,
            "outcome": str(self.outcome),
            "text": self.text,
            "reasoning": self.reasoning,
            "model": self.model,
            "origin": self.origin,
            "simulated": self.simulated,
            "messages": [message.as_json() for message in self.messages],
            "annotations": [annotation.as_json() for annotation in self.annotations],
        }


def answers(
    connection: sqlite3.Connection,
    *,
    protocol: str | None = None,
    target: str | None = None,
    task: str | None = None,
    value: str | None = None,
    invalid: bool = False,
    refused: bool = False,
    outcome: str | None = None,
    trial: str | None = None,
    n: int | None = None,
) -> Iterator[Answer]:
    """Answers of the plan in force that meet all conditions, in the order of their arrival.

    Args:
        connection: a reader of the store.
        protocol: answers to this protocol's trials.
        target: answers of this target.
        task: answers with an annotation of this task.
        value: with an annotation (of `task`) of this value: a text as it is, else JSON.
        invalid: counted as invalid: an invalid annotation (of `task`), no text, or cut at the
            token limit without a valid annotation.
        refused: refused by the endpoint, filtered, or annotated as a refusal.
        outcome: with this outcome.
        trial: whose trial's key begins with these hexadecimal digits, in the plan or not.
        n: so many at most.

    Raises UsageError for names that the store does not know, and for a value that it does not hold
    and that the task cannot take, before the first answer.
    """
    _check_names(connection, protocol=protocol, target=target, task=task)
    if value is not None:
        if task is None:
            raise UsageError("value: needs a task", hint="name it with --task")
        _check_value(connection, protocol, task, value)
    if outcome is not None and outcome not in [str(known) for known in Outcome]:
        raise UsageError(f"outcome: value {outcome!r}; allowed: {', '.join(Outcome)}")
    if trial is not None and not _KEY.match(trial):
        raise UsageError(f"trial: value {trial!r}; allowed: 4 to 32 digits 0-9 a-f of its key")
    conditions: list[tuple[str, tuple[object, ...]]] = [
        ("c.protocol = ?", (protocol,)) if protocol else _NONE,
        ("g.name = ?", (target,)) if target else _NONE,
        ("x.outcome = ?", (outcome,)) if outcome else _NONE,
        ("lower(hex(t.key)) LIKE ? || '%'", (trial,)) if trial else _IN_PLAN,
        (f"t.id IN ({_TRIALS} AND j.task = ?)", (task,)) if task else _NONE,
        _with_value(task, value) if value is not None else _NONE,
        _counted_as_invalid(task) if invalid else _NONE,
        _REFUSED if refused else _NONE,
    ]
    return _answers(connection, conditions, -1 if n is None else min(n, _MOST))


_MOST = 2**63 - 1
"""The largest whole number of SQLite."""
_PROTOCOLS = "SELECT DISTINCT protocol FROM plans UNION SELECT DISTINCT protocol FROM cells"
_NONE: tuple[str, tuple[object, ...]] = ("1", ())
_IN_PLAN = ("c.superseded = 0 AND t.repetition < c.repetitions", ())
_TRIALS = "SELECT a.trial_id FROM _annotations a JOIN judges j ON j.id = a.judge_id WHERE 1"
_REFUSED = (
    f"(x.outcome IN ('refused', 'filtered') OR t.id IN ({_TRIALS} AND a.value = '\"refusal\"'))",
    (),
)


def _with_value(task: str | None, value: str) -> tuple[str, tuple[object, ...]]:
    spellings = [canonical_json(meant) for meant in _meanings(value)]
    return f"t.id IN ({_TRIALS} AND j.task = ? AND a.value IN (?, ?))", (task, *spellings)


def _meanings(value: str) -> tuple[JSON, JSON]:
    """A text as it is, and as the JSON that it may be."""
    try:
        meant = json.loads(value)
        canonical_json(meant)
    except (ValueError, RecursionError):
        return value, value
    return value, meant


def _check_value(
    connection: sqlite3.Connection, protocol: str | None, task: str, value: str
) -> None:
    """Raise UsageError where no annotation of the task has this value, and none could have it."""
    import rubrics
    from auditor import protocols
    from auditor.reports.label_values import allowed_instead
    from auditor.store.sources import materials

    names = [protocol] if protocol else [row[0] for row in connection.execute(_PROTOCOLS)]
    texts = materials(connection)
    allowed: dict[str, str] = {}
    for name in names:
        try:
            known = protocols.get(name)
        except UsageError:  # of an outside package that is not here
            return
        if all(each.name != task for each in known.tasks):
            continue
        own = {path: texts.get(path) or rubrics.read(path) for path in known.materials}
        for meant in _meanings(value):
            instead = allowed_instead(known, task, meant, own)
            if instead is None:
                return
            allowed.setdefault(instead, name)
    condition, parameters = _with_value(task, value)
    query = f"SELECT 1 FROM trials t WHERE {condition} LIMIT 1"
    if not allowed or connection.execute(query, parameters).fetchone():
        return
    said = [text if len(allowed) == 1 else f"{name}: {text}" for text, name in allowed.items()]
    raise UsageError(f"value: {value!r} is no value of the task {task}; allowed: {'; '.join(said)}")


def _counted_as_invalid(task: str | None) -> tuple[str, tuple[object, ...]]:
    of_task, names = (" AND j.task = ?", (task,)) if task else ("", ())
    return (
        f"(x.outcome = 'empty' OR t.id IN ({_TRIALS} AND NOT a.valid{of_task})"
        f" OR x.outcome = 'truncated' AND t.id NOT IN ({_TRIALS} AND a.valid{of_task}))",
        (*names, *names),
    )


def _answers(
    connection: sqlite3.Connection,
    conditions: Iterable[tuple[str, tuple[object, ...]]],
    limit: int,
) -> Iterator[Answer]:
    where = " AND ".join(condition for condition, _ in conditions)
    parameters = [value for _, values in conditions for value in values]
    rows = connection.execute(
        "SELECT x.seq, lower(hex(t.key)), c.protocol, g.name, c.factors, t.repetition, x.outcome,"
        " body.text, thought.text, s.model, c.origin, g.simulated, asked.text"
        " FROM _responses x JOIN trials t ON t.id = x.trial_id JOIN cells c ON c.id = t.cell_id"
        " JOIN targets g ON g.id = c.target_id"
        " LEFT JOIN texts body ON body.id = x.text_id"
        " LEFT JOIN texts thought ON thought.id = x.reasoning_id"
        " LEFT JOIN texts asked ON asked.id = c.prompt_id"
        " LEFT JOIN _calls k ON k.seq = x.call_seq"
        " LEFT JOIN served s ON s.id = coalesce(k.served_id, x.served_id)"
        f" WHERE {where} ORDER BY x.seq LIMIT ?",
        (*parameters, limit),
    )
    for seq, key, protocol, target, factors, repetition, outcome, *rest in rows:
        text, reasoning, model, origin, simulated, asked = rest
        yield Answer(
            trial=key,
            protocol=protocol,
            target=target,
            factors=json.loads(factors),
            repetition=repetition,
            outcome=Outcome(outcome),
            text=read_text(text),
            reasoning=read_text(reasoning),
            model=model,
            origin=origin,
            simulated=bool(simulated),
            messages=tuple(Message(**m) for m in json.loads(read_text(asked) or "[]")),
            annotations=tuple(_annotations(connection, seq)),
        )


_ANNOTATIONS = """
    WITH RECURSIVE about (seq) AS (
        SELECT ?
        UNION
        SELECT a.seq FROM about CROSS JOIN judges j
        CROSS JOIN _annotations a ON a.judge_id = j.id AND a.source = about.seq)
    SELECT j.task, j.name, a.valid, a.value, a.reason, a.repeat
    FROM about JOIN _annotations a ON a.seq = about.seq JOIN judges j ON j.id = a.judge_id
    ORDER BY a.seq"""


def _annotations(connection: sqlite3.Connection, response: int) -> Iterator[ShownAnnotation]:
    """What is said of a response, and of what is said of it."""
    for task, judge, valid, value, reason, repeat in connection.execute(_ANNOTATIONS, (response,)):
        yield ShownAnnotation(
            task=task,
            judge=judge,
            valid=bool(valid),
            value=None if value is None else json.loads(value),
            reason=reason,
            repeat=repeat,
        )


def _check_names(connection: sqlite3.Connection, **wanted: str | None) -> None:
    known = {
        "protocol": _PROTOCOLS,
        "target": "SELECT name FROM targets",
        "task": "SELECT DISTINCT task FROM judges",
    }
    for name, value in wanted.items():
        if value is None:
            continue
        found = [row[0] for row in connection.execute(known[name])]
        if value not in found:
            allowed = ", ".join(sorted(found)) or "none yet"
            raise UsageError(f"{name}: value {value!r} is not in this store; allowed: {allowed}")
