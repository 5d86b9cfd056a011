"""What the soak calls held and what broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.faults.soaked import Moment, promises, quantile_ms, slope
from tests.faults.watched import delays

STEADY = [
    Moment(
        seconds=5.0 * i,
        trials=10_000 * i,
        judgements=10_000 * i,
        rss_mb=150.0 + (-1) ** i * 0.2,
        files=80,
        wal_mb=4.0,
        store_mb=10.0 * i,
        lags=Counter({20: 495, 900: 5}),
    )
    for i in range(1, 41)
]


def changed(**parts) -> list[Moment]:
    """Each moment with a part as a function of its place."""
    return [
        replace(moment, **{name: make(place) for name, make in parts.items()})
        for place, moment in enumerate(STEADY)
    ]


def test_a_steady_run_keeps_all_its_promises():
    assert [promise.holds for promise in promises(STEADY)] == [True] * 4


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        (0, {"rss_mb": lambda i: 150.0 + 0.11 * i}),
        (0, {"rss_mb": lambda i: 150.0 + 0.09 * i + 2.0 * (i % 2)}),  # the interval reaches beyond
        (1, {"files": lambda i: 80 + i // 5}),
        (2, {"wal_mb": lambda i: 70.0 if i == 20 else 4.0}),
        (3, {"lags": lambda i: Counter({20: 485, 1100: 15})}),
    ],
    ids=["memory", "memory, unsure", "files", "log", "lag"],
)
def test_each_promise_can_be_broken(place, parts):
    holds = [promise.holds for promise in promises(changed(**parts))]
    assert holds == [i != place for i in range(4)]


def test_the_slope_is_that_of_a_straight_line():
    found = slope([1.0, 2.0, 4.0], [5.0, 7.0, 11.0])
    assert found.value == pytest.approx(2.0)
    assert found.error == pytest.approx(0.0, abs=1e-9)


def test_a_loop_that_stands_still_is_late_for_all_that_it_was_to_do_meanwhile():
    """Asked every 10 ms and once late by 35 ms: late by 35, 25, 15 and 5 ms."""
    assert list(delays(0.035)) == pytest.approx([350, 250, 150, 50], abs=1)
    assert list(delays(0.0)) == [0]
    assert quantile_ms(Counter({10: 99, 500: 1}), 0.99) == 1.0
    assert quantile_ms(Counter({10: 98, 500: 2}), 0.99) == 50.0
    assert quantile_ms(Counter(), 0.5) is None
