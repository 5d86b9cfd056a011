"""What became of the files of a corpus, and what the store holds of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.corpus.counting import NAMED
from auditor.counted import counted
from auditor.protocols.spatial_corpus import GenderFigures, top
from auditor.store.corpus import StoredCorpus
from auditor.types import JSON

Say = Callable[[str], None]

_SAID = 20
"""Lines that are said one by one; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One line, or row, that holds no document."""

    file: str
    line: int
    reason: str

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        return {"file": self.file, "line": self.line, "reason": self.reason}


@dataclass(kw_only=True)
class CorpusReport:
    """What one call did, and the corpus as it stands."""

    store: Path
    corpus: str
    counted: int = 0
    """Files that were counted now."""
    known: int = 0
    """Files whose content had been counted before."""
    unneeded: int = 0
    """Files that were not opened: enough documents had been taken of every space."""
    rejected: int = 0
    """Lines of the given files that hold no document, now or when they were counted."""
    rejections: list[Rejection] = field(default_factory=list)
    """The first thousand of them."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, why it could not be read to its end)."""
    bytes_read: int = 0
    seconds: float = 0.0
    standing: StoredCorpus | None = None
    """None: the store has no such corpus."""
    figures: Sequence[GenderFigures] = ()

    @property
    def exit_code(self) -> int:
        """1 where a line was rejected or a file breaks off, else 0."""
        return 1 if self.rejected or self.problems else 0

    def reject(
        self, file: str, rejected: int, rejections: Sequence[tuple[int, str]], say: Say
    ) -> None:
        """Count the lines of a file that hold no document, and say the first of all files."""
        room = max(0, _SAID - self.rejected)
        self.rejected += rejected
        for line, reason in rejections[: max(0, NAMED - len(self.rejections))]:
            self.rejections.append(Rejection(file=file, line=line, reason=reason))
        said = rejections[:room]
        for line, reason in said:
            say(f"{file}:{line}: {reason}")
        if more := rejected - len(said):
            say(f"{file}: {counted(more, 'line', more=True, verb=('holds', 'hold'))} no document")

    def as_json(self) -> dict[str, JSON]:
        """What `corpus --json` prints."""
        standing = self.standing
        return {
            "store": str(self.store),
            "corpus": self.corpus,
            "counted": self.counted,
            "known": self.known,
            "unneeded": self.unneeded,
            "rejected": self.rejected,
            "rejections": [each.as_json() for each in self.rejections],
            "broken": [{"file": file, "reason": reason} for file, reason in self.problems],
            "bytes": self.bytes_read,
            "seconds": round(self.seconds, 3),
            "files": 0 if standing is None else standing.files,
            "documents": 0 if standing is None else standing.documents,
            "per_space": None if standing is None else standing.per_space,
            "spaces": [each.as_json() for each in self.figures],
            "top": {
                gender: [each.as_json() for each in top(self.figures, gender)]
                for gender in ("women", "men")
            },
        }
