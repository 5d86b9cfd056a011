"""`export`: a store's tables as files that anything can read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from auditor.counted import counted
from auditor.errors import UsageError
from auditor.reports._export_formats import Format, writer
from auditor.reports._export_tables import TABLES, factor_kinds, label_judges
from auditor.reports.fresh_files import fresh_files
from auditor.store.connection import sqlite_errors
from auditor.store.reading import open_reader

__all__ = ["Format", "export"]


def export(
    store: Path,
    folder: Path,
    *,
    format: str = Format.JSONL,
    force: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, int]:
    """Write `trials`, `responses`, `annotations`, `statistics` and `calls` into a folder.

    All five show the store at one moment, whoever writes it meanwhile. Files appear when all are
    complete; until then they have other names, and after an error they are gone. Gives the number
    of rows of each.

    JSON lines hold factors and other JSON as objects, and `import` takes the responses and
    annotations among them. CSV has a column for each factor, `factors.NAME` where another column
    has its name; an absent value and an empty text look the same there. Texts that a spreadsheet
    would take for formulas (beginning with = + - @, a tab or a carriage return) get a leading
    apostrophe in CSV. Parquet holds factors as a struct and other JSON as text. SQLite is one file
    with all tables, `export.sqlite`, which Datasette opens as it is. Lone surrogates are escaped
    in all.

    Raises UsageError where files of these names are there and `force` is not set, or where the
    format's library is missing.
    """
    file_format = _format(format)
    write = writer(file_format)
    connection = open_reader(store)
    try:
        names = list(dict.fromkeys(file_format.file_name(table.name) for table in TABLES))
        with fresh_files(folder, names, force=force) as paths, sqlite_errors(store):
            connection.execute("BEGIN")
            label_judges(connection)
            kinds = factor_kinds(connection)
            counts = {}
            for table in TABLES:
                path = paths[file_format.file_name(table.name)]
                counts[table.name] = write(path, table, table.rows(connection), kinds)
    finally:
        connection.close()
    for name, count in counts.items():
        whose = f" of {name}" if len(names) < len(counts) else ""
        say(f"{folder / file_format.file_name(name)}: {counted(count, 'row')}{whose}")
    return counts


def _format(name: str) -> Format:
    try:
        return Format(name)
    except ValueError:
        allowed = ", ".join(Format)
        raise UsageError(f"format: value {name!r}; allowed: {allowed}") from None
