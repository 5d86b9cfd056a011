"""Agreement of two raters against textbooks, closed forms and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.inter_rater import cohens_kappa as reference_kappa
from statsmodels.stats.inter_rater import fleiss_kappa

from auditor.errors import StatisticsError
from auditor.statistics.agreement import (
    ALL_AGREE,
    NO_ITEMS,
    ONE_CLASS,
    beyond_chance,
    cohens_kappa,
    scotts_pi,
)
from auditor.statistics.item_bootstrap import (
    OFTEN_UNDEFINED,
    ONE_ITEM,
    bootstrap_estimate,
)

# Two readers of 50 grant proposals: 20 yes and 15 no by both, 5 and 10 where they differ.
PROPOSALS = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
CLASSES = ("men", "women", "neither", "invalid")

tables = st.lists(
    st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=2, max_size=40
)


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def counted(items):
    return {pair: items.count(pair) for pair in items}


def as_table(pairs, classes=CLASSES):
    return np.array([[pairs.get((a, b), 0) for b in classes] for a in classes])


def as_votes(pairs, classes=CLASSES):
    """A row an item, with the number of its votes for each class."""
    rows = []
    for (a, b), count in pairs.items():
        rows += [[(a == name) + (b == name) for name in classes]] * count
    return np.array(rows)


def test_the_papers_own_arithmetic():
    assert beyond_chance(0.93, 0.183) == pytest.approx(0.914, abs=5e-4)


def test_certain_chance_agreement_leaves_nothing_beyond_it():
    assert beyond_chance(1, 1) is None


@pytest.mark.parametrize(("observed", "expected"), [(1.2, 0.5), (0.5, -0.1), (math.nan, 0.5)])
def test_what_is_no_share_is_refused(observed, expected):
    with pytest.raises(StatisticsError, match="no share"):
        beyond_chance(observed, expected)


def test_kappa_of_the_textbook_table():
    found = cohens_kappa(PROPOSALS)
    assert found.value == pytest.approx(0.4)
    assert found.n == 50


def test_pi_of_the_same_table():
    # 55 % of all votes are yes: chance agreement 0.55² + 0.45² = 0.505.
    assert scotts_pi(PROPOSALS).value == pytest.approx((0.7 - 0.505) / (1 - 0.505))


@settings(max_examples=60, deadline=None)
@given(tables)
def test_kappa_is_that_of_statsmodels(items):
    pairs = counted(items)
    found = cohens_kappa(pairs)
    if len({name for pair in items for name in pair}) == 1:
        assert found.value is None
        return
    table = as_table(pairs)
    chance = (table.sum(0) @ table.sum(1)) / table.sum() ** 2
    if chance < 1:
        assert found.value == pytest.approx(reference_kappa(table, return_results=False))


@settings(max_examples=60, deadline=None)
@given(tables)
def test_pi_is_fleiss_kappa_of_two_raters(items):
    pairs = counted(items)
    found = scotts_pi(pairs)
    if len({name for pair in items for name in pair}) == 1:
        assert found.value is None
    else:
        assert found.value == pytest.approx(fleiss_kappa(as_votes(pairs)))


@pytest.mark.parametrize("coefficient", [cohens_kappa, scotts_pi])
class TestEdges:
    def test_no_items_give_no_value(self, coefficient):
        found = coefficient({}, rng=rng())
        assert (found.value, found.ci_low, found.n, found.note) == (None, None, 0, NO_ITEMS)

    def test_one_class_throughout_is_undefined(self, coefficient):
        found = coefficient({("men", "men"): 12}, rng=rng())
        assert (found.value, found.n, found.note) == (None, 12, ONE_CLASS)

    def test_full_agreement_is_one_and_says_that_it_shows_no_doubt(self, coefficient):
        found = coefficient({("men", "men"): 30, ("women", "women"): 20}, rng=rng())
        assert (found.value, found.ci_low, found.ci_high) == (1.0, 1.0, 1.0)
        assert found.note == ALL_AGREE

    def test_full_disagreement_of_two_balanced_classes_is_minus_one(self, coefficient):
        found = coefficient({("men", "women"): 10, ("women", "men"): 10})
        assert found.value == pytest.approx(-1)

    def test_a_single_item_has_no_interval(self, coefficient):
        found = coefficient({("men", "women"): 1}, rng=rng())
        assert (found.ci_low, found.ci_high, found.note) == (None, None, ONE_ITEM)

    def test_without_randomness_there_is_no_interval(self, coefficient):
        found = coefficient(PROPOSALS)
        assert (found.ci_low, found.ci_high, found.note) == (None, None, None)

    def test_a_class_that_most_resamples_miss_leaves_no_interval(self, coefficient):
        # One item of 40: a resample misses it with probability (39/40)**40 = 0.36.
        found = coefficient({("men", "men"): 39, ("women", "women"): 1}, rng=rng())
        assert found.value == 1.0
        assert (found.ci_low, found.note) == (None, OFTEN_UNDEFINED)

    def test_a_zero_count_changes_nothing(self, coefficient):
        more = {**PROPOSALS, ("z", "z"): 0}
        assert coefficient(more, rng=rng()) == coefficient(PROPOSALS, rng=rng())

    def test_the_order_of_the_items_changes_nothing(self, coefficient):
        turned = dict(reversed(PROPOSALS.items()))
        assert coefficient(turned, rng=rng()) == coefficient(PROPOSALS, rng=rng())

    def test_the_same_randomness_gives_the_same_interval(self, coefficient):
        first, again = (coefficient(PROPOSALS, rng=rng(3)) for _ in range(2))
        other = coefficient(PROPOSALS, rng=rng(4))
        assert first == again
        assert first.ci_low != other.ci_low


def test_a_rater_with_one_class_only_has_a_kappa_of_zero():
    assert cohens_kappa({("men", "men"): 8, ("women", "men"): 2}).value == 0


def test_the_interval_is_near_the_asymptotic_one_for_many_items():
    """Fleiss, Cohen and Everitt's standard error, as statsmodels has it, at n = 2,000."""
    pairs = {pair: 40 * count for pair, count in PROPOSALS.items()}
    found = cohens_kappa(pairs, rng=rng(), resamples=4000)
    reference = reference_kappa(as_table(pairs, ("y", "n")))
    assert found.ci_low == pytest.approx(reference.kappa_low, abs=0.006)
    assert found.ci_high == pytest.approx(reference.kappa_upp, abs=0.006)


@pytest.mark.parametrize(
    ("counts", "agreeing"),
    [([200, 150, 50, 100], [0, 1]), ([10] * 50, list(range(35)))],
    ids=["few kinds, drawn by number", "many kinds, drawn one by one"],
)
def test_the_interval_of_a_share_is_that_of_the_normal_approximation(counts, agreeing):
    def share(weights):
        return weights[:, agreeing].sum(axis=1) / weights.sum(axis=1)

    found = bootstrap_estimate(counts, share, undefined="", rng=rng(), resamples=4000)
    half = 1.96 * math.sqrt(0.7 * 0.3 / 500)
    assert found.value == pytest.approx(0.7)
    assert found.ci_low == pytest.approx(0.7 - half, abs=0.006)
    assert found.ci_high == pytest.approx(0.7 + half, abs=0.006)


def test_undefined_resamples_make_the_interval_wider_never_narrower():
    """4 of 100 items: (1 - 0.04)**100 = 1.7 % of the resamples hold none of them."""

    def statistic(weights):
        return np.where(weights[:, 1] > 0, weights[:, 1], np.nan)

    found = bootstrap_estimate([96, 4], statistic, undefined="", rng=rng(), resamples=4000)
    # Of the low tail of 2.5 % they take 1.7; of the high one only 0.8 % is left for high values.
    law = binom(100, 0.04)
    assert found.ci_low == law.ppf(0.025)
    assert found.ci_high >= law.ppf(1 - 0.025 + law.pmf(0))
