"""The penalised fit: closed forms, scipy's optimiser, statsmodels' clusters, and the edges."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from statsmodels.discrete.discrete_model import Logit

from auditor.errors import StatisticsError
from auditor.statistics import Drift, bradley_terry


def tables(n, won, repetitions):
    """won(a, b) of the repetitions with a first are a's."""
    wins = np.array([[won(a, b) if a != b else 0 for b in range(n)] for a in range(n)])
    losses = repetitions - wins
    np.fill_diagonal(losses, 0)
    return wins, losses


def random_tables(seed, n, repetitions, order=0.4):
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0, 0.7, n)
    chance = expit(strengths[:, None] - strengths[None] + order)
    return tables(n, lambda a, b: rng.binomial(repetitions, chance[a, b]), repetitions)


def expanded(wins, losses):
    """One row a comparison: design, outcome, pair."""
    n, rows = len(wins), []
    for a in range(n):
        for b in range(n):
            x = np.zeros(n + 1)
            x[a], x[b], x[n] = 1, -1, 1
            pair = min(a, b) * n + max(a, b)
            rows += [(x, 1, pair)] * int(wins[a, b]) + [(x, 0, pair)] * int(losses[a, b])
    x, y, pair = zip(*rows, strict=True)
    return np.array(x), np.array(y), np.array(pair)


def best(wins, losses, penalty):
    """The optimum by another way: BFGS on the likelihood of single comparisons."""
    x, y, _ = expanded(wins, losses)
    sign = 2 * y - 1

    def loss(beta):
        return np.logaddexp(0, -sign * (x @ beta)).sum() + penalty / 2 * beta @ beta

    def slope(beta):
        return -x.T @ (sign * expit(-sign * (x @ beta))) + penalty * beta

    return minimize(loss, np.zeros(x.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("penalty", [1.0, 0.1, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_is_the_penalised_optimum(seed, penalty):
    wins, losses = random_tables(seed, 6, 5)
    found = bradley_terry(wins, losses, penalty=penalty)
    expected = best(wins, losses, penalty)
    assert found.strengths == pytest.approx(expected[:-1], abs=1e-5)
    assert found.order_effect == pytest.approx(expected[-1], abs=1e-5)
    assert sum(found.strengths) == pytest.approx(0, abs=1e-9)


def test_two_items_without_a_penalty_have_a_closed_form():
    """Order: mean of the two log-odds of the first; strengths: half their difference."""
    wins, losses = np.array([[0, 30], [12, 0]]), np.array([[0, 10], [28, 0]])
    found = bradley_terry(wins, losses, penalty=1e-9)
    first, second = logit(30 / 40), logit(12 / 40)
    assert found.order_effect == pytest.approx((first + second) / 2, abs=1e-6)
    assert found.strengths[0] - found.strengths[1] == pytest.approx((first - second) / 2, abs=1e-6)
    assert found.errors is None
    assert found.order_interval() is None
    assert found.strength_interval(0) is None


def test_equal_items_have_the_log_odds_of_the_first():
    wins, losses = tables(5, lambda a, b: 3, 4)
    found = bradley_terry(wins, losses, penalty=1e-9)
    assert found.order_effect == pytest.approx(math.log(3), abs=1e-6)
    assert found.strengths == pytest.approx([0] * 5, abs=1e-6)
    even, _ = tables(5, lambda a, b: 2, 4)
    found = bradley_terry(even, even.copy())
    # Nothing is left of rounding that would be printed as a difference.
    assert (set(found.strengths), found.order_effect) == ({0.0}, 0.0)


@pytest.mark.parametrize("seed", [0, 1])
def test_standard_errors_are_statsmodels_clustered_ones_where_the_penalty_vanishes(seed):
    wins, losses = random_tables(seed, 6, 8)
    x, y, pair = expanded(wins, losses)
    n, pairs = 6, 15
    # Item 0 as the reference, then turned to strengths of sum 0.
    reference = Logit(y, x[:, 1:]).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": pair, "use_correction": False}
    )
    to_reference = np.hstack([np.vstack([np.zeros(n - 1), np.eye(n - 1)]), np.zeros((n, 1))])
    centred = (np.eye(n) - 1 / n) @ to_reference
    covariance = reference.cov_params() * pairs / (pairs - 1)
    found = bradley_terry(wins, losses, penalty=1e-7)
    assert found.strengths == pytest.approx(centred @ reference.params, abs=1e-5)
    expected = np.sqrt(np.diag(centred @ covariance @ centred.T))
    assert found.errors == pytest.approx(expected, rel=1e-4)
    assert found.order_error == pytest.approx(math.sqrt(covariance[-1, -1]), rel=1e-4)
    low, high = found.order_interval()
    assert (high - low) / 2 == pytest.approx(1.959964 * found.order_error, rel=1e-6)


def test_at_the_penalised_optimum_the_sandwich_is_that_of_its_definition():
    wins, losses = random_tables(3, 5, 4)
    found = bradley_terry(wins, losses)
    x, y, pair = expanded(wins, losses)
    beta = np.array([*found.strengths, found.order_effect])
    chance = expit(x @ beta)
    bread = np.linalg.inv((x * (chance * (1 - chance))[:, None]).T @ x + np.eye(6))
    scores = x * (y - chance)[:, None]
    by_pair = np.array([scores[pair == one].sum(axis=0) for one in np.unique(pair)])
    covariance = bread @ (by_pair.T @ by_pair) @ bread * 10 / 9
    expected = np.sqrt(np.diag(covariance))
    assert found.errors == pytest.approx(expected[:-1], rel=1e-6)
    assert found.order_error == pytest.approx(expected[-1], rel=1e-6)


def test_the_first_always_winning_puts_the_order_effect_at_its_upper_bound():
    found = bradley_terry(*tables(34, lambda a, b: 5, 5))
    assert found.strengths == pytest.approx([0] * 34, abs=1e-6)
    # N * sigma(-x) = x: the penalty's own size.
    assert 5610 * expit(-found.order_effect) == pytest.approx(found.order_effect, rel=1e-6)
    assert found.separation.is_separated
    assert found.separation.last is Drift.UPWARDS
    mirrored = bradley_terry(*reversed(tables(34, lambda a, b: 5, 5)))
    assert mirrored.order_effect == pytest.approx(-found.order_effect)
    assert mirrored.separation.last is Drift.DOWNWARDS


def test_a_strict_order_is_separated_and_says_nothing_of_position():
    found = bradley_terry(*tables(10, lambda a, b: 5 * (a < b), 5))
    assert list(found.strengths) == sorted(found.strengths, reverse=True)
    assert found.order_effect == pytest.approx(0, abs=1e-6)
    assert found.separation.is_separated
    assert found.separation.last is Drift.FREE


def test_one_item_that_always_wins_separates_but_leaves_the_order_effect_finite():
    wins, losses = random_tables(0, 6, 9)
    wins[0], losses[0], losses[0, 0] = 9, 0, 0
    wins[1:, 0], losses[1:, 0], wins[0, 0] = 0, 9, 0
    found = bradley_terry(wins, losses)
    assert max(found.strengths) == found.strengths[0]
    assert found.separation.is_separated
    assert found.separation.last is Drift.FINITE


def test_mixed_outcomes_are_not_separated():
    found = bradley_terry(*random_tables(1, 8, 9))
    assert not found.separation.is_separated


def test_a_first_choice_with_one_exception_still_drifts_to_the_bound():
    wins, losses = tables(6, lambda a, b: 0 if (a, b) == (4, 1) else 3, 3)
    found = bradley_terry(wins, losses)
    assert found.separation.last is Drift.UPWARDS
    assert found.strengths[1] > 0 > found.strengths[4]


def test_groups_that_never_met_are_counted():
    wins, losses = random_tables(2, 6, 9)
    for table in (wins, losses):
        table[:3, 3:] = table[3:, :3] = 0
    assert bradley_terry(wins, losses).parts == 2
    alone = np.pad(wins, (0, 1)), np.pad(losses, (0, 1))
    assert bradley_terry(*alone).parts == 2
    assert bradley_terry(*alone).strengths[6] == pytest.approx(0, abs=1e-12)


def test_a_single_comparison_can_be_fitted():
    found = bradley_terry(np.array([[0, 1], [0, 0]]), np.zeros((2, 2), dtype=int))
    assert found.strengths[0] > 0 > found.strengths[1]
    assert found.order_effect > 0
    assert found.separation.is_separated


def test_what_is_no_table_of_comparisons_is_refused():
    nothing = np.zeros((3, 3), dtype=int)
    with pytest.raises(StatisticsError, match="no comparison"):
        bradley_terry(nothing, np.eye(3, dtype=int))
    with pytest.raises(StatisticsError, match="negative"):
        bradley_terry(nothing - 1, nothing)
    with pytest.raises(StatisticsError, match="square"):
        bradley_terry(nothing, np.zeros((2, 2), dtype=int))
