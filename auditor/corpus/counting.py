"""Counts one part of a file: what each worker process does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from auditor.corpus.blocks import PartBytes, Stopped
from auditor.corpus.documents import End, Rejected, documents
from auditor.corpus.matching import Matcher, Tally
from auditor.corpus.parts import Part
from auditor.corpus.unpacking import BrokenOff
from auditor.corpus.words import CorpusWords
from auditor.statistics.cooccurrence import PlaceCounts

_BETWEEN_LOOKS = 500
"""Documents after which a counter looks whether it is to stop."""
NAMED = 1000
"""Rejected lines that are named one by one; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCounts:
    """What one part holds."""

    digest: str
    """Hash of the bytes that were read."""
    lines: int
    """Lines that begin in it."""
    documents: int
    rejected: int
    rejections: Sequence[tuple[int, str]]
    """(line within the part, reason) of the first of them."""
    problem: str | None
    """Why it could not be read to its end; None: it could."""
    counts: dict[str, PlaceCounts]


class PartCounter:
    """Counts parts, one after the other, by one list of words."""

    def __init__(
        self,
        words: CorpusWords,
        *,
        noted: Callable[[int], None] = lambda _: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`noted` takes the bytes of each block that was read."""
        self._words = words
        self._matcher = Matcher(words)
        self._noted = noted
        self._is_stopped = is_stopped

    def count(self, part: Part, field: str, quotas: Sequence[int] | None) -> PartCounts:
        """One part; `quotas` says how many documents are taken of each space, None: all."""
        read = PartBytes(part, noted=self._noted, is_stopped=self._is_stopped)
        counted = self._counts(part, read.blocks(), field, quotas)
        return replace(counted, digest=read.digest)

    def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
        """Whole lines of a part, which somebody else has read: without a digest."""
        return self._counts(part, [lines], field, None)

    def _counts(
        self, part: Part, blocks: Iterable[bytes], field: str, quotas: Sequence[int] | None
    ) -> PartCounts:
        tally = Tally(self._words, quotas)
        rejected = 0
        rejections: list[tuple[int, str]] = []
        end = End(0, None)
        count = self._matcher.count
        for found in documents(part, blocks, field):
            if type(found) is str:
                count(found, tally)
                if not tally.documents % _BETWEEN_LOOKS and self._is_stopped():
                    raise Stopped
            elif isinstance(found, Rejected):
                rejected += 1
                if rejected <= NAMED:
                    rejections.append((found.number, found.reason))
            elif isinstance(found, End):
                end = found
        return PartCounts(
            digest="",
            lines=end.lines,
            documents=tally.documents,
            rejected=rejected,
            rejections=rejections,
            problem=end.problem,
            counts=tally.counts(),
        )

    def digest(self, part: Part) -> str:
        """The hash of a part, which is not counted."""
        read = PartBytes(part, is_stopped=self._is_stopped)
        try:
            read.pass_over()
        except BrokenOff:
            return ""
        return read.digest
