"""What a view reads of a store, also where reading fails for a while."""

from __future__ import annotations

import sqlite3

import pytest

from auditor import protocols
from auditor.errors import StoreError
from auditor.live.reader import ProgressReader
from auditor.protocols.base import headline_task
from auditor.store import plan
from tests import builders


def test_a_reading_that_failed_is_tried_again(tmp_path):
    """A store that is laid out and holds no run yet cannot be read; a moment later it can."""
    store = tmp_path / "s.db"
    plan.lay_out(store)
    read = ProgressReader(store)
    for _ in range(2):
        with pytest.raises((TypeError, sqlite3.Error)):
            read()
    builders.write(store, builders.cells())
    progress, _ = read()
    assert progress.planned == 6
    read.close()


@pytest.mark.parametrize("wanted", [True, False])
def test_headline_figures_are_read_only_where_they_are_shown(tmp_path, wanted):
    store = tmp_path / "s.db"
    builders.write(store, builders.cells())
    read = ProgressReader(store, with_headlines=wanted)
    progress, figures = read()
    read.close()
    assert progress.planned == 6
    assert bool(figures) is wanted


NOT_WRITTEN = ("{}", "[]", "{", '{"space":7,"prompt":[],"temperature":"x"}')


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with one cell, which is damaged, and one tally of it."""
    path = tmp_path_factory.mktemp("damaged") / "s.db"
    builders.write(path, builders.cells())
    altered = sqlite3.connect(path)
    altered.execute(
        "INSERT INTO cells VALUES (1, x'00', '', 1, '', NULL, '{}', 0, 2, 'planned', 0)"
    )
    altered.commit()
    altered.close()
    return path


def figures(store, protocol: str, factors: str) -> list[str]:
    """The headline figures of a protocol whose one cell has these factors, or what is wrong."""
    task = headline_task(protocols.get(protocol).tasks)
    labels = task.labels or ("1", "men", "male", "invalid")
    altered = sqlite3.connect(store)
    altered.execute("UPDATE judges SET task = ?", (task.name,))
    for table in ("plans", "planned_judges", "cells"):
        altered.execute(f"UPDATE {table} SET protocol = ?", (protocol,))
    altered.execute("UPDATE cells SET factors = ?", (factors,))
    altered.execute("DELETE FROM tallies")
    altered.executemany("INSERT INTO tallies VALUES (1, 1, ?, 1)", [(label,) for label in labels])
    altered.commit()
    altered.close()
    read = ProgressReader(store)
    try:
        return [figure.name for figure in read()[1]]
    except StoreError as error:
        return [error.message]
    finally:
        read.close()


@pytest.mark.parametrize("protocol", protocols.names())
def test_factors_that_nobody_has_written_are_damage_to_every_protocol(protocol, store):
    """Some protocols count without a look at them."""
    said = f"{store}: the file is damaged; cells, row 1: what it holds cannot be read"
    found = [figures(store, protocol, factors) for factors in NOT_WRITTEN]
    assert found[2] == [said]
    assert all(figure == said or "damaged" not in figure for each in found for figure in each)


def test_what_goes_wrong_over_sound_cells_is_no_damage(tmp_path, monkeypatch):
    store = tmp_path / "s.db"
    builders.write(store, builders.cells())

    def broken(self, target, counts):
        raise KeyError("a bug")

    monkeypatch.setattr(type(protocols.get("spatial.explicit")), "headlines", broken)
    read = ProgressReader(store)
    with pytest.raises(KeyError, match="a bug"):
        read()
    read.close()
