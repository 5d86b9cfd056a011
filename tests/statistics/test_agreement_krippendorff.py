"""Krippendorff's alpha against his own worked examples and a plain sum over all pairs."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import StatisticsError
from auditor.statistics.agreement import ALL_AGREE, scotts_pi
from auditor.statistics.krippendorff import (
    NO_PAIRS,
    ONE_VALUE,
    krippendorff_alpha,
    units_of,
)

# Krippendorff (2011), section C: four observers, twelve units, a dot where there is no value.
FOUR_OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def observers(*rows: str, read=str):
    return units_of(
        [{unit: read(v) for unit, v in enumerate(row.split()) if v != "."} for row in rows]
    )


def plain_alpha(units, distance):
    """1 - D_o / D_e by the definition, pair by pair."""
    pairable = [unit for unit, count in units.items() if len(unit) > 1 for _ in range(count)]
    values = [value for unit in pairable for value in unit]
    n = len(values)
    observed = sum(
        distance(a, b) / (len(unit) - 1) for unit in pairable for a, b in permutations(unit, 2)
    )
    expected = sum(distance(a, b) for a, b in permutations(values, 2))
    return 1 - (observed / n) / (expected / (n * (n - 1)))


def test_the_worked_example_with_missing_values():
    found = krippendorff_alpha(observers(*FOUR_OBSERVERS))
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert found.n == 11  # the twelfth unit has one value


def test_the_worked_example_for_numbers():
    found = krippendorff_alpha(observers(*FOUR_OBSERVERS, read=int), level="interval")
    assert found.value == pytest.approx(0.849, abs=5e-4)


def test_the_worked_example_of_two_observers_and_two_classes():
    found = krippendorff_alpha(observers("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"))
    assert found.value == pytest.approx(0.095, abs=5e-4)


def test_the_worked_example_of_two_observers_and_many_classes():
    found = krippendorff_alpha(observers("a a b b d c c c e d d a", "b a b b b c c c e d d d"))
    assert found.value == pytest.approx(0.692, abs=5e-4)


units_of_classes = st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=12)
units_of_numbers = st.lists(
    st.lists(st.integers(-9, 9).map(lambda i: i / 4), max_size=4), min_size=1, max_size=12
)


@settings(max_examples=80, deadline=None)
@given(units_of_classes)
def test_classes_agree_with_the_sum_over_all_pairs(given_units):
    units = Counter(map(tuple, given_units))
    values = {v for unit in units if len(unit) > 1 for v in unit}
    found = krippendorff_alpha(units)
    if len(values) < 2:
        assert found.value is None
    else:
        assert found.value == pytest.approx(plain_alpha(units, lambda a, b: a != b))


@settings(max_examples=80, deadline=None)
@given(units_of_numbers)
def test_numbers_agree_with_the_sum_over_all_pairs(given_units):
    units = Counter(map(tuple, given_units))
    values = {v for unit in units if len(unit) > 1 for v in unit}
    found = krippendorff_alpha(units, level="interval")
    if len(values) < 2:
        assert found.value is None
    else:
        assert found.value == pytest.approx(plain_alpha(units, lambda a, b: (a - b) ** 2))


def test_numbers_far_from_zero_keep_their_digits():
    near = observers("1 2 3 4 5", "1 2 3 4 4", read=float)
    far = observers("1 2 3 4 5", "1 2 3 4 4", read=lambda v: 1e8 + float(v))
    expected = krippendorff_alpha(near, level="interval").value
    assert krippendorff_alpha(far, level="interval").value == pytest.approx(expected, rel=1e-9)


def test_for_two_raters_it_is_pi_corrected_for_few_items():
    """1 - alpha = (1 - pi)(1 - 1 / 2n) for two raters without missing values."""
    pairs = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    pi, alpha = scotts_pi(pairs).value, krippendorff_alpha(pairs).value
    assert 1 - alpha == pytest.approx((1 - pi) * (1 - 1 / 100))


@pytest.mark.parametrize("level", ["nominal", "interval"])
class TestEdges:
    def test_without_an_item_that_two_rated_there_is_no_value(self, level):
        found = krippendorff_alpha({(): 3, (1,): 4}, level=level, rng=rng())
        assert (found.value, found.n, found.note) == (None, 0, NO_PAIRS)

    def test_without_variation_it_is_undefined(self, level):
        found = krippendorff_alpha({(1.1, 1.1): 4, (1.1, 1.1, 1.1): 3}, level=level, rng=rng())
        assert (found.value, found.n, found.note) == (None, 7, ONE_VALUE)

    def test_full_agreement_is_one_and_says_that_it_shows_no_doubt(self, level):
        found = krippendorff_alpha({(0.1, 0.1): 30, (0.7, 0.7): 30}, level=level, rng=rng())
        assert (found.value, found.ci_low, found.ci_high) == (1.0, 1.0, 1.0)
        assert found.note == ALL_AGREE

    def test_who_gave_which_value_does_not_matter(self, level):
        assert units_of([{0: 1, 1: 2}, {0: 3, 1: 2}]) == units_of([{0: 3, 1: 2}, {0: 1, 1: 2}])

    def test_the_interval_holds_the_value_and_depends_on_the_randomness_alone(self, level):
        units = observers(*FOUR_OBSERVERS, read=int)
        first, again = (krippendorff_alpha(units, level=level, rng=rng()) for _ in range(2))
        assert first == again
        assert first.ci_low < first.value < first.ci_high <= 1


def test_a_resample_of_equal_numbers_is_undefined_whatever_rounding_leaves():
    """0.1 and 0.7 have no exact mean: what is left of their squares must not pass for variance."""
    units = {(0.1, 0.1): 1, (0.7, 0.7): 1}
    found = krippendorff_alpha(units, level="interval", rng=rng())
    # Half of the resamples hold one value only.
    assert (found.value, found.ci_low) == (1.0, None)


@pytest.mark.parametrize("value", ["refusal", float("nan"), float("inf"), None])
def test_what_is_no_number_is_refused_at_that_level(value):
    with pytest.raises(StatisticsError, match="no finite number"):
        krippendorff_alpha({(1.0, value): 1}, level="interval")
