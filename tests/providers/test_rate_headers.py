"""Waits and allowances as headers spell them."""

import pytest

from auditor.providers.headers import duration_seconds, rate_hints, retry_after_seconds
from auditor.types import RateHints

# RFC 9110 writes its example date like this; the epoch is from `date -u -d`.
DATE, EPOCH = "Fri, 31 Dec 1999 23:59:59 GMT", 946684799.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": DATE}, 9.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "2678400"}, 2678400.0),
        ({"retry-after": "2678401"}, None),
        ({"retry-after": "1e300"}, None),
        ({"retry-after-ms": "1e300", "retry-after": "4"}, 4.0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, None),
        ({"retry-after-ms": "x", "retry-after": "4"}, 4.0),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_seconds(headers, now=EPOCH - 9) == seconds


def test_date_in_the_past_means_no_wait():
    assert retry_after_seconds({"retry-after": DATE}, now=EPOCH + 100) == 0


def test_date_is_compared_with_the_servers_own_clock():
    headers = {"retry-after": DATE, "date": "Fri, 31 Dec 1999 23:59:29 GMT"}
    assert retry_after_seconds(headers, now=0.0) == 30


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6ms", 0.006),
        ("1s", 1),
        ("1.5s", 1.5),
        ("1m30s", 90),
        ("1h0m2s", 3602),
        ("2d", 172800),
        ("", None),
        ("5", None),
        ("x5s", None),
        ("5s!", None),
    ],
)
def test_durations(text, seconds):
    assert duration_seconds(text) == pytest.approx(seconds)


def test_openai_headers():
    headers = {
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert rate_hints(headers) == RateHints(
        remaining_requests=59, remaining_tokens=0, reset_seconds=360.0
    )


def test_anthropic_headers_take_the_smallest_token_allowance():
    headers = {
        "anthropic-ratelimit-requests-remaining": "3",
        "anthropic-ratelimit-requests-reset": "1999-12-31T23:59:40Z",
        "anthropic-ratelimit-input-tokens-remaining": "2000",
        "anthropic-ratelimit-output-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": "1999-12-31T23:59:59Z",
        "anthropic-ratelimit-tokens-remaining": "2000",
    }
    assert rate_hints(headers, now=EPOCH - 12) == RateHints(
        remaining_requests=3, remaining_tokens=0, reset_seconds=12.0
    )


def test_reset_is_told_only_where_something_is_used_up():
    headers = {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "8s"}
    assert rate_hints(headers).reset_seconds is None


@pytest.mark.parametrize("reset", ["7", "1700000007", "1700000007000"])
def test_bare_numbers_are_delays_or_moments(reset):
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    assert rate_hints(headers, now=1_700_000_000.0).reset_seconds == pytest.approx(7.0)


@pytest.mark.parametrize("reset", ["1e300", "32d", "9999-12-31T23:59:59Z"])
def test_reset_beyond_a_month_is_unknown(reset):
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    assert rate_hints(headers, now=EPOCH).reset_seconds is None


def test_without_such_headers_nothing_is_known():
    assert rate_hints({"content-type": "application/json"}) is None
    assert rate_hints({"x-ratelimit-remaining-requests": "many"}) is None
