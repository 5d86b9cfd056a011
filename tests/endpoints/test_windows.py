"""At most so much in any minute."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.windows import MinuteWindow

CALLS = st.lists(
    st.tuples(st.floats(0, 30, allow_nan=False), st.integers(1, 40)), min_size=1, max_size=60
)


@given(CALLS)
def test_no_minute_holds_more_than_the_limit(calls):
    window, now, taken = MinuteWindow(100), 0.0, []
    for pause, amount in calls:
        now += pause
        now += window.wait_seconds(now, amount)
        assert window.wait_seconds(now, amount) == 0.0
        window.add(now, amount)
        taken.append((now, amount))
    for end, _ in taken:
        assert sum(amount for at, amount in taken if end - 60 < at <= end) <= 100


def test_what_fits_does_not_wait():
    window = MinuteWindow(100)
    window.add(0.0, 60)
    assert window.wait_seconds(1.0, 40) == 0.0
    assert window.wait_seconds(1.0, 41) == pytest.approx(59.0, abs=1e-4)
    assert window.used(59.9) == 60
    assert window.used(60.0) == 0


def test_more_than_the_limit_passes_alone():
    window = MinuteWindow(100)
    assert window.wait_seconds(0.0, 500) == 0.0
    window.add(0.0, 500)
    assert window.wait_seconds(0.0, 1) == pytest.approx(60.0, abs=1e-4)


def test_an_estimate_is_corrected_while_it_stands_in_the_window():
    window = MinuteWindow(100)
    entry = window.add(0.0, 80)
    window.amend(entry, -70, 5.0)
    assert window.used(5.0) == 10
    window.amend(entry, -5, 61.0)
    assert window.used(61.0) == 0


def test_entries_of_one_tenth_of_a_second_are_kept_as_one():
    window = MinuteWindow(1e9)
    for place in range(60_000):
        window.add(place / 1000, 1)
    assert len(window._entries) <= 601
    assert window.used(59.999) == 60_000
