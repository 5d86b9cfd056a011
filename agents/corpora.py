"""The statistics of texts that were counted, of which nobody was asked anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from auditor.protocols import spatial_corpus
from auditor.protocols.base import Materials, StatisticRow
from auditor.protocols.spatial_explicit.prompts import all_spaces
from auditor.store.corpus import corpora, read_corpus


def corpus_statistics(
    connection: sqlite3.Connection, materials: Materials
) -> Iterator[StatisticRow]:
    """The rows of every corpus of a store."""
    for name in corpora(connection):
        corpus = read_corpus(connection, name)
        if corpus is not None:
            spaces = [space.name for space in all_spaces(materials)]
            yield from spatial_corpus.statistics(
                name, spaces, corpus.counts, per_space=corpus.per_space
            )
