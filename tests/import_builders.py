"""Small builders of lines to import, and readers of what became of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from auditor.importing import ImportReport, import_file
from auditor.store.progress import snapshot
from auditor.store.reading import open_reader
from auditor.store.results import read_statistics
from auditor.store.status_json import status_json

Line = dict[str, Any]

LEFT_OUT = object()
"""As a value: the field is not there."""


def line(text: Any = "Men", **changes: Any) -> Line:
    """A line that fits, with changes."""
    fields = {
        "protocol": "spatial.explicit",
        "target": "m",
        "factors": {"space": "kitchen"},
        "repetition": 0,
        "text": text,
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not LEFT_OUT}


def judged(value: Any = "men", judge: str = "human", **changes: Any) -> Line:
    """A line with an annotation and no text."""
    return line(LEFT_OUT, annotation={"task": "choice", "judge": judge, "value": value}, **changes)


def write(path: Path, lines: Iterable[Line | str | bytes]) -> Path:
    """A file of these lines; texts and bytes go in as they are."""
    with path.open("wb") as file:
        for each in lines:
            text = json.dumps(each) if isinstance(each, dict) else each
            file.write((text.encode() if isinstance(text, str) else text) + b"\n")
    return path


def take(
    folder: Path, lines: Iterable[Line | str | bytes], name: str = "lines", **settings: Any
) -> ImportReport:
    """Import these lines into the folder's store `a.db`."""
    file = write(folder / f"{name}.jsonl", lines)
    return import_file(file, folder / "a.db", **settings)


def reading(path: Path, read: Callable[[Any], Any]) -> Any:
    connection = open_reader(path)
    try:
        return read(connection)
    finally:
        connection.close()


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    return reading(folder / "a.db", lambda connection: connection.execute(query).fetchall())


def status(path: Path) -> dict[str, Any]:
    return reading(path, lambda connection: status_json(snapshot(connection)))


def statistics(path: Path) -> list[dict[str, Any]]:
    return [row.as_json() for row in reading(path, read_statistics)]


def figure(path: Path, statistic: str, **group: Any) -> dict[str, Any]:
    """The one row of that name and group."""
    (found,) = [
        row for row in statistics(path) if row["statistic"] == statistic and row["group"] == group
    ]
    return found
