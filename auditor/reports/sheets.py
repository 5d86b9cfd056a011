"""The files of a sample: a blind sheet for each annotator, and one to reconcile them."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.draws import draw_integer
from auditor.reports.fresh_files import fresh_files
from auditor.reports.label_values import INVALID
from auditor.reports.labels import COLUMNS, FACTOR_PREFIX, RECONCILED
from auditor.reports.raters import judge_raters, judge_ratings
from auditor.reports.sampling import Sample
from auditor.reports.scales import Said
from auditor.reports.spreadsheet import LONGEST_CELL, inert
from auditor.reports.strata import level_text
from auditor.store.batch import read_text
from auditor.types import JSON

RECONCILE = "reconcile.csv"

_BLIND = ("trial", "task", "question", "text", "allowed", "label", "annotator", "remark")
_LOSS = ", and they may hold labels"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    """What was written."""

    folder: Path
    files: tuple[str, ...]
    rows: int
    """Lines of each."""
    too_long: int
    """Texts that a spreadsheet's cell does not hold; the files do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    trial_id: int
    key: bytes
    target: str
    factors: Mapping[str, JSON]
    repetition: int
    question: str
    text: str
    simulated: bool


def write_sheets(
    connection: sqlite3.Connection,
    sample: Sample,
    folder: Path,
    *,
    annotators: int = 2,
    force: bool = False,
) -> Sheets:
    """Write `annotator-1.csv` and so on, and `reconcile.csv`.

    A blind sheet holds the question (the prompt; where it is not known, the factors), the whole
    text, what labels are allowed and an empty column `label`, and neither target nor any judge's
    word; its rows are in an order of its own. The other columns are those that `validate` reads.
    The sheet to reconcile is in the order of the draw; it also has target, factors, an empty column
    for each annotator and one with each judge's annotation, and what is entered in its `label`
    stands above single annotators' labels.

    UTF-8 with a byte order mark, so that spreadsheets show other scripts. Nothing in a text acts
    there (see `spreadsheet.inert`). The same sample gives the same bytes. Files appear when all are
    complete; raises UsageError where one of them is there and `force` is not set.
    """
    names = [f"annotator-{number}" for number in range(1, annotators + 1)]
    files = [*(f"{name}.csv" for name in names), RECONCILE]
    answers = list(_answers(connection, sample.trials))
    allowed = _allowed(sample)
    with fresh_files(folder, files, force=force, loss=_LOSS) as paths:
        for name in names:
            stream = f"sheet/{sample.protocol.name}/{sample.task.name}/{name}"
            shuffled = sorted(answers, key=lambda a: draw_integer(sample.seed, stream, a.key))
            rows = (_blind_row(answer, sample, allowed, name) for answer in shuffled)
            _write(paths[f"{name}.csv"], _BLIND, rows)
        _write_reconcile(paths[RECONCILE], connection, sample, answers, names, allowed)
    return Sheets(
        folder=folder,
        files=tuple(files),
        rows=len(answers),
        too_long=sum(len(answer.text) > LONGEST_CELL for answer in answers),
    )


def _blind_row(answer: _Answer, sample: Sample, allowed: str, annotator: str) -> list[str]:
    cells = {
        "trial": answer.key.hex(),
        "task": sample.task.name,
        "question": answer.question,
        "text": answer.text,
        "allowed": allowed,
        "annotator": annotator,
    }
    return [cells.get(column, "") for column in _BLIND]


def _write_reconcile(
    path: Path,
    connection: sqlite3.Connection,
    sample: Sample,
    answers: Sequence[_Answer],
    annotators: Sequence[str],
    allowed: str,
) -> None:
    judges = judge_raters(connection, sample.protocol.name, sample.task)
    verdicts = {
        f"judge {judge.name}": judge_ratings(connection, judge, sample.trials) for judge in judges
    }
    factors = list(dict.fromkeys(name for answer in answers for name in answer.factors))
    fixed = ("trial", "protocol", "target", "repetition", "task", "simulated", "question", "text")
    taken = {*COLUMNS, *fixed, "allowed", "remark"}
    spelt = {name: f"{FACTOR_PREFIX}{name}" if name in taken else name for name in factors}
    columns = (
        *fixed[:3], *spelt.values(), *fixed[3:], *verdicts, *annotators,
        "allowed", "label", "annotator", "remark",
    )  # fmt: skip

    def row(answer: _Answer) -> list[str]:
        cells = {
            "trial": answer.key.hex(),
            "protocol": sample.protocol.name,
            "target": answer.target,
            "repetition": str(answer.repetition),
            "task": sample.task.name,
            "simulated": "true" if answer.simulated else "false",
            "question": answer.question,
            "text": answer.text,
            "allowed": allowed,
            "annotator": RECONCILED,
        }
        cells |= {spelt[name]: level_text(level) for name, level in answer.factors.items()}
        for column, ratings in verdicts.items():
            if answer.trial_id in ratings:
                cells[column] = _verdict(ratings[answer.trial_id])
        return [cells.get(column, "") for column in columns]

    _write(path, columns, map(row, answers))


def _write(path: Path, columns: Sequence[str], rows: Iterator[list[str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([inert(column) for column in columns])
        for row in rows:
            out.writerow([inert(cell) for cell in row])


def _verdict(said: Said) -> str:
    return INVALID if said is None else level_text(json.loads(said))


def _allowed(sample: Sample) -> str:
    """What may be entered as a label, in words."""
    words = [] if sample.task.has_numbers else list(sample.task.labels)
    if not words:
        # No task takes this value, so that the protocol says what it takes.
        said = sample.protocol.check_value(sample.task.name, {"": None})
        words = [said] if said else []
    return " | ".join([*words, INVALID])


def _answers(connection: sqlite3.Connection, trials: Sequence[int]) -> Iterator[_Answer]:
    """The answers to these trials, in their order."""
    for start in range(0, len(trials), _AT_ONCE):
        block = trials[start : start + _AT_ONCE]
        rows = connection.execute(
            "SELECT t.id, t.key, g.name, c.factors, t.repetition, asked.text, body.text,"
            " g.simulated FROM trials t JOIN cells c ON c.id = t.cell_id"
            " JOIN targets g ON g.id = c.target_id JOIN _responses r ON r.trial_id = t.id"
            " JOIN texts body ON body.id = r.text_id"
            " LEFT JOIN texts asked ON asked.id = c.prompt_id"
            f" WHERE t.id IN ({', '.join('?' * len(block))})",
            block,
        )
        found = {row[0]: row for row in rows}
        for trial in block:
            _, key, target, factors, repetition, asked, text, simulated = found[trial]
            levels = json.loads(factors)
            yield _Answer(
                trial_id=trial,
                key=bytes(key),
                target=target,
                factors=levels,
                repetition=repetition,
                question=_question(read_text(asked), levels),
                text=read_text(text) or "",
                simulated=bool(simulated),
            )


def _question(messages: str | None, levels: Mapping[str, JSON]) -> str:
    """What was asked, or what it was about."""
    if messages is None:
        return ", ".join(f"{name}: {level_text(level)}" for name, level in levels.items())
    turns = json.loads(messages)
    if len(turns) == 1:
        return str(turns[0]["content"])
    return "\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)
