"""Label files: what people say of answers, one label a line of a CSV file."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditor.errors import UsageError
from auditor.harmless import harmless
from auditor.reports.spreadsheet import as_meant
from auditor.types import JSON
from auditor.user_files import read_whole

COLUMNS = ("trial", "protocol", "target", "repetition", "task", "label", "annotator")
"""What a label file may hold beside factors; a factor of such a name is `factors.NAME`."""
RECONCILED = "reconciled"
"""Annotator of labels that people agreed on afterwards: they stand above single labels."""

FACTOR_PREFIX = "factors."
PART_PREFIX = "label."
"""Before the name of a part, where the parts of a label have cells of their own."""
_DELIMITERS = ",;\t"
_LONGEST_SHOWN = 60
_LONGEST_LEVEL = 1000
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProblem:
    """One line that cannot be taken: where, what is there, what is allowed."""

    file: str
    line: int
    field: str
    said: str
    """`value "..."`, or what is wrong in words."""
    allowed: str

    @property
    def message(self) -> str:
        """Everything about it in one line."""
        return f"{self.file}:{self.line}: {self.field}: {self.said}; allowed: {self.allowed}"

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        return {
            "file": self.file,
            "line": self.line,
            "field": self.field,
            "value": self.said.removeprefix("value "),
            "allowed": self.allowed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """One filled line as it stands in the file."""

    file: str
    line: int
    """1-based, of its first line where a cell spans several."""
    cells: Mapping[str, str]
    """Cells of COLUMNS that are not blank."""
    levels: Mapping[str, str]
    """Cells of all other columns, by factor name if they are one; empty beside a trial's key."""
    parts: Mapping[str, str]
    """Cells of the label's parts that are not blank, by the part's name."""
    decimal_comma: bool
    """Cells are parted by semicolons, so that numbers may have a comma."""

    @property
    def said(self) -> str:
        """The label as it stands there."""
        parts = ", ".join(f"{name} {cell}" for name, cell in self.parts.items())
        return self.cells.get("label", parts)

    def problem(self, field: str, said: str, allowed: str) -> LabelProblem:
        """A problem of this line."""
        return LabelProblem(file=self.file, line=self.line, field=field, said=said, allowed=allowed)


@dataclass(kw_only=True)
class LabelFile:
    """The labels of one or more files."""

    files: tuple[str, ...]
    rows: list[LabelRow] = field(default_factory=list)
    blank: int = 0
    """Lines whose label is not filled in."""
    problems: list[LabelProblem] = field(default_factory=list)


def shown(text: str) -> str:
    """A cell as messages quote it."""
    return f'"{harmless(text, _LONGEST_SHOWN)}"'


def read_labels(paths: Sequence[Path], *, task: str | None = None) -> LabelFile:
    """The filled lines of CSV files.

    UTF-8 (with or without a byte order mark) or UTF-16 with one; cells parted by commas,
    semicolons or tabs; lines ended as on any system; quoted cells may hold all of these. Names of
    columns are read without regard to case. Columns: `label` (or one `label.PART` for each part of
    the values, in which a blank cell is a missing part), and `trial` (a key) or `target` with
    `repetition` and the factors; `task`, unless `task` names the one that all lines are of;
    optional `protocol` and `annotator`. Other columns mean nothing. Of several files without
    `annotator`, each is an annotator by its file's name.

    Raises UsageError with file and line for what is no such file, and where no label at all is
    filled in.
    """
    labels = LabelFile(files=tuple(str(path) for path in paths))
    for path in paths:
        annotator = path.stem[:_LONGEST_NAME] if len(paths) > 1 else None
        _read_into(labels, path, task, annotator)
    if not labels.rows and not labels.problems:
        raise UsageError(
            f"{', '.join(labels.files)}: no label is filled in",
            where=labels.files[0],
            hint="fill in the column `label`, or those named `label.`, as `allowed` says",
        )
    return labels


def _read_into(labels: LabelFile, path: Path, task: str | None, annotator: str | None) -> None:
    text = _text(path)
    # A cell may hold an answer of a megabyte; the limit is one for the whole process.
    before = csv.field_size_limit(len(text) + 1)
    try:
        _read_text(labels, str(path), text, task, annotator)
    finally:
        csv.field_size_limit(before)


def _read_text(
    labels: LabelFile, name: str, text: str, task: str | None, annotator: str | None
) -> None:
    header, delimiter = _header(name, text)
    places = _places(name, header, task)
    for line, record in _records(name, text, delimiter, skip=1):
        if len(record) > len(header) and any(cell.strip() for cell in record[len(header) :]):
            labels.problems.append(
                LabelProblem(
                    file=name,
                    line=line,
                    field="line",
                    said=f"{len(record)} cells",
                    allowed=f"{len(header)}, as in the first line (quote cells that hold "
                    f"{shown(delimiter)})",
                )
            )
            continue
        row = _row(name, line, record, places, decimal_comma=delimiter == ";")
        if "label" not in row.cells and not row.parts:
            labels.blank += 1
            continue
        extra = {"task": task, "annotator": annotator}
        added = {key: value for key, value in extra.items() if value and key not in row.cells}
        labels.rows.append(replace(row, cells={**row.cells, **added}) if added else row)


def _text(path: Path) -> str:
    name = str(path)
    try:
        raw = read_whole(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"{name}: {reason}", where=name, hint="name a CSV file of labels"
        ) from None
    is_wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(
            f"{name}:{line}: byte {raw[error.start]:#04x} is not UTF-8",
            where=f"{name}:{line}",
            hint='save the sheet as "CSV UTF-8"',
        ) from None


def _header(name: str, text: str) -> tuple[list[str], str]:
    """Names of the columns, and the sign between cells that makes `label` one of them."""
    found: list[str] = []
    for delimiter in _DELIMITERS:
        record = next(_records(name, text, delimiter), None)
        if record is None:
            raise UsageError(f"{name} is empty", where=name, hint="name a CSV file of labels")
        names = [_column(cell) for cell in record[1]]
        if "label" in names or any(name.startswith(PART_PREFIX) for name in names):
            return names, delimiter
        if len(names) > len(found):
            found = names
    columns = ", ".join(shown(column) for column in found[:12])
    raise UsageError(
        f"{name}:1: no column `label` among {columns}",
        where=f"{name}:1",
        hint=f"columns that mean something: {', '.join(COLUMNS)}, and the factors",
    )


def _column(cell: str) -> str:
    """A column's name without regard to case, but for that of a part."""
    name = cell.strip()
    prefix, part = name[: len(PART_PREFIX)].lower(), name[len(PART_PREFIX) :]
    return prefix + part if prefix == PART_PREFIX else name.lower()


def _places(name: str, header: Sequence[str], task: str | None) -> dict[str, int]:
    """Place of each column that has a name; the columns that are needed are there."""
    places: dict[str, int] = {}
    for place, column in enumerate(header):
        means = column in COLUMNS or column.startswith((FACTOR_PREFIX, PART_PREFIX))
        if column in places and means:
            raise UsageError(
                f"{name}:1: column {shown(column)} stands twice", where=f"{name}:1", hint=None
            )
        if column:
            places.setdefault(column, place)
    wanted = [] if task or "task" in places else ["task"]
    if "trial" not in places and not {"target", "repetition"} <= set(places):
        wanted.append("trial (or target, repetition and the factors)")
    if wanted:
        raise UsageError(
            f"{name}:1: no column {', no column '.join(wanted)}",
            where=f"{name}:1",
            hint="name the task of all labels with --task" if wanted[0] == "task" else None,
        )
    return places


def _row(
    name: str, line: int, record: Sequence[str], places: Mapping[str, int], *, decimal_comma: bool
) -> LabelRow:
    cells: dict[str, str] = {}
    levels: dict[str, str] = {}
    parts: dict[str, str] = {}
    for column, place in places.items():
        cell = as_meant(record[place]) if place < len(record) else ""
        if not cell:
            continue
        if column in COLUMNS:
            cells[column] = cell
        elif column.startswith(PART_PREFIX):
            parts[column.removeprefix(PART_PREFIX)] = cell
        elif len(cell) > _LONGEST_LEVEL:
            continue
        elif column.startswith(FACTOR_PREFIX):
            levels[column.removeprefix(FACTOR_PREFIX)] = cell
        elif f"{FACTOR_PREFIX}{column}" not in places:
            levels[column] = cell
    return LabelRow(
        file=name,
        line=line,
        cells=cells,
        levels={} if "trial" in cells else levels,
        parts=parts,
        decimal_comma=decimal_comma,
    )


def _records(
    name: str, text: str, delimiter: str, *, skip: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """(first line, cells) of each record that is not blank, after so many of them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, number = 1, 0
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                number += 1
                if number > skip:
                    yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(
            f"{name}:{reader.line_num}: {error}",
            where=f"{name}:{reader.line_num}",
            hint="a quotation mark within a quoted cell is doubled",
        ) from None
