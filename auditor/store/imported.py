"""Storing answers that were collected elsewhere: trials of origin `imported`."""

from __future__ import annotations

from auditor.store.batch import Batch
from auditor.store.records import AnnotationRow, Imported, ImportedTrial, ResponseRow

EVERY_REPETITION = 2**62
"""An imported cell plans whatever was imported into it."""


def add_imported(batch: Batch, record: Imported) -> None:
    """Take a block of lines in, at most one for each trial; a stored response is left as it is."""
    for line in record.lines:
        _add_line(batch, record.agent_id, line)


def _add_line(batch: Batch, agent_id: int, line: ImportedTrial) -> None:
    connection = batch.connection
    cell_id = _cell(batch, line)
    row = connection.execute(
        "SELECT t.id, r.seq FROM trials t LEFT JOIN _responses r ON r.trial_id = t.id"
        " WHERE t.cell_id = ? AND t.repetition = ?",
        (cell_id, line.repetition),
    ).fetchone()
    if row is None:
        seq = batch.event(agent_id, "imported", None)
        trial_id = batch.new_trial(cell_id, line.repetition, line.trial_key, seq)
        response = None
    else:
        trial_id, response = row
    if response is None:
        if line.response is None:
            raise ValueError("an imported trial needs a response before its annotations")
        outcome, text, logprobs = line.response
        response = batch.add_response(
            agent_id,
            ResponseRow(
                trial_id=trial_id, cell_id=cell_id, outcome=outcome, text=text, logprobs=logprobs
            ),
            call_seq=None,
            served_id=batch.served_id(line.model, None),
            at=line.at,
        )
    for judge_id, valid, value, label, reason, repeat in line.annotations:
        batch.add_annotation(
            agent_id,
            AnnotationRow(
                judge_id=judge_id,
                source=response,
                trial_id=trial_id,
                cell_id=cell_id,
                valid=valid,
                value=value,
                label=label,
                reason=reason,
                repeat=repeat,
            ),
        )


def _cell(batch: Batch, line: ImportedTrial) -> int:
    known = batch.cell_id_of(line.cell_key)
    if known is not None:
        return known
    return batch.new_cell(
        key=line.cell_key,
        protocol=line.protocol,
        target_id=line.target_id,
        factors=line.factors,
        prompt_id=None,
        params="{}",
        place=0,
        repetitions=EVERY_REPETITION,
        origin="imported",
    )
