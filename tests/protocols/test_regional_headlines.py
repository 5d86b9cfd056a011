from itertools import permutations

import pytest

from auditor.protocols.regional.headlines import choice_headlines, rating_headlines


def decided(rank, wins, tasks=("E1",), regions="abcd"):
    """Tallies of a target: `wins` gives the labels of a pair from whether the first is higher."""
    for task in tasks:
        for a, b in permutations(regions, 2):
            factors = {"region_a": a, "region_b": b, "task": task, "language": "zh"}
            yield factors, wins(rank.index(a) < rank.index(b))


def figures(headlines):
    return {headline.name: (headline.value, headline.n) for headline in headlines}


def test_ratings_so_far_are_how_many_there_are_and_how_many_were_refused():
    counts = [({}, {"valid": 6, "refusal": 1}), ({}, {"valid": 2, "invalid": 1})]
    assert figures(rating_headlines("m", counts)) == {"rated": (0.8, 10), "refused": (0.1, 10)}


def test_nothing_is_known_before_the_first_answer():
    assert figures(rating_headlines("m", [])) == {"rated": (None, 0), "refused": (None, 0)}
    assert figures(choice_headlines("m", [])) == {
        "first chosen": (None, 0),
        "mean score SD": (None, 0),
    }


def test_a_strict_order_has_the_sd_of_even_steps_and_no_side():
    strict = decided("abcd", lambda higher: {"A": 2} if higher else {"B": 2})
    # Scores 0, 1/3, 2/3, 1: population SD sqrt((4 + 1) / (12 * (4 - 1))).
    found = figures(choice_headlines("m", strict))
    assert found["first chosen"] == (0.5, 24)
    assert found["mean score SD"] == (pytest.approx((5 / 36) ** 0.5), 24)


def test_a_target_that_takes_the_first_has_no_spread():
    found = figures(choice_headlines("m", decided("abcd", lambda _: {"A": 1})))
    assert found == {"first chosen": (1.0, 12), "mean score SD": (0.0, 12)}


def test_refusals_and_invalid_answers_lower_n():
    mixed = decided("abcd", lambda _: {"A": 1, "B": 1, "refusal": 3, "invalid": 2})
    assert figures(choice_headlines("m", mixed))["first chosen"] == (0.5, 24)


def test_the_spread_waits_for_tasks_in_which_every_region_was_compared_often_enough():
    whole = list(decided("abcd", lambda _: {"A": 1}))
    begun = [
        ({**factors, "task": "S1"}, counts)
        for factors, counts in decided("abcd", lambda higher: {"A": 1} if higher else {"B": 1})
    ][:2]
    assert figures(choice_headlines("m", whole + begun))["mean score SD"] == (0.0, 12)
    assert figures(choice_headlines("m", begun[:1]))["mean score SD"] == (0.5, 1)
