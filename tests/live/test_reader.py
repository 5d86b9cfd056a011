"""What a view reads of a store, also where reading fails for a while."""

from __future__ import annotations

import sqlite3

import pytest

from auditor.live.reader import ProgressReader
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
