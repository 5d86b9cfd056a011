"""What a run may spend."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints import Budget, Estimate, estimate
from auditor.types import Message, Price, Usage


def call(input_tokens=100, output_tokens=10, usd=0.01):
    return Estimate(input_tokens=input_tokens, output_tokens=output_tokens, usd=usd)


def used(tokens):
    return Usage(input_tokens=tokens - 1, output_tokens=1)


def test_an_estimate_counts_bytes_sixteen_a_message_and_the_cap_for_each_choice():
    messages = [Message("system", "abc"), Message("user", "厨房")]
    found = estimate(messages, max_tokens=20, choices=3, price=Price(input=2.0, output=10.0))
    assert found.input_tokens == 3 + 6 + 2 * 16
    assert found.output_tokens == 60
    assert found.tokens == 101
    assert found.usd == pytest.approx((41 * 2 + 60 * 10) / 1e6)


def test_an_estimate_without_a_cap_or_a_price_is_unknown_and_not_zero():
    message = [Message("user", "\ud800")]
    assert estimate(message, max_tokens=None, price=Price(input=1, output=1)).usd is None
    assert estimate(message, max_tokens=None).tokens is None
    assert estimate(message, max_tokens=5).usd is None


def test_a_schema_counts_as_input():
    plain = estimate([Message("user", "x")], max_tokens=1)
    with_schema = estimate([Message("user", "x")], max_tokens=1, schema={"type": "object"})
    assert with_schema.input_tokens == plain.input_tokens + len('{"type":"object"}')


@given(
    limit=st.integers(0, 2000),
    steps=st.lists(
        st.tuples(st.integers(1, 300), st.integers(1, 60), st.sampled_from("skfo")), max_size=60
    ),
)
def test_spent_and_reserved_never_pass_the_limit(limit, steps):
    budget = Budget(tokens=limit)
    under_way = []
    for size, part, fate in steps:
        one = call(input_tokens=size, output_tokens=part)
        if budget.reserve(one):
            under_way.append(one)
        if under_way and fate != "o":
            first = under_way.pop(0)
            if fate == "s":
                budget.settle(first, used(max(1, first.tokens // 2)), None)
            elif fate == "k":
                budget.keep(first)
            else:
                budget.forget(first)
        held = sum(one.tokens for one in under_way)
        assert budget.spent_tokens + held <= limit
        assert budget.open_reservations == len(under_way)


@pytest.mark.parametrize(
    ("limits", "fitting"),
    [({"calls": 3}, 3), ({"tokens": 459}, 4), ({"usd": 0.05}, 5), ({"usd": 0.05, "calls": 2}, 2)],
)
def test_each_limit_stops_for_itself(limits, fitting):
    budget = Budget(**limits)
    assert sum(budget.reserve(call()) for _ in range(10)) == fitting


def test_without_limits_everything_fits_and_is_counted():
    budget = Budget()
    unbounded = Estimate(input_tokens=10, output_tokens=None, usd=None)
    assert all(budget.reserve(unbounded) for _ in range(100))
    budget.settle(unbounded, used(50), 0.25)
    assert (budget.spent_calls, budget.spent_tokens, budget.spent_usd) == (1, 50, 0.25)
    assert not budget.exceeded_reservation


def test_what_a_call_did_not_use_is_there_for_others():
    budget = Budget(tokens=200)
    assert budget.reserve(call())
    assert not budget.reserve(call())
    budget.settle(call(), used(20), 0.001)
    assert budget.reserve(call())


def test_a_call_of_unknown_outcome_stays_counted_at_its_reservation():
    budget = Budget(usd=1.0, calls=10, tokens=1000)
    budget.reserve(call())
    budget.keep(call())
    assert (budget.spent_calls, budget.spent_tokens, budget.spent_usd) == (1, 110, 0.01)
    assert budget.open_reservations == 0


def test_usage_that_the_endpoint_does_not_say_stays_at_the_reservation():
    budget = Budget(usd=1.0)
    budget.reserve(call())
    budget.settle(call(), Usage(input_tokens=5), None)
    assert (budget.spent_tokens, budget.spent_usd) == (110, 0.01)


def test_a_refused_call_costs_a_call_and_one_never_sent_nothing():
    budget = Budget(calls=5)
    budget.reserve(call())
    budget.forget(call())
    budget.reserve(call())
    budget.forget(call(), was_sent=False)
    assert (budget.spent_calls, budget.spent_tokens, budget.reserved_usd) == (1, 0, 0.0)


@pytest.mark.parametrize(
    ("limits", "usage", "usd", "said"),
    [
        ({"tokens": 1000}, used(111), None, "a call used 111 tokens where 110 were reserved"),
        (
            {"usd": 1.0},
            used(50),
            0.02,
            "a call cost 0.020000 USD where 0.010000 USD were reserved",
        ),
    ],
)
def test_usage_above_the_reservation_is_said_and_ends_reserving(limits, usage, usd, said):
    budget = Budget(**limits)
    budget.reserve(call())
    budget.settle(call(), usage, usd)
    assert budget.exceeded_reservation
    assert budget.excess == said
    assert not budget.reserve(call(1, 1, 0.0))


def test_what_earlier_processes_spent_counts():
    budget = Budget(usd=0.05, calls=4)
    budget.restore(calls=2, tokens=300, usd=0.02)
    assert budget.spent_usd == 0.02
    assert sum(budget.reserve(call()) for _ in range(10)) == 2


def test_a_million_small_calls_leave_no_remainder():
    budget = Budget(usd=1000.0)
    one = call(usd=0.0000123)
    for _ in range(100_000):
        budget.reserve(one)
        budget.settle(one, used(10), 0.0000001)
    assert budget.reserved_usd == 0.0
    assert budget.spent_usd == pytest.approx(0.01, abs=1e-9)


@pytest.mark.parametrize(
    ("limits", "one"),
    [
        ({"tokens": 10}, call(output_tokens=None)),
        ({"usd": 1.0}, call(usd=None)),
    ],
)
def test_a_call_without_a_bound_in_what_is_limited_is_a_defect(limits, one):
    with pytest.raises(ValueError, match="needs an output cap"):
        Budget(**limits).reserve(one)
