"""Counts of text files in a store: appended by file, read by corpus.

Nothing is changed: a file that is counted anew has a row of its own, and of each place the last
row holds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.canonical import canonical_json
from auditor.statistics.cooccurrence import PlaceCounts
from auditor.store.batch import Batch
from auditor.store.plan import agent_id
from auditor.store.records import CountedFile

_STANDING = """
    FROM corpus_files f WHERE f.corpus = ?
    AND f.seq = (SELECT max(l.seq) FROM corpus_files l
                 WHERE l.corpus = f.corpus AND l.place = f.place)"""


def add_counted(batch: Batch, record: CountedFile) -> None:
    """Store a file's counts."""
    connection = batch.connection
    agent = agent_id(connection, f"corpus:{record.corpus}")
    for path, text in record.materials.items():
        connection.execute(
            "INSERT OR IGNORE INTO materials VALUES (?, ?)", (path, batch.ids.text(text))
        )
    seq = batch.event(agent, "imported", None)
    batch.add_corpus_file(
        (
            seq,
            record.corpus,
            record.place,
            record.file,
            record.size,
            record.modified_ns,
            record.content,
            record.words,
            record.text_field,
            record.per_space,
            record.documents,
            record.rejected,
            canonical_json([list(each) for each in record.rejections]),
            record.problem,
        ),
        [
            (seq, space, counts.documents, *counts.sums, canonical_json(list(counts.products)))
            for space, counts in sorted(record.counts.items())
            if counts.documents
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A counted file as the store has it, without its counts."""

    seq: int
    place: str
    name: str
    size: int
    modified_ns: int
    content: str
    text_field: str
    documents: int
    rejected: int
    rejections: Sequence[tuple[int, str]]
    problem: str | None


@dataclass(frozen=True, kw_only=True)
class StoredCorpus:
    """A corpus: its counts by space, over all files that stand."""

    name: str
    per_space: int | None
    files: int = 0
    documents: int = 0
    rejected: int = 0
    broken: int = 0
    """Files that could not be read to their end."""
    counts: Mapping[str, PlaceCounts] = field(default_factory=dict)


def corpora(connection: sqlite3.Connection) -> list[str]:
    """Names of the corpora of a store, in the order in which they came."""
    rows = connection.execute("SELECT corpus FROM corpus_files GROUP BY corpus ORDER BY min(seq)")
    return [name for (name,) in rows]


def files(connection: sqlite3.Connection, corpus: str) -> Iterator[StoredFile]:
    """The files of a corpus that stand: of each place the last."""
    rows = connection.execute(
        "SELECT f.seq, f.place, f.file, f.size, f.modified_ns, f.content, f.field, f.documents,"
        f" f.rejected, f.rejections, f.problem {_STANDING} ORDER BY f.seq",
        (corpus,),
    )
    names = ("seq", "place", "name", "size", "modified_ns", "content", "text_field", "documents")
    for *fixed, rejections, problem in rows:
        yield StoredFile(
            **dict(zip((*names, "rejected"), fixed, strict=True)),
            rejections=[(number, reason) for number, reason in json.loads(rejections)],
            problem=problem,
        )


def documents_by_space(connection: sqlite3.Connection, seq: int) -> dict[str, int]:
    """Documents of one counted file that hold each space."""
    rows = connection.execute("SELECT space, documents FROM corpus_counts WHERE seq = ?", (seq,))
    return dict(rows.fetchall())


def read_corpus(connection: sqlite3.Connection, corpus: str) -> StoredCorpus | None:
    """A corpus with the sums of its files; None where the store has none of that name."""
    row = connection.execute(
        "SELECT max(f.per_space), count(*), sum(f.documents), sum(f.rejected),"
        f" count(f.problem) {_STANDING}",
        (corpus,),
    ).fetchone()
    per_space, count, documents, rejected, broken = row
    if not count:
        return None
    found: dict[str, PlaceCounts] = {}
    for space, number, *sums, products in connection.execute(
        "SELECT space, documents, women_sentences, women_tokens, men_sentences, men_tokens,"
        f" products FROM corpus_counts WHERE seq IN (SELECT f.seq {_STANDING})",
        (corpus,),
    ):
        counts = PlaceCounts.of(number, sums, json.loads(products))
        found[space] = found[space] + counts if space in found else counts
    return StoredCorpus(
        name=corpus,
        per_space=per_space,
        files=count,
        documents=documents,
        rejected=rejected,
        broken=broken,
        counts=found,
    )
