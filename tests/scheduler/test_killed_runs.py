"""Runs that are killed at seeded moments, again and again."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

from tests.cli.driving import auditor
from tests.faults.audits import CONCURRENCY
from tests.forked import Forked
from tests.killing import AMID, OPENING, STATISTICS, kill_and_resume

KILLS = 15


def test_a_run_killed_fifteen_times_leaves_what_an_undisturbed_one_leaves(tmp_path: Path) -> None:
    """While it opens, asks targets, asks judges, and computes its statistics."""
    toll = kill_and_resume(
        tmp_path,
        partial(Forked, said=tmp_path / "said"),
        kills=KILLS,
        repetitions=1,
        draw=random.Random(7),
        opening_seconds=0.3,
        statistics_seconds=0.1,
    )
    assert toll.ended == [0, 0]
    assert toll.kills == {OPENING: 3, AMID: 9, STATISTICS: 3}
    assert toll.with_targets > 3
    assert toll.with_judges > 3
    assert toll.lost == 0
    assert toll.differing == {"trials": 0, "responses": 0, "annotations": 0, "statistics": 0}
    # By the server's own count: no call was made again but those in flight at a kill.
    assert 0 < max(toll.in_flight) <= CONCURRENCY
    assert toll.repeated <= sum(toll.in_flight)
    # And the store had listed each of them as of unknown outcome.
    assert toll.unlisted == 0
    assert auditor("verify", tmp_path / "killed.db").code == 0
