import pytest
from statsmodels.stats.proportion import proportion_confint

from auditor.errors import StatisticsError
from auditor.statistics import wilson_interval
from auditor.statistics.clustered_shares import clustered_interval


def wilson(k, n):
    return proportion_confint(k, n, method="wilson")


def test_clusters_of_one_are_independent_things():
    assert clustered_interval({(1, 1): 30, (0, 1): 20}) == pytest.approx(wilson(30, 50))


def test_things_that_are_alike_within_a_cluster_count_once():
    assert clustered_interval({(3, 3): 30, (0, 3): 20}) == pytest.approx(wilson(30, 50))


def test_things_are_never_taken_for_better_than_independent():
    # Every cluster has one success of two: the ratio does not vary between clusters at all.
    assert clustered_interval({(1, 2): 40}) == pytest.approx(wilson(40, 80))


def test_in_between_the_size_is_n_over_the_design_effect():
    clusters = {(2, 2): 20, (1, 2): 10, (0, 2): 10}
    # p = 50 / 80; squares 20 (0.75)^2 + 10 (0.25)^2 + 10 (1.25)^2 = 27.5.
    variance = 40 / 39 * 27.5 / 80**2
    size = 0.625 * 0.375 / variance
    assert 40 < size < 80
    assert clustered_interval(clusters) == pytest.approx(wilson(0.625 * size, size))


@pytest.mark.parametrize("p", [0, 1])
def test_where_nothing_varies_the_clusters_are_counted(p):
    assert clustered_interval({(3 * p, 3): 10}) == pytest.approx(wilson_interval(10 * p, 10))


def test_clusters_that_hold_nothing_count_for_nothing():
    assert clustered_interval({(1, 1): 3, (0, 1): 2, (0, 0): 99}) == pytest.approx(wilson(3, 5))
    assert clustered_interval({(0, 0): 4}) is None
    assert clustered_interval({}) is None


def test_more_successes_than_things_are_refused():
    with pytest.raises(StatisticsError):
        clustered_interval({(2, 1): 1})
