"""One limit spread over the settings of a judge."""

from __future__ import annotations

import pytest

from auditor.scheduler.shares import shares


@pytest.mark.parametrize(
    ("limit", "wanted", "step", "given"),
    [
        (6, [10, 10], 1, (3, 3)),
        (7, [10, 10], 1, (4, 3)),
        (9, [1, 10, 10], 1, (1, 4, 4)),
        (99, [1, 10], 1, (1, 10)),
        (5, [0, 10], 1, (0, 5)),
        (7, [10, 10], 2, (4, 2)),
        (3, [10, 10], 2, (2, 0)),
        (9, [3, 10], 2, (4, 4)),
        (1, [10, 10], 2, (0, 0)),
        (3, [], 1, ()),
    ],
)
def test_a_limit_is_spread_evenly_in_whole_steps_and_never_passed(limit, wanted, step, given):
    assert shares(limit, wanted, step=step) == given
    assert sum(given) <= limit
