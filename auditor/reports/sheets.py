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
from auditor.reports.labels import COLUMNS, FACTOR_PREFIX, PART_PREFIX, RECONCILED
from auditor.reports.raters import judge_raters, judge_ratings
from auditor.reports.sampled_answers import SampledAnswer, sampled_answers
from auditor.reports.sampling import Sample
from auditor.reports.scales import Said, part_of
from auditor.reports.sheet_guide import allowed_label, guide
from auditor.reports.spreadsheet import LONGEST_CELL, inert
from auditor.reports.strata import level_text

RECONCILE = "reconcile.csv"

GUIDE = "guide.txt"

_SHOWN = ("trial", "task", "question", "text", "allowed")
_FILLED = ("label", "annotator", "remark")
_LOSS = ", and they may hold labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    """What was written."""

    folder: Path
    files: tuple[str, ...]
    sheets: int
    """Those of them that are to be filled in."""
    guide: str
    """The one that says how."""
    rows: int
    """Lines of each sheet."""
    too_long: int
    """Texts that a spreadsheet's cell does not hold; the files do."""


def write_sheets(
    connection: sqlite3.Connection,
    sample: Sample,
    folder: Path,
    *,
    annotators: int = 2,
    force: bool = False,
) -> Sheets:
    """Write `annotator-1.csv` and so on, `reconcile.csv`, and `guide.txt` that explains them.

    A blind sheet holds the question (the prompt; where it is not known, the factors), the whole
    text, what labels are allowed and an empty column `label`, and neither target nor any judge's
    word; its rows are in an order of its own. Where values are objects of parts, each part that is
    asked for has a column `label.PART`, and `label` is for what has no value at all. The other
    columns are those that `validate` reads. The sheet to reconcile is in the order of the draw; it
    also has target, factors, an empty column for each annotator and one with each judge's
    annotation (for each part, where there are parts), and what is entered in its `label` stands
    above single annotators' labels.

    UTF-8 with a byte order mark, so that spreadsheets show other scripts. Nothing in a text acts
    there (see `spreadsheet.inert`). The same sample gives the same bytes. Files appear when all are
    complete; raises UsageError where one of them is there and `force` is not set.
    """
    names = [f"annotator-{number}" for number in range(1, annotators + 1)]
    files = [*(f"{name}.csv" for name in names), RECONCILE, GUIDE]
    answers = list(sampled_answers(connection, sample.trials))
    allowed = allowed_label(sample)
    blind = (*_SHOWN, *(f"{PART_PREFIX}{part.name}" for part in sample.parts), *_FILLED)
    with fresh_files(folder, files, force=force, loss=_LOSS) as paths:
        for name in names:
            stream = f"sheet/{sample.protocol.name}/{sample.task.name}/{name}"
            shuffled = sorted(answers, key=lambda a: draw_integer(sample.seed, stream, a.key))
            rows = (_cells(answer, sample, allowed, name) for answer in shuffled)
            _write(paths[f"{name}.csv"], blind, rows)
        _write_reconcile(paths[RECONCILE], connection, sample, answers, names, allowed)
        paths[GUIDE].write_text(guide(sample, files[:annotators]), encoding="utf-8", newline="\n")
    return Sheets(
        folder=folder,
        files=tuple(files),
        sheets=annotators + 1,
        guide=GUIDE,
        rows=len(answers),
        too_long=sum(len(answer.text) > LONGEST_CELL for answer in answers),
    )


def _cells(answer: SampledAnswer, sample: Sample, allowed: str, annotator: str) -> dict[str, str]:
    """What stands on every sheet, by column."""
    return {
        "trial": answer.key.hex(),
        "task": sample.task.name,
        "question": answer.question,
        "text": answer.text,
        "allowed": allowed,
        "annotator": annotator,
    }


def _write_reconcile(
    path: Path,
    connection: sqlite3.Connection,
    sample: Sample,
    answers: Sequence[SampledAnswer],
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
    raters = (*verdicts, *annotators)
    of_parts = [
        column
        for part in sample.parts
        for column in (*(f"{part.name}: {who}" for who in raters), f"{PART_PREFIX}{part.name}")
    ]
    columns = (
        *fixed[:3], *spelt.values(), *fixed[3:], "allowed", *(of_parts or raters), *_FILLED
    )  # fmt: skip

    def row(answer: SampledAnswer) -> dict[str, str]:
        cells = {
            **_cells(answer, sample, allowed, RECONCILED),
            "protocol": sample.protocol.name,
            "target": answer.target,
            "repetition": str(answer.repetition),
            "simulated": "true" if answer.simulated else "false",
        }
        cells |= {spelt[name]: level_text(level) for name, level in answer.factors.items()}
        for column, ratings in verdicts.items():
            if answer.trial_id not in ratings:
                continue
            said = ratings[answer.trial_id]
            cells[column] = _verdict(said)
            for part in sample.parts:
                own = part_of(said, part.name)
                cells[f"{part.name}: {column}"] = "" if own is None else _verdict(own[0])
        return cells

    _write(path, columns, map(row, answers))


def _write(path: Path, columns: Sequence[str], rows: Iterator[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([inert(column) for column in columns])
        for row in rows:
            out.writerow([inert(row.get(column, "")) for column in columns])


def _verdict(said: Said) -> str:
    return INVALID if said is None else level_text(json.loads(said))
