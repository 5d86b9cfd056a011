"""What an import has taken already: of each trial and judgement the line that came first."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from auditor.canonical import text_digest16
from auditor.importing.lines import CheckedLine
from auditor.importing.values import Rejected, shown
from auditor.store.records import ImportedAnnotation, ImportedLine, ImportedResponse
from auditor.store.statements import insert
from auditor.store.texts import read_text

_MOST_IN_MEMORY = 4096
_FIRSTS = insert("firsts", 3)


@dataclass(frozen=True, slots=True)
class First:
    """The line that brought something first, and what it brought."""

    place: str
    content: str
    """A response's outcome and the hash of its text, or an annotation's value."""


class _Sieve:
    """Tells of most keys that they are new, in 8 MiB: a Bloom filter with two bits a key."""

    _BITS = 26
    _MASK = (1 << _BITS) - 1

    def __init__(self) -> None:
        self._bits = bytearray((self._MASK + 1) >> 3)

    def may_hold(self, key: bytes) -> bool:
        """False: the key was never added."""
        first, second = self._places(key)
        bits = self._bits
        return bool(bits[first >> 3] >> (first & 7) & 1 and bits[second >> 3] >> (second & 7) & 1)

    def add(self, key: bytes) -> None:
        for place in self._places(key):
            self._bits[place >> 3] |= 1 << (place & 7)

    def _places(self, key: bytes) -> tuple[int, int]:
        number = hash(key)
        return number & self._MASK, (number >> self._BITS) & self._MASK


class SeenLines:
    """Tells what is new in a line. Keeps 50 bytes a trial, in a file that nobody else sees.

    A question to that file lets other threads run, and then waits until they let go again; so
    most are answered from memory, and what is to be kept goes in many rows at a time.

    `store` is the store as it was before; None where it holds nothing imported.
    """

    def __init__(self, store: sqlite3.Connection | None) -> None:
        self._store = store
        # An empty name: SQLite keeps a private file, and takes it away on closing.
        self._firsts = sqlite3.connect("", isolation_level=None)
        self._firsts.execute("PRAGMA journal_mode = OFF")
        # Keys come in no order: with few pages at hand every other one would be fetched again.
        self._firsts.execute("PRAGMA cache_size = -64000")
        self._firsts.execute(
            "CREATE TABLE firsts (key BLOB PRIMARY KEY, place TEXT NOT NULL, content TEXT NOT NULL)"
            " WITHOUT ROWID"
        )
        self._firsts.execute("BEGIN")
        self._sieve = _Sieve()
        self._latest: dict[bytes, First] = {}
        """What is not in the file yet."""

    def close(self) -> None:
        """Forget everything."""
        self._firsts.close()

    def what_is_new(self, checked: CheckedLine, source: str) -> ImportedLine | None:
        """The line with only what is not there yet; None where nothing is.

        `source` names the file. Raises Rejected, naming the first line, where this one says
        otherwise of the same trial, and where it judges an annotation that is not there.
        """
        line = checked.line
        answer = line.response
        assert answer is not None
        place = f"line {line.number} of {source}"
        content = _answer_content(answer)
        first = self._first_answer(line)
        if first is not None and checked.brings_answer and not _agree(first.content, content):
            raise _other_answer(answer, first)
        fresh = [
            annotation for annotation in line.annotations if self._is_new(line, annotation, place)
        ]
        if first is None:
            self._keep(line.trial_key, place, content)
        elif not fresh:
            return None
        return replace(line, response=answer if first is None else None, annotations=fresh)

    def _is_new(self, line: ImportedLine, annotation: ImportedAnnotation, place: str) -> bool:
        """Whether a judgement is not there yet; it is from now on."""
        if annotation.reads is not None:
            read = _annotation_key(line, annotation.reads, None, 0)
            if self._kept(read) is None and self._stored_source(line, annotation.reads) is None:
                raise Rejected(
                    "annotation.source", "not there yet", "an annotation of an earlier line"
                )
        key = _annotation_key(line, annotation.judge, annotation.reads, annotation.repeat)
        first = self._kept(key) or self._stored_annotation(line, annotation)
        content = _annotation_content(annotation.value)
        if first is None:
            self._keep(key, place, content)
            return True
        if first.content != content:
            raise Rejected(
                "annotation.value",
                f"{_said(annotation.value)} differs from {first.place}",
                f"{_said(first.content or None)}, another judge, or another repetition",
                first=first.place,
            )
        return False

    # -- of this import ----------------------------------------------------------------------

    def _kept(self, key: bytes) -> First | None:
        latest = self._latest.get(key)
        if latest is not None or not self._sieve.may_hold(key):
            return latest
        row = self._firsts.execute(
            "SELECT place, content FROM firsts WHERE key = ?", (key,)
        ).fetchone()
        return First(*row) if row else None

    def _keep(self, key: bytes, place: str, content: str) -> None:
        self._sieve.add(key)
        self._latest[key] = First(place, content)
        if len(self._latest) >= _MOST_IN_MEMORY:
            rows = [(kept, first.place, first.content) for kept, first in self._latest.items()]
            _FIRSTS(self._firsts, rows)
            self._latest.clear()

    # -- of the store ------------------------------------------------------------------------

    def _first_answer(self, line: ImportedLine) -> First | None:
        kept = self._kept(line.trial_key)
        if kept is not None or self._store is None:
            return kept
        row = self._store.execute(
            "SELECT r.seq, r.outcome, x.hash, p.hash FROM cells c"
            " JOIN trials t ON t.cell_id = c.id AND t.repetition = ?"
            " JOIN _responses r ON r.trial_id = t.id LEFT JOIN texts x ON x.id = r.text_id"
            " LEFT JOIN texts p ON p.id = r.logprobs_id"
            " WHERE c.key = ?",
            (line.repetition, line.cell_key),
        ).fetchone()
        if row is None:
            return None
        seq, outcome, *hashes = row
        return First(self._place(seq), _content(outcome, *(h.hex() if h else "" for h in hashes)))

    def _stored_source(self, line: ImportedLine, judge: bytes | None) -> int | None:
        """The sequence number of what is read: the trial's response, or a judge's annotation."""
        if self._store is None:
            return None
        response = self._store.execute(
            "SELECT r.seq FROM cells c JOIN trials t ON t.cell_id = c.id AND t.repetition = ?"
            " JOIN _responses r ON r.trial_id = t.id WHERE c.key = ?",
            (line.repetition, line.cell_key),
        ).fetchone()
        if response is None or judge is None:
            return int(response[0]) if response else None
        found = self._stored(judge, response[0], 0)
        return found[0] if found else None

    def _stored_annotation(
        self, line: ImportedLine, annotation: ImportedAnnotation
    ) -> First | None:
        source = self._stored_source(line, annotation.reads)
        found = (
            None if source is None else self._stored(annotation.judge, source, annotation.repeat)
        )
        return First(self._place(found[0]), _annotation_content(found[1])) if found else None

    def _stored(self, judge: bytes, source: int, repeat: int) -> tuple[int, str | None] | None:
        assert self._store is not None
        row = self._store.execute(
            "SELECT a.seq, a.value FROM judges j JOIN _annotations a"
            " ON a.judge_id = j.id AND a.source = ? AND a.repeat = ? WHERE j.hash = ?",
            (source, repeat, judge),
        ).fetchone()
        return (int(row[0]), read_text(row[1])) if row else None

    def _place(self, seq: int) -> str:
        """The line that a row came with: the last one that was journaled before it."""
        assert self._store is not None
        number, agent = self._store.execute(
            "SELECT e.subject, a.name FROM events e JOIN agents a ON a.id = e.agent"
            " JOIN event_kinds k ON k.id = e.kind AND k.kind = 'imported'"
            " WHERE e.seq <= ? ORDER BY e.seq DESC LIMIT 1",
            (seq,),
        ).fetchone()
        return f"line {number} of {agent.partition(':')[2]}, imported before"


def _answer_content(answer: ImportedResponse) -> str:
    said = (answer.text, answer.logprobs)
    hashes = ("" if text is None else text_digest16(text).hex() for text in said)
    return _content(answer.outcome, *hashes)


def _content(outcome: str, text: str, logprobs: str) -> str:
    return f"{outcome} {text} {logprobs}"


def _agree(first: str, later: str) -> bool:
    """Whether a later line says the same of a response, or leaves its log-probabilities out."""
    return first == later or (later.endswith(" ") and first.startswith(later))


def _other_answer(answer: ImportedResponse, first: First) -> Rejected:
    outcome, text, logprobs = first.content.split(" ")
    if not text and answer.text is not None:
        return Rejected(
            "text",
            f"value {shown(answer.text)} differs from {first.place}, which has no text",
            "no text, or another repetition (texts come before their annotations)",
            first=first.place,
        )
    _, own_text, own_logprobs = _answer_content(answer).split(" ")
    if own_text == text and own_logprobs not in ("", logprobs):
        return Rejected(
            "logprobs",
            f"value {shown(answer.logprobs)} differs from {first.place}",
            "the same log-probabilities, or another repetition",
            first=first.place,
        )
    if own_text != text:
        return Rejected(
            "text",
            f"value {shown(answer.text)} differs from {first.place}",
            "the same text, or another repetition",
            first=first.place,
        )
    return Rejected(
        "outcome",
        f'value "{answer.outcome}" differs from {first.place}',
        f'"{outcome}", or another repetition',
        first=first.place,
    )


def _annotation_key(line: ImportedLine, judge: bytes, reads: bytes | None, repeat: int) -> bytes:
    return b"".join((line.trial_key, judge, reads or b"", repeat.to_bytes(8, "big")))


def _annotation_content(value: str | None) -> str:
    """No canonical JSON is empty, so the empty text says invalid."""
    return value or ""


def _said(value: str | None) -> str:
    return "invalid" if value is None else f"value {value[:60]}"
