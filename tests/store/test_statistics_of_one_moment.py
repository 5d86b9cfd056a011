"""Statistics of a store that another process goes on writing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents import statistician
from auditor.scheduler.refresh import compute_statistics
from tests import builders


def test_all_of_them_are_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.db"
    builders.write(path, builders.cells())

    def computed(connection: sqlite3.Connection, *_: Any, **__: Any) -> list[str]:
        def run() -> str:
            return str(connection.execute("SELECT name FROM runs").fetchone()[0])

        before = run()
        with closing(sqlite3.connect(path)) as other:
            other.execute("UPDATE runs SET name = name || ' changed'")
            other.commit()
        return [before, run()]

    monkeypatch.setattr(statistician, "compute", computed)
    plan: Any = SimpleNamespace(materials={}, spec=SimpleNamespace(protocols={}, bases={}))
    before, after = compute_statistics(path, plan)
    assert before == after
