"""A store that an earlier version made is read as it is, and brought up by whoever writes it."""

import json
import sqlite3
from pathlib import Path

import pytest

from auditor.store.tables import SCHEMA_VERSION
from tests.cli.driving import auditor

SPEC = """
name = "old"
seed = 1
[[targets]]
name = "planned"
model = "sim:planned"
[protocols."spatial.explicit"]
repetitions = 2
spaces = ["kitchen", "mall"]
"""
LINE = {
    "protocol": "spatial.explicit",
    "target": "theirs",
    "factors": {"space": "kitchen"},
    "repetition": 0,
    "text": "Women.",
}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as version 1 of the schema has it."""
    (tmp_path / "old.toml").write_text(SPEC)
    assert auditor("run", str(tmp_path / "old.toml"), "--yes").code == 0
    connection = sqlite3.connect(tmp_path / "old.db")
    for table in ("appointed_judges", "corpus_counts", "corpus_files"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    return tmp_path / "old.db"


def version(store: Path) -> int:
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def test_readers_leave_an_older_store_as_it_is(old: Path) -> None:
    for command in (("status", "--json"), ("stats", "--json"), ("verify",), ("show",)):
        ended = auditor(command[0], str(old), *command[1:])
        assert ended.code == 0, ended.err
    assert version(old) == 1


def test_an_import_brings_an_older_store_up_and_judges_into_it(old: Path) -> None:
    lines = old.parent / "lines.jsonl"
    lines.write_text(json.dumps(LINE) + "\n")
    ended = auditor("import", str(lines), "--store", str(old))
    assert ended.code == 0, ended.err
    assert version(old) == SCHEMA_VERSION
    shown = auditor("show", str(old), "--task", "choice", "--value", "women", "--json")
    assert [row["target"] for row in json.loads(shown.out)].count("theirs") == 1


def test_a_resumed_older_store_is_brought_up(old: Path) -> None:
    ended = auditor("resume", str(old), "--yes")
    assert ended.code == 0, ended.err
    assert version(old) == SCHEMA_VERSION
