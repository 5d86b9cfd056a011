"""CSV files of users, line by line: what is no CSV is said with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator


class NotCSV(ValueError):
    """A text that cannot be read as CSV: from which line on, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def csv_lines(text: str, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """1-based number of the line that each record begins in, and its values; a blank line has none.

    Line breaks in quotes belong to their value. A byte order mark in front is passed over. Raises
    NotCSV for quotes that are not closed or stand within a value, and values of more than 128 KiB.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for values in reader:
            yield line, values
            line = reader.line_num + 1
    except csv.Error as error:
        raise NotCSV(line, str(error)) from None
