"""Storing answers that were collected elsewhere: trials of origin `imported`."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence

from auditor.errors import UsageError
from auditor.store.batch import Batch
from auditor.store.plan import agent_id, judge_id
from auditor.store.plan_record import PlannedJudge
from auditor.store.records import AnnotationRow, Imported, ImportedLine, ResponseRow
from auditor.store.succession import succeed

LARGEST_REPETITION = 2**62 - 1
EVERY_REPETITION = LARGEST_REPETITION + 1
"""An imported cell plans whatever was imported into it."""


def add_imported(batch: Batch, record: Imported) -> None:
    """Take a block of lines in. What they add must be new to the store.

    A line may add to the trial of an earlier one, of this block or of another transaction.
    """
    connection = batch.connection
    agent = agent_id(connection, record.agent)
    _add_judges(connection, record.judges)
    for path, text in record.materials.items():
        connection.execute(
            "INSERT OR IGNORE INTO materials VALUES (?, ?)", (path, batch.ids.text(text))
        )
    if record.spec is not None:
        _change_spec(connection, record.spec)
    block = _Block(batch, agent)
    for line in record.lines:
        block.add(line)
    block.count()
    if not record.lines:
        # Every transaction has an event, so that its digest covers what it wrote.
        batch.event(agent, "imported", None)


def _add_judges(connection: sqlite3.Connection, judges: Sequence[PlannedJudge]) -> None:
    for judge in judges:
        agent_id(connection, f"judge:{judge.task}/{judge.label}")
        number = judge_id(connection, judge)
        succeed(connection, number, judge.protocols)
        for protocol in judge.protocols:
            added = connection.execute(
                "INSERT OR IGNORE INTO planned_judges VALUES (?, ?, 'imported')",
                (protocol, number),
            ).rowcount
            if added:
                # It may have sources below its checkpoint.
                connection.execute("DELETE FROM checkpoints WHERE judge_id = ?", (number,))


def _change_spec(connection: sqlite3.Connection, spec: str) -> None:
    connection.execute("UPDATE runs SET spec = ?", (spec,))
    connection.execute(
        "INSERT INTO specs (at, spec, path, versions)"
        " SELECT ?, spec, spec_path, versions FROM runs",
        (time.time(),),
    )


class _Block:
    """Lines of one record: what is still to be written is known here and not yet in the tables."""

    def __init__(self, batch: Batch, agent: int) -> None:
        self._batch = batch
        self._agent = agent
        self._targets: dict[str, int] = {}
        self._simulated: set[str] = set()
        self._judges: dict[bytes, int] = {}
        self._trials: dict[bytes, tuple[int, int]] = {}
        self._sources: dict[tuple[int, int], int] = {}
        self._cells_added: Counter[tuple[str, int]] = Counter()
        self._trials_added: Counter[tuple[str, int]] = Counter()

    def add(self, line: ImportedLine) -> None:
        batch = self._batch
        seq = batch.event(self._agent, "imported", line.number)
        cell = self._cell(line)
        trial, response = self._trial(line, cell, seq)
        for annotation in line.annotations:
            source = response
            if annotation.reads is not None:
                source = self._source(trial, self._judge(annotation.reads))
            judge = self._judge(annotation.judge)
            added = batch.add_annotation(
                self._agent,
                AnnotationRow(
                    judge_id=judge,
                    source=source,
                    trial_id=trial,
                    cell_id=cell,
                    valid=annotation.valid,
                    value=annotation.value,
                    reason=annotation.reason,
                    repeat=annotation.repeat,
                ),
            )
            if annotation.repeat == 0:
                self._sources[trial, judge] = added

    def count(self) -> None:
        """Raise the plan by the cells and trials that were added."""
        self._batch.connection.executemany(
            "INSERT INTO plans VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            " SET cells = cells + excluded.cells, trials = trials + excluded.trials",
            [
                (protocol, target, self._cells_added[protocol, target], trials)
                for (protocol, target), trials in self._trials_added.items()
            ],
        )

    def _trial(self, line: ImportedLine, cell: int, seq: int) -> tuple[int, int]:
        """The line's trial and its response, added if the line brings it."""
        known = self._trials.get(line.trial_key)
        if known is None and line.response is None:
            known = self._batch.connection.execute(
                "SELECT t.id, r.seq FROM trials t JOIN _responses r ON r.trial_id = t.id"
                " WHERE t.cell_id = ? AND t.repetition = ?",
                (cell, line.repetition),
            ).fetchone()
            if known is None:
                raise ValueError("an imported trial needs a response before its annotations")
        if known is not None:
            return known
        answer = line.response
        assert answer is not None
        batch = self._batch
        trial = batch.ids.new_trial(cell, line.repetition, line.trial_key, seq)
        self._trials_added[line.protocol, self._target(line)] += 1
        response = batch.add_response(
            self._agent,
            ResponseRow(
                trial_id=trial,
                cell_id=cell,
                outcome=answer.outcome,
                text=answer.text,
                reasoning=answer.reasoning,
                finish_reason=answer.finish_reason,
                logprobs=answer.logprobs,
            ),
            call_seq=None,
            served_id=batch.ids.served(answer.model, None),
            at=answer.at,
        )
        self._trials[line.trial_key] = (trial, response)
        return trial, response

    def _cell(self, line: ImportedLine) -> int:
        known = self._batch.ids.cell(line.cell_key)
        if known is not None:
            return known
        target = self._target(line)
        self._cells_added[line.protocol, target] += 1
        return self._batch.ids.new_cell(
            key=line.cell_key,
            protocol=line.protocol,
            target_id=target,
            factors=line.factors,
            prompt_id=None,
            params="{}",
            place=0,
            repetitions=EVERY_REPETITION,
            origin="imported",
        )

    def _target(self, line: ImportedLine) -> int:
        known = self._targets.get(line.target)
        if known is None:
            known = self._targets[line.target] = _target_id(self._batch.connection, line.target)
        if line.simulated and line.target not in self._simulated:
            self._simulated.add(line.target)
            _mark_simulated(self._batch.connection, known)
        return known

    def _judge(self, key: bytes) -> int:
        known = self._judges.get(key)
        if known is None:
            (known,) = self._batch.connection.execute(
                "SELECT id FROM judges WHERE hash = ?", (key,)
            ).fetchone()
            self._judges[key] = known
        return known

    def _source(self, trial: int, judge: int) -> int:
        known = self._sources.get((trial, judge))
        if known is None:
            (known,) = self._batch.connection.execute(
                "SELECT a.seq FROM _responses r JOIN _annotations a"
                " ON a.judge_id = ? AND a.source = r.seq AND a.repeat = 0 WHERE r.trial_id = ?",
                (judge, trial),
            ).fetchone()
        return int(known)


def _target_id(connection: sqlite3.Connection, name: str) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO targets (name, settings, origin, simulated)"
        " VALUES (?, '{}', 'imported', 0)",
        (name,),
    )
    number, origin = connection.execute(
        "SELECT id, origin FROM targets WHERE name = ?", (name,)
    ).fetchone()
    if origin != "imported":
        raise UsageError(
            f"the target {name!r} is one of this store's own run",
            hint="give the imported answers another target name",
        )
    return int(number)


def _mark_simulated(connection: sqlite3.Connection, target: int) -> None:
    # A simulated number is never mistaken for a real one, wherever it was computed.
    connection.execute("UPDATE targets SET simulated = 1 WHERE id = ?", (target,))
    connection.execute("UPDATE runs SET simulated = 1")
