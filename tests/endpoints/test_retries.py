"""When a failed call is tried again."""

import pytest

from auditor.endpoints import RetryPolicy, RetryQueue
from auditor.errors import (
    AuthError,
    ContentError,
    QuotaError,
    RateError,
    RejectedError,
    TransientError,
    UnknownModelError,
)

POLICY = RetryPolicy()
ALMOST_ONE = 1 - 2**-53


def delay(error, *, transient=1, rate=1, jitter=ALMOST_ONE):
    return POLICY.delay_seconds(
        error, transient_attempts=transient, rate_attempts=rate, jitter=jitter
    )


def test_backoff_doubles_up_to_its_cap():
    policy = RetryPolicy(transient_attempts=100)
    delays = [
        policy.delay_seconds(
            TransientError("503"), transient_attempts=n, rate_attempts=0, jitter=ALMOST_ONE
        )
        for n in range(1, 10)
    ]
    assert delays == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60, 60])


def test_jitter_is_full():
    assert delay(TransientError("503"), transient=4, jitter=0.0) == 0.0
    assert delay(TransientError("503"), transient=4, jitter=0.25) == 2.0


@pytest.mark.parametrize("seconds", [0.0, 3.5, 600.0])
@pytest.mark.parametrize("kind", [TransientError, RateError])
def test_what_the_endpoint_names_wins_over_jitter_and_cap(kind, seconds):
    assert delay(kind("later", retry_after_seconds=seconds), jitter=0.5) == seconds


@pytest.mark.parametrize("kind", [TransientError, RateError])
def test_no_wait_is_longer_than_an_hour_whatever_the_endpoint_names(kind):
    assert delay(kind("later", retry_after_seconds=1e300)) == 3600.0


def test_a_used_up_account_is_not_asked_before_the_time_that_it_names():
    assert delay(QuotaError("tomorrow", retry_after_seconds=86400.0)) == 86400.0


def test_transient_errors_are_given_up_after_eight_attempts():
    assert delay(TransientError("503"), transient=7) is not None
    assert delay(TransientError("503"), transient=8) is None
    assert delay(TransientError("503", retry_after_seconds=1.0), transient=8) is None


def test_refusals_for_rate_have_a_larger_count_of_their_own():
    assert delay(RateError("429"), transient=8, rate=29) is not None
    assert delay(RateError("429"), rate=30) is None
    assert delay(TransientError("503"), transient=1, rate=30) is not None


@pytest.mark.parametrize(
    "error",
    [
        AuthError("401"),
        QuotaError("used up"),
        UnknownModelError("404"),
        ContentError("filtered"),
        RejectedError("400", retry_after_seconds=1.0),
    ],
)
def test_what_would_fail_again_is_not_tried_again(error):
    assert delay(error) is None


def test_a_used_up_account_comes_back_at_the_time_named():
    assert delay(QuotaError("used up", retry_after_seconds=7200.0)) == 7200.0


@pytest.mark.parametrize(("attempts", "seconds"), [(1, 1.0), (4, 8.0), (500, 60.0)])
def test_a_used_up_account_that_names_no_time_at_all_is_asked_less_and_less(attempts, seconds):
    at_once = QuotaError("used up", retry_after_seconds=0.0)
    assert delay(at_once, transient=attempts) == pytest.approx(seconds)


def test_a_huge_count_does_not_overflow():
    policy = RetryPolicy(transient_attempts=10_000)
    assert (
        policy.delay_seconds(
            TransientError("x"), transient_attempts=9_000, rate_attempts=0, jitter=0.5
        )
        == 30.0
    )


def test_the_queue_gives_items_in_order_of_time_then_of_arrival():
    queue: RetryQueue[str] = RetryQueue()
    for due, item in [(5.0, "c"), (1.0, "a"), (5.0, "d"), (3.0, "b")]:
        queue.push(due, item)
    assert len(queue) == 4
    assert queue.next_due() == 1.0
    assert queue.pop_due(0.9) is None
    assert [queue.pop_due(5.0) for _ in range(5)] == ["a", "b", "c", "d", None]
    assert queue.next_due() is None


def test_items_that_cannot_be_compared_can_wait_for_the_same_time():
    queue: RetryQueue[dict[str, int]] = RetryQueue()
    queue.push(1.0, {"first": 1})
    queue.push(1.0, {"second": 2})
    assert queue.pop_due(1.0) == {"first": 1}


def test_all_that_waits_can_be_taken_out_at_once():
    queue: RetryQueue[str] = RetryQueue()
    queue.push(2.0, "b")
    queue.push(1.0, "a")
    assert queue.drain() == ["a", "b"]
    assert len(queue) == 0
