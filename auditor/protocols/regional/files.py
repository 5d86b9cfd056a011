"""The rubric files of the regional protocols, and how what is wrong in one of them is said."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.csv_lines import NotCSV, csv_lines
from auditor.protocols.likeness import as_read, hidden_in

if TYPE_CHECKING:
    from auditor.protocols.base import Materials
    from auditor.protocols.regional.params import RegionalParams

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

        Raises UsageError for what is no CSV, columns that are missing, there twice or not allowed
        (with optional=None every further one is), lines of another length, and values with
        characters that cannot be seen.
        """
        try:
            lines = csv_lines(self.text)
            _, header = next(lines, (1, []))
            columns = [name.strip() for name in header]
            self._check_columns(columns, required, optional)
            for line, row in lines:
                if not any(value.strip() for value in row):
                    continue
                if len(row) != len(columns):
                    raise self.wrong(
                        line, f"{len(row)} values", f"{len(columns)}: {', '.join(columns)}"
                    )
                values = {name: value.strip() for name, value in zip(columns, row, strict=True)}
                for name, value in values.items():
                    self.check_visible(f"{name} {value!r:.60}", value, line)
                yield line, values
        except NotCSV as error:
            raise self.wrong(
                error.line, f"no CSV: {error}", "each quoted value closed, at most 128 KiB long"
            ) from None

    def check_visible(self, said: str, value: str, line: int, *, lines: bool = False) -> None:
        """Raises UsageError for a value with a character that cannot be seen (see `hidden_in`)."""
        if (hidden := hidden_in(value, lines=lines)) is not None:
            raise self.wrong(line, f"{said} holds {hidden}", "characters that can be seen")

    def _check_columns(
        self, columns: Sequence[str], required: Sequence[str], optional: Sequence[str] | None
    ) -> None:
        allowed = ", ".join([*required, *(f"{name} (optional)" for name in optional or ())])
        for name in columns:
            self.check_visible(f"column {name!r:.60}", name, 1)
        for name in required:
            if name not in columns:
                raise self.wrong(1, f"no column {name!r}", allowed)
        known: dict[str, str] = {}
        for name in columns:
            like = known.get(as_read(name))
            if like is not None:
                said = "stands twice" if like == name else f"reads like column {like!r}"
                raise self.wrong(1, f"column {name!r} {said}", "each column once")
            known[as_read(name)] = name
            if not name or (optional is not None and name not in (*required, *optional)):
                raise self.wrong(1, f"column {name!r} is none of a {self.field} file", allowed)


class Once:
    """Refuses what an earlier entry of a file has, or has in a spelling that reads the same."""

    def __init__(self, file: TableFile) -> None:
        self._file = file
        self._names: dict[str, tuple[Hashable, int, str, str]] = {}
        self._spellings: dict[tuple[str, str], tuple[str, int]] = {}

    def add(self, kind: str, value: str, line: int, *, owner: Hashable = None) -> None:
        """Raises UsageError, naming both lines, for a name that another entry has.

        Names of all kinds share one space: a code may not be another entry's name either. An
        entry is its `owner`, or else its line; it may bear one name in several ways.
        """
        whose = line if owner is None else owner
        first = self._names.setdefault(as_read(value), (whose, line, kind, value))
        whose_first, first_line, first_kind, spelling = first
        if whose_first == whose:
            return
        if spelling != value:
            said = f"reads like {first_kind} {spelling!r}"
        else:
            said = "is also" if first_kind == kind else f"is also {first_kind}"
        raise self._file.wrong(line, f"{kind} {value!r} {said} in line {first_line}", "each once")

    def spell(self, kind: str, value: str, line: int) -> None:
        """Raises UsageError for a value that an earlier line has in another spelling."""
        spelling, first_line = self._spellings.setdefault((kind, as_read(value)), (value, line))
        if spelling != value:
            raise self._file.wrong(
                line,
                f"{kind} {value!r} reads like {spelling!r} in line {first_line}",
                "one spelling",
            )


def table_file(field: str, materials: Materials, params: RegionalParams | None) -> TableFile:
    """The file that a parameter may replace, under the name by which the user knows it."""
    path = FIELDS[field]
    own = None if params is None else getattr(params, field, None)
    return TableFile(text=materials[path], name=own or f"rubrics/{path}", field=field)
