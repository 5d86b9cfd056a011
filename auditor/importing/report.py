"""What became of the lines of an import."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from auditor.importing.values import Rejected
from auditor.types import JSON

Say = Callable[[str], None]

_SAID = 100
"""Rejected lines that are said one by one; all are counted."""
_REPORTED = 1000
"""Rejected lines that a report holds."""
_NAMED_FIELDS = 20
_LONGEST_FIELD = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One line that does not fit."""

    file: str
    number: int
    field: str
    said: str
    allowed: str
    first: str | None
    """The earlier line that it contradicts."""

    @property
    def message(self) -> str:
        """Everything about it in one line."""
        return f"{self.file}:{self.number}: {self.field}: {self.said}; allowed: {self.allowed}"

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        return {
            "file": self.file,
            "line": self.number,
            "field": self.field,
            "value": self.said.removeprefix("value "),
            "allowed": self.allowed,
            "first": self.first,
        }


@dataclass(kw_only=True)
class ImportReport:
    """What became of the lines of an import."""

    store: Path
    taken: int = 0
    """Lines that added something."""
    known: int = 0
    """Lines whose content was there already."""
    left_out: int = 0
    """Lines that were not asked for, or had left the plan of their own run."""
    rejected: int = 0
    rejections: list[Rejection] = field(default_factory=list)
    """The first thousand of them."""
    unknown_fields: dict[str, None] = field(default_factory=dict)
    """Names of fields that mean nothing and were passed over; at most twenty."""

    stopped: list[str] = field(default_factory=list)
    """A sentence for each judge that had to end before it was through."""

    @property
    def exit_code(self) -> int:
        """1 where a line was rejected or a judge had to stop, else 0."""
        return 1 if self.rejected or self.stopped else 0

    def as_json(self) -> dict[str, JSON]:
        """What `import --json` prints."""
        return {
            "store": str(self.store),
            "taken": self.taken,
            "known": self.known,
            "left_out": self.left_out,
            "rejected": self.rejected,
            "rejections": [rejection.as_json() for rejection in self.rejections],
            "unknown_fields": list(self.unknown_fields),
            "stopped": list(self.stopped),
        }

    def note_unknown(self, names: Iterable[str]) -> None:
        """Remember fields that mean nothing here."""
        for name in names:
            if len(self.unknown_fields) < _NAMED_FIELDS:
                self.unknown_fields.setdefault(name[:_LONGEST_FIELD])

    def reject(self, file: str, number: int, error: Rejected, say: Say) -> None:
        """Count a line that does not fit, and say it if it is one of the first."""
        self.rejected += 1
        if len(self.rejections) < _REPORTED:
            rejection = Rejection(
                file=file,
                number=number,
                field=error.field,
                said=error.said,
                allowed=error.allowed,
                first=error.first,
            )
            self.rejections.append(rejection)
            if self.rejected <= _SAID:
                say(rejection.message)

    def say_rest(self, say: Say) -> None:
        """Say how many lines more than those that were said do not fit."""
        more = self.rejected - _SAID
        if more > 0:
            lines = "line that does" if more == 1 else "lines that do"
            say(f"and {more:,} more {lines} not fit; --json names {_REPORTED:,} at most")
