import math
import random
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from auditor.errors import StatisticsError
from auditor.statistics import percentile_interval, resampled_mean, resampled_median, resamples


def test_every_place_is_drawn_as_often_as_any_other():
    positions = resamples(20, range(5000))
    assert positions.shape == (5000, 20)
    counts = Counter(positions.ravel().tolist())
    assert set(counts) == set(range(20))
    # 100,000 draws in 20 places: chi-squared with 19 degrees of freedom.
    chi = sum((count - 5000) ** 2 / 5000 for count in counts.values())
    assert abs(chi - 19) < 4 * math.sqrt(38)


def test_more_seeds_keep_the_rows_that_were_there():
    assert (resamples(7, range(50))[:20] == resamples(7, range(20))).all()
    assert (resamples(7, [3, 1, 2])[0] == resamples(7, [3])[0]).all()


def test_no_item_cannot_be_drawn():
    with pytest.raises(StatisticsError, match="not 0"):
        resamples(0, [1])


def test_means_and_medians_are_those_of_the_items_drawn():
    values = [0.1, 0.4, 0.9, 0.2]
    positions = np.array([[0, 0, 2, 3], [1, 1, 1, 1]])
    assert resampled_mean(values, positions) == pytest.approx([1.3 / 4, 0.4])
    assert resampled_median(values, positions) == pytest.approx([0.15, 0.4])


def test_the_interval_of_a_mean_has_the_width_that_its_standard_error_gives():
    """Resampled means have variance (sum of squares / n) / n; their 95 % are 2 x 1.96 of it."""
    rng = random.Random(1)
    values = [rng.gauss(0, 1) for _ in range(100)]
    interval = percentile_interval(resampled_mean(values, resamples(100, range(10_000))))
    error = float(np.std(values)) / 10
    assert interval.low == pytest.approx(np.mean(values) - 1.96 * error, abs=0.06 * error + 0.005)
    assert interval.high == pytest.approx(np.mean(values) + 1.96 * error, abs=0.06 * error + 0.005)


def test_it_is_scipys_percentile_bootstrap_up_to_the_draws():
    rng = random.Random(5)
    values = [rng.random() ** 3 for _ in range(60)]
    ours = percentile_interval(resampled_mean(values, resamples(60, range(10_000))))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.005)


def test_a_smaller_confidence_gives_a_narrower_interval():
    estimates = np.arange(101) / 100
    assert percentile_interval(estimates, confidence=0.9) == pytest.approx((0.05, 0.95))
    assert percentile_interval(estimates, confidence=0.5) == pytest.approx((0.25, 0.75))


@pytest.mark.parametrize("estimates", [[], [0.1, math.nan, 0.3]])
def test_undefined_resamples_leave_no_interval(estimates):
    assert percentile_interval(np.array(estimates)) is None


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(StatisticsError, match="confidence"):
        percentile_interval(np.array([0.1]), confidence=confidence)
