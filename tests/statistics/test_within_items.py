"""Repetitions drawn again within items: variances by theory, scipy beside it, the edges."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from auditor.errors import StatisticsError
from auditor.statistics import error_interval, resampled_totals


def totals(values, sizes, resamples=4000, seed=0):
    return resampled_totals(
        np.asarray(values, dtype=float),
        np.asarray(sizes),
        rng=np.random.default_rng(seed),
        resamples=resamples,
    )


@pytest.mark.parametrize("repetitions", [2, 5, 30])
def test_the_variance_of_a_total_is_unbiased_for_any_number_of_repetitions(repetitions):
    """Stratified sampling: Var(total) = sum over items of m * s^2, s with ddof 1."""
    values = np.random.default_rng(7).normal(size=(40, repetitions, 1))
    drawn = totals(values, [repetitions] * 40)[:, 0]
    expected = repetitions * values.var(axis=1, ddof=1).sum()
    assert drawn.mean() == pytest.approx(values.sum(), abs=4 * np.sqrt(expected / 4000))
    assert drawn.var() == pytest.approx(expected, rel=4 * np.sqrt(2 / 4000))


def test_for_many_repetitions_it_is_the_plain_bootstrap():
    values = np.random.default_rng(2).gamma(2, size=400)
    expected = bootstrap(
        (values,), np.sum, method="percentile", n_resamples=4000, rng=np.random.default_rng(0)
    ).confidence_interval
    low, high = np.quantile(totals(values.reshape(1, 400, 1), [400])[:, 0], [0.025, 0.975])
    width = expected.high - expected.low
    assert (low, high) == pytest.approx(tuple(expected), abs=0.05 * width)


def test_values_of_one_repetition_stay_together():
    one = np.random.default_rng(5).integers(2, size=(6, 4, 1))
    drawn = totals(np.concatenate([one, 1 - one], axis=2), [4] * 6)
    assert drawn.sum(axis=1) == pytest.approx(np.full(4000, 24.0))
    assert drawn[:, 0].std() > 0


def test_items_of_different_sizes_each_keep_their_weight():
    values = np.ones((4, 5, 1))
    drawn = totals(values, [5, 3, 1, 0])
    assert drawn[:, 0] == pytest.approx(np.full(4000, 9.0))


def test_slots_beyond_the_size_are_never_drawn():
    values = np.array([[[1.0], [2.0], [1e9]]])
    assert totals(values, [2]).max() == pytest.approx(4.0)
    assert totals(values, [2]).min() == pytest.approx(2.0)


def test_an_item_with_one_repetition_does_not_vary():
    assert set(totals([[[0.25]]], [1])[:, 0]) == {0.25}


def test_no_items_give_totals_of_nothing():
    assert totals(np.zeros((0, 0, 3)), np.zeros(0, dtype=int)).tolist() == [[0, 0, 0]] * 4000


def test_the_same_generator_draws_the_same():
    values = np.random.default_rng(1).random((5, 5, 2))
    assert np.array_equal(totals(values, [5] * 5), totals(values, [5] * 5))
    assert not np.array_equal(totals(values, [5] * 5), totals(values, [5] * 5, seed=1))


@pytest.mark.parametrize("size", [-1, 3])
def test_a_size_outside_the_slots_is_refused(size):
    with pytest.raises(StatisticsError, match="2 slots"):
        totals(np.zeros((1, 2, 1)), [size])


def test_an_error_interval_is_1_96_standard_deviations_and_stays_within_the_scale():
    resampled = np.array([-0.1, 0.1] * 50) + 0.3
    assert error_interval(0.5, resampled) == pytest.approx((0.5 - 0.196, 0.5 + 0.196), abs=1e-4)
    assert error_interval(0.9, resampled).high == 1.0
    assert error_interval(-0.9, resampled).low == -1.0


def test_an_undefined_resample_leaves_no_interval():
    assert error_interval(0.5, np.array([0.1, np.nan, 0.3])) is None
    assert error_interval(0.5, np.array([0.1])) is None
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        error_interval(0.5, np.array([0.1, 0.2]), confidence=0)
