"""Label files, and what a validation makes of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from auditor.reports.labels import read_labels
from auditor.reports.validation import validate
from auditor.store.reading import open_reader

AGAINST_PEOPLE = "judge against people"


def write_csv(path: Path, rows: list[dict[str, object]], **settings) -> Path:
    out = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(out, names, **settings)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def report(store: Path, labels: Path | list[Path], task: str | None = None, **settings):
    paths = labels if isinstance(labels, list) else [labels]
    connection = open_reader(store)
    try:
        return validate(connection, read_labels(paths, task=task), task, resamples=200, **settings)
    finally:
        connection.close()


def only_part(found):
    (task,) = found.tasks
    (part,) = task.parts
    return part


def comparison(found, kind: str, first: str | None = None, second: str | None = None):
    (one,) = [
        each
        for each in only_part(found).comparisons
        if each.kind == kind and first in (None, each.first) and second in (None, each.second)
    ]
    return one
