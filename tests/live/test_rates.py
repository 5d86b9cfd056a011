"""Rates and time left, with the clock in the test's hand."""

import pytest

from auditor.live.rates import RateMeter
from tests.live.snapshots import agent, gauge, judge, snapshot, target


def test_the_first_snapshot_says_nothing_of_speed() -> None:
    rates = RateMeter().observe(snapshot(target(responses=100)), 0.0)
    assert rates.calls is None
    assert rates.targets == {}
    assert rates.seconds_left is None


def test_two_snapshots_too_close_to_each_other_say_nothing() -> None:
    meter = RateMeter()
    meter.observe(snapshot(target(responses=0)), 0.0)
    assert meter.observe(snapshot(target(responses=9)), 0.4).calls is None


def test_a_steady_run_has_its_speed_and_its_end() -> None:
    meter = RateMeter()
    for second in range(30):
        rates = meter.observe(snapshot(target(responses=20 * second, planned=1000)), float(second))
    assert rates.calls == pytest.approx(20.0)
    assert rates.targets == {"llama": pytest.approx(20.0)}
    assert rates.seconds_left == pytest.approx((1000 - 580) / 20)
    assert rates.target_seconds_left == {"llama": pytest.approx(21.0)}


def test_the_speed_forgets_what_is_older_than_the_window() -> None:
    meter = RateMeter(window_seconds=10)
    responses = 0
    for second in range(40):
        responses += 100 if second < 20 else 10
        rates = meter.observe(snapshot(target(responses=responses, planned=10_000)), float(second))
    assert rates.calls == pytest.approx(10.0)


def test_a_run_that_stands_still_has_speed_zero_and_no_known_end() -> None:
    meter = RateMeter(window_seconds=10)
    for second in range(120):
        rates = meter.observe(snapshot(target(responses=50)), float(second))
    assert rates.calls == 0.0
    assert rates.seconds_left is None
    assert rates.target_seconds_left == {}


def test_snapshots_rarer_than_the_window_still_give_a_speed() -> None:
    meter = RateMeter(window_seconds=10)
    meter.observe(snapshot(target(responses=0)), 0.0)
    rates = meter.observe(snapshot(target(responses=90)), 30.0)
    assert rates.calls == pytest.approx(3.0)


def test_a_counter_that_goes_down_starts_over() -> None:
    meter = RateMeter()
    meter.observe(snapshot(target(responses=500)), 0.0)
    assert meter.observe(snapshot(target(responses=100)), 5.0).calls is None
    assert meter.observe(snapshot(target(responses=150)), 10.0).calls == pytest.approx(10.0)


def test_calls_count_where_they_are_known_and_annotations_where_a_judge_makes_none() -> None:
    meter = RateMeter()
    for second in range(5):
        seen = snapshot(
            target(responses=second),
            judges=(judge(2 * second), judge(second, task="name", judge="opus")),
            agents=(
                agent("generator:llama", calls=3 * second),
                agent("judge:name/opus", calls=4 * second),
                agent("judge:name/opus", "other", calls=second),
            ),
        )
        rates = meter.observe(seen, float(second))
    assert rates.targets == {"llama": pytest.approx(3.0)}
    assert rates.judges[("choice", "rules")] == pytest.approx(2.0)
    assert rates.judges[("name", "opus")] == pytest.approx(5.0)


def _left(*counts: tuple[int, int], **rest: object) -> float | None:
    """Seconds left of targets a, b, ... that did (responses, a second) of 1000 each."""
    meter = RateMeter()
    rates = None
    for second in range(20):
        targets = [
            target(name, done - speed * (19 - second), 1000)
            for name, (done, speed) in zip("abc", counts, strict=False)
        ]
        rates = meter.observe(snapshot(*targets, **rest), float(second))
    assert rates is not None
    return rates.seconds_left


def test_the_end_is_that_of_the_slowest_endpoint() -> None:
    agents = (agent("generator:a", "fast"), agent("generator:b", "slow"))
    assert _left((800, 20), (800, 10), agents=agents) == pytest.approx(20.0)


def test_targets_of_one_endpoint_inherit_the_speed_of_those_that_finish() -> None:
    agents = (agent("generator:a", "one"), agent("generator:b", "one"))
    assert _left((900, 10), (700, 10), agents=agents) == pytest.approx(400 / 20)


def test_a_waiting_target_leaves_the_end_open() -> None:
    agents = (agent("generator:a", "one"), agent("generator:b", "two"))
    waiting = (gauge("two", reason="rate limit", waiting_until=9e9),)
    assert _left((900, 10), (100, 0), agents=agents, endpoints=waiting) is None


def test_a_stopped_endpoint_does_not_hide_the_end_of_the_others() -> None:
    agents = (agent("generator:a", "one"), agent("generator:b", "two"))
    stopped = (gauge("two", reason="the key is refused", is_stopped=True),)
    assert _left((900, 10), (100, 0), agents=agents, endpoints=stopped) == pytest.approx(10.0)


def test_only_a_running_run_has_an_end_to_come() -> None:
    assert _left((900, 10), state="interrupted") is None


def test_nothing_left_is_zero_seconds() -> None:
    assert _left((1000, 10)) == 0.0


def test_memory_is_bounded() -> None:
    meter = RateMeter(window_seconds=10)
    for tick in range(2_000):
        rates = meter.observe(snapshot(target(responses=5 * tick, planned=20_000)), tick * 0.05)
    assert len(meter._samples) < 500
    assert rates.calls == pytest.approx(100.0, rel=0.05)
