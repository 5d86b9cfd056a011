"""What a store has of the files that are to be counted: the same ones are not counted again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence

from auditor.corpus.parts import CorpusFile, content_digest
from auditor.corpus.workers import Workers
from auditor.store.corpus import StoredFile, documents_by_space, files, read_corpus


class Former:
    """The files of a corpus that stand, those that are counted meanwhile among them."""

    def __init__(
        self, connection: sqlite3.Connection, corpus: str, field: str, workers: Workers
    ) -> None:
        self._connection = connection
        self._corpus = corpus
        self._field = field
        self._workers = workers
        self._by_place = {each.place: each for each in files(connection, corpus)}
        self._by_content: dict[tuple[str, str], StoredFile | CorpusFile] = {}
        """Which file stands with a content and field."""

    def field_of(self, file: CorpusFile) -> str:
        """The field with the text of a file; empty where it has none."""
        return self._field if file.has_field else ""

    def documents(self) -> dict[str, int]:
        """Documents by space, of all files that stand."""
        corpus = read_corpus(self._connection, self._corpus)
        counts = {} if corpus is None else corpus.counts
        return {space: each.documents for space, each in counts.items()}

    def taken(self, file: CorpusFile) -> dict[str, int]:
        """Documents by space that the former state of a file has given."""
        former = self._by_place.get(file.place)
        return {} if former is None else documents_by_space(self._connection, former.seq)

    async def same(
        self, found: Sequence[CorpusFile]
    ) -> list[tuple[CorpusFile, StoredFile | CorpusFile | None]]:
        """Each file with the one of the same content that stands; None: it has to be counted.

        A file with the size and time that it had is taken to be what it was.
        """
        named = {each.place for each in found}
        alike: dict[tuple[int, str], list[StoredFile]] = {}
        for former in self._by_place.values():
            if former.problem is None:
                alike.setdefault((former.size, former.text_field), []).append(former)
            if former.place not in named:
                self._by_content[former.content, former.text_field] = former
        matched: list[tuple[CorpusFile, StoredFile | CorpusFile | None]] = []
        contents: dict[str, str] = {}
        for file in found:
            peers = alike.get((file.size, self.field_of(file)), [])
            own = next((each for each in peers if each.place == file.place), None)
            if peers and (own is None or own.modified_ns != file.modified_ns):
                contents[file.place] = await self._content(file)
                own = own if own is not None and own.content == contents[file.place] else None
            if own is not None:
                self._by_content[own.content, own.text_field] = own
            matched.append((file, own))
        # What another file has is known only when all are found out that stay as they were.
        return [
            (file, same or self.standing(file, contents.get(file.place, "")))
            for file, same in matched
        ]

    def standing(self, file: CorpusFile, content: str) -> StoredFile | CorpusFile | None:
        """The file that stands with this content, where there is one."""
        return self._by_content.get((content, self.field_of(file)))

    def breaks_off_as_before(self, file: CorpusFile, content: str, problem: str | None) -> bool:
        """Whether a file that could not be read to its end is as it was."""
        former = self._by_place.get(file.place)
        return former is not None and (former.content, former.problem) == (content, problem)

    def add(self, file: CorpusFile, content: str) -> None:
        """A file that has been counted stands."""
        self._by_content[content, self.field_of(file)] = file

    async def _content(self, file: CorpusFile) -> str:
        read = await asyncio.gather(*(self._workers.digest(part) for part in file.parts))
        return content_digest(list(read))
