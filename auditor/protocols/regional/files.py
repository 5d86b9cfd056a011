"""The rubric files of the regional protocols, and how what is wrong in one of them is said."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.errors import UsageError

REGIONS = "regional/regions.csv"
INDICATORS = "regional/indicators.csv"
TRAITS = "regional/traits.csv"
TASKS = "regional/tasks.toml"
PROMPTS = "regional/prompts.toml"

FIELDS = {"regions": REGIONS, "indicators": INDICATORS, "traits": TRAITS, "tasks": TASKS}
"""Rubric file by the parameter of a spec that may name a file in its place."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A rubric file as it is read: what messages call it, and the parameter that may replace it."""

    text: str
    name: str
    """The user's own spelling of his file, or the path of the packaged one."""
    field: str

    def wrong(self, line: int, said: str, allowed: str) -> UsageError:
        """The mistake in one line: file, line, reason, what is allowed."""
        return UsageError(f"{self.name}:{line}: {said}; allowed: {allowed}", where=self.field)

    def rows(
        self, required: Sequence[str], optional: Sequence[str] | None = ()
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Lines of a CSV with their 1-based numbers; values stripped, blank lines passed over.

        Raises UsageError for columns that are missing, there twice or not allowed (with
        optional=None every further one is), and for lines of another length.
        """
        reader = csv.reader(self.text.removeprefix("\ufeff").splitlines())
        columns = [name.strip() for name in next(reader, [])]
        self._check_columns(columns, required, optional)
        for row in reader:
            if not any(value.strip() for value in row):
                continue
            if len(row) != len(columns):
                raise self.wrong(
                    reader.line_num, f"{len(row)} values", f"{len(columns)}: {', '.join(columns)}"
                )
            yield (
                reader.line_num,
                {name: value.strip() for name, value in zip(columns, row, strict=True)},
            )

    def _check_columns(
        self, columns: Sequence[str], required: Sequence[str], optional: Sequence[str] | None
    ) -> None:
        allowed = ", ".join([*required, *(f"{name} (optional)" for name in optional or ())])
        for name in required:
            if name not in columns:
                raise self.wrong(1, f"no column {name!r}", allowed)
        for place, name in enumerate(columns):
            if name in columns[:place]:
                raise self.wrong(1, f"column {name!r} stands twice", "each column once")
            if not name or (optional is not None and name not in (*required, *optional)):
                raise self.wrong(1, f"column {name!r} is none of a {self.field} file", allowed)


class Once:
    """Refuses a value that an earlier line of a file has."""

    def __init__(self, file: TableFile) -> None:
        self._file = file
        self._lines: dict[tuple[str, str], int] = {}

    def add(self, kind: str, value: str, line: int) -> None:
        """Raises UsageError, naming both lines, for a value of one kind that came before."""
        first = self._lines.setdefault((kind, value), line)
        if first != line:
            raise self._file.wrong(line, f"{kind} {value!r} is also in line {first}", "each once")
