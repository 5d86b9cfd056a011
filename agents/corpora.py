"""The statistics of texts that were counted, of which nobody was asked anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from auditor.protocols import spatial_corpus
from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.prompts import all_spaces
from auditor.store.corpus import corpora, read_corpus
from auditor.store.results import ResultRow


def corpus_rows(connection: sqlite3.Connection, materials: Materials) -> Iterator[ResultRow]:
    """The rows of every corpus of a store."""
    for name in corpora(connection):
        corpus = read_corpus(connection, name)
        if corpus is None:
            continue
        spaces = [space.name for space in all_spaces(materials)]
        for row in spatial_corpus.statistics(
            name, spaces, corpus.counts, per_space=corpus.per_space
        ):
            yield ResultRow(
                protocol=row.protocol,
                statistic=row.statistic,
                target=row.target,
                group=row.group,
                value=row.value,
                ci_low=row.ci_low,
                ci_high=row.ci_high,
                p_value=row.p_value,
                n=row.n,
                note=row.note,
                simulated=False,
            )
