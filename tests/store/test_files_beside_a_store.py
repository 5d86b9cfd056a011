"""What SQLite lays beside a store is gone once nobody has the store open."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.store.connection import connect, make_durable
from auditor.store.plan import lay_out


@pytest.fixture
def store(tmp_path) -> Path:
    lay_out(tmp_path / "s.db")
    return tmp_path / "s.db"


def names(store: Path) -> list[str]:
    return sorted(path.name for path in store.parent.iterdir())


def test_a_reader_leaves_nothing_beside_the_store(store):
    before = store.read_bytes()
    connect(store, read_only=True).close()
    assert names(store) == ["s.db"]
    assert store.read_bytes() == before


def test_a_reader_that_closes_after_the_writer_leaves_nothing_either(store):
    writer = connect(store)
    make_durable(writer)
    reader = connect(store, read_only=True)
    writer.execute("INSERT INTO agents (name) VALUES ('a')")
    writer.close()
    assert reader.execute("SELECT name FROM agents").fetchall() == [("a",)]
    reader.close()
    assert names(store) == ["s.db"]


def test_a_reader_leaves_alone_what_others_use(store):
    writer, other = connect(store), connect(store, read_only=True)
    make_durable(writer)
    connect(store, read_only=True).close()
    writer.execute("INSERT INTO agents (name) VALUES ('a')")
    connect(store, read_only=True).close()
    assert other.execute("SELECT name FROM agents").fetchall() == [("a",)]
    writer.close()
    other.close()
    assert names(store) == ["s.db"]
