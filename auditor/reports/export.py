"""`export`: a store's tables as files that anything can read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.errors import AuditorError, UsageError
from auditor.reports._export_formats import Format, writer
from auditor.reports._export_tables import TABLES, factor_kinds, label_judges
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
    apostrophe in CSV. Parquet holds factors as a struct and other JSON as text. Lone surrogates
    are escaped in all.

    Raises UsageError where files of these names are there and `force` is not set, or where the
    format's library is missing.
    """
    file_format = _format(format)
    write = writer(file_format)
    connection = open_reader(store)
    try:
        with _fresh_files(folder, file_format, force=force) as paths, sqlite_errors(store):
            connection.execute("BEGIN")
            label_judges(connection)
            kinds = factor_kinds(connection)
            counts = {}
            for table in TABLES:
                path = paths[table.name]
                counts[table.name] = write(path, table, table.rows(connection), kinds)
    finally:
        connection.close()
    for name, count in counts.items():
        say(f"{folder / name}.{file_format}: {count:,} rows")
    return counts


def _format(name: str) -> Format:
    try:
        return Format(name)
    except ValueError:
        allowed = ", ".join(Format)
        raise UsageError(f"format: value {name!r}; allowed: {allowed}") from None


@contextmanager
def _fresh_files(folder: Path, file_format: Format, *, force: bool) -> Iterator[Mapping[str, Path]]:
    """Paths to write the tables to, by table; they get their names if all goes well."""
    final = {table.name: folder / f"{table.name}.{file_format}" for table in TABLES}
    partial = {
        name: path.with_name(f".{path.name}.{os.getpid()}.partial") for name, path in final.items()
    }
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder", where=str(folder), hint="name a folder")
    there = [path.name for path in final.values() if path.exists()]
    if there and not force:
        raise UsageError(
            f"{folder} holds {', '.join(there)} already",
            where=str(folder),
            hint="name another folder, or overwrite them with --force",
        )
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield partial
        for name, path in final.items():
            partial[name].replace(path)
    except BaseException as error:
        _take_away(partial.values(), folder if is_new else None)
        if isinstance(error, OSError):
            raise AuditorError(
                f"{folder} cannot be written ({error.strerror or error})",
                where=str(folder),
                hint="check the folder's permissions and the disk's free space",
            ) from error
        raise


def _take_away(files: Iterable[Path], folder: Path | None) -> None:
    with suppress(OSError):  # whatever kept us from writing may keep us from clearing up
        for path in files:
            path.unlink(missing_ok=True)
        if folder is not None:
            folder.rmdir()
