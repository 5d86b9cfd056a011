import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from auditor.errors import StatisticsError
from auditor.statistics import kendall_tau, resampled_kendall_tau, resamples

FEW_LEVELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=25)


def counted_pair_by_pair(pairs):
    """tau-b from its definition: concordant, discordant and tied pairs, nothing else."""
    concordant = discordant = tied_x = tied_y = 0
    for (x_a, y_a), (x_b, y_b) in combinations(pairs, 2):
        tied_x += x_a == x_b
        tied_y += y_a == y_b
        product = (x_a - x_b) * (y_a - y_b)
        concordant += product > 0
        discordant += product < 0
    every = math.comb(len(pairs), 2)
    if every in (tied_x, tied_y):
        return None
    return (concordant - discordant) / math.sqrt((every - tied_x) * (every - tied_y))


def test_equal_orders_give_1_and_opposite_ones_minus_1():
    assert kendall_tau([1, 2, 3, 4], [10, 20, 30, 40]) == 1.0
    assert kendall_tau([1, 2, 3, 4], [4, 3, 2, 1]) == -1.0


def test_one_swap_of_neighbours_costs_one_pair():
    """Of 6 pairs 5 are concordant and 1 discordant."""
    assert kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)


def test_ties_leave_the_denominator():
    """Pairs: one tied in x, two concordant; untied in x 2, in y 3."""
    assert kendall_tau([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(2 * 3))


@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5])]
)
def test_without_an_order_there_is_no_tau(x, y):
    assert kendall_tau(x, y) is None


@given(FEW_LEVELS)
def test_it_is_what_counting_pairs_gives(pairs):
    found = kendall_tau([x for x, _ in pairs], [y for _, y in pairs])
    assert found == (
        None if counted_pair_by_pair(pairs) is None else pytest.approx(counted_pair_by_pair(pairs))
    )


@pytest.mark.parametrize("seed", range(5))
def test_it_is_scipys_for_shares_with_ties(seed):
    rng = random.Random(seed)
    x = [rng.randrange(16) / 15 for _ in range(106)]
    y = [round(rng.random() * 6 + 1, 1) for _ in range(106)]
    assert kendall_tau(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-14)


def test_two_items_would_always_agree_or_not_and_have_no_tau():
    assert kendall_tau([1, 2], [5, 9]) is None
    assert kendall_tau([1, 2, 3], [5, 9, 10]) == 1.0


def test_lists_of_different_length_are_refused():
    with pytest.raises(StatisticsError, match="2 and 3"):
        kendall_tau([1, 2], [1, 2, 3])


def test_nan_is_refused():
    with pytest.raises(StatisticsError, match="NaN"):
        kendall_tau([1, math.nan], [1, 2])


def test_a_resample_has_the_tau_of_its_items_written_out():
    rng = random.Random(2)
    x = [rng.randrange(8) / 7 for _ in range(30)]
    y = [rng.randrange(12) for _ in range(30)]
    positions = resamples(30, range(200))
    found = resampled_kendall_tau(x, y, positions)
    for row, tau in zip(positions, found, strict=True):
        assert tau == pytest.approx(kendalltau([x[i] for i in row], [y[i] for i in row]).statistic)


def test_resamples_without_an_order_have_no_tau():
    positions = np.array([[0, 0, 0], [0, 1, 2], [1, 1, 2]])
    found = resampled_kendall_tau([1, 2, 2], [1, 2, 3], positions)
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == pytest.approx(2 / math.sqrt(2 * 3))
