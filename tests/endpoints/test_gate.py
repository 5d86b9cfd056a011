"""What a gate learns from refusals, answers and headers."""

import math

import pytest

from auditor.endpoints.concurrency import AdaptiveConcurrency
from auditor.endpoints.gate import Gate
from auditor.types import RateHints


def opened(ceiling=32, *, now=0.0, calls=0):
    """A gate without a slow start, with so many calls under way."""
    gate = Gate(ceiling, climbs=False)
    return gate, [gate.take(now) for _ in range(calls)]


def test_calls_wait_for_a_slot_when_all_are_taken():
    gate, _ = opened(2, calls=2)
    assert gate.wait_seconds(0.0) == math.inf
    gate.release()
    assert gate.wait_seconds(0.0) == 0.0


def test_one_episode_shrinks_once_however_many_calls_it_refuses():
    gate, leaves = opened(20, calls=20)
    for place, leave in enumerate(leaves):
        gate.refused(1.0 + place / 100, leave)
        gate.release()
    assert gate.limit == 17
    assert gate.concurrency.limit == 17


def test_a_later_episode_shrinks_again():
    gate, leaves = opened(20, calls=20)
    gate.refused(1.0, leaves[0])
    for _ in leaves:
        gate.release()
    for _ in range(18):
        leave = gate.take(3.0)
    gate.refused(3.1, leave)
    assert gate.limit < 17


@pytest.mark.parametrize("seconds", [3601.0, 86400.0, 1e300])
def test_no_pause_lasts_longer_than_an_hour_whatever_the_endpoint_names(seconds):
    gate, leaves = opened(calls=2)
    gate.refused(1.0, leaves[0], seconds)
    assert gate.wait_seconds(1.0) == 3600.0
    gate.refused(2.0, leaves[1], seconds)
    assert gate.wait_seconds(2.0) == 3600.0
    gate, _ = opened()
    gate.hinted(1.0, RateHints(remaining_requests=0, reset_seconds=seconds))
    assert gate.wait_seconds(1.0) == 3600.0


def test_retry_after_pauses_the_endpoint_as_a_whole():
    gate, leaves = opened(calls=1)
    gate.refused(1.0, leaves[0], 12.0)
    assert gate.wait_seconds(1.0) == 12.0
    assert gate.wait_seconds(12.9) == pytest.approx(0.1)
    assert gate.wait_seconds(13.0) == 0.0


def test_a_refusal_of_the_same_episode_lengthens_the_pause_and_never_shortens_it():
    gate, leaves = opened(calls=3)
    gate.refused(1.0, leaves[0], 10.0)
    gate.refused(1.1, leaves[1], 2.0)
    assert gate.paused_until == 11.0
    gate.refused(1.2, leaves[2], 20.0)
    assert gate.paused_until == pytest.approx(21.2)


def test_an_endpoint_that_stays_closed_gets_one_call_after_ever_longer_pauses():
    gate, leaves = opened(64, calls=64)
    gate.refused(1.0, leaves[0])
    for _ in leaves:
        gate.release()
    limit, pauses, now = gate.limit, [], 1.0
    for _ in range(9):
        now += gate.wait_seconds(now)
        leave = gate.take(now)
        now += 0.1
        gate.refused(now, leave)
        gate.release()
        assert gate.limit == 1
        pauses.append(gate.wait_seconds(now))
    assert pauses == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60, 60], abs=0.01)
    leave = gate.take(now + 60)
    gate.answered(now + 61, leave)
    assert gate.limit == limit


def test_headers_that_say_nothing_is_left_wait_for_the_reset_without_shrinking():
    gate, _ = opened(calls=0)
    gate.hinted(5.0, RateHints(remaining_requests=0, reset_seconds=3.0))
    assert gate.wait_seconds(5.0) == 3.0
    assert gate.limit == 32


@pytest.mark.parametrize(
    "hints",
    [
        RateHints(remaining_requests=1, reset_seconds=3.0),
        RateHints(remaining_requests=0),
        RateHints(reset_seconds=3.0),
    ],
)
def test_headers_that_leave_something_or_name_no_time_hold_nothing_back(hints):
    gate, _ = opened()
    gate.hinted(5.0, hints)
    assert gate.wait_seconds(5.0) == 0.0


def test_after_a_refusal_calls_are_spaced_by_the_flow_that_was_let_through():
    gate, _ = opened(64)
    # Ten calls a second for a minute, half a second each: five are under way.
    under_way = []
    for place in range(600):
        if len(under_way) == 5:
            leave = under_way.pop(0)
            gate.answered(place / 10, leave)
            gate.release()
        under_way.append(gate.take(place / 10))
    gate.refused(60.0, under_way[-1])
    assert 9.0 <= gate.pace.learned_rate <= 9.61
    now = gate.paused_until
    for _ in range(5):
        gate.take(now)
    assert gate.wait_seconds(now) == pytest.approx(5 / gate.pace.learned_rate, rel=0.05)


def test_a_first_refusal_during_the_start_sets_the_pace_to_the_flow_so_far():
    gate = Gate(256)
    leaves = [gate.take(place / 20) for place in range(21)]
    gate.refused(1.0, leaves[-1])
    assert gate.pace.learned_rate == pytest.approx(20.0)


def test_concurrency_stays_between_one_and_the_specs_limit():
    limit = AdaptiveConcurrency(3)
    for _ in range(50):
        limit.shrink(in_flight=3)
        assert limit.limit >= 1
    assert limit.limit == 1
    for _ in range(50):
        limit.grow()
    assert limit.limit == 3


def test_a_limit_that_was_not_reached_stays_above_what_is_in_use():
    limit = AdaptiveConcurrency(100)
    for _ in range(50):
        limit.shrink(in_flight=10)
    assert limit.limit == 11
