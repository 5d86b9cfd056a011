"""Correlation of two scorers: numpy beside it."""

import numpy as np
import pytest

from auditor.errors import StatisticsError
from auditor.statistics import times_drawn
from auditor.statistics.correlation import pearson, resampled_pearson

RNG = np.random.default_rng(7)
X = RNG.random((30, 2))
Y = 0.5 * X + 0.3 * RNG.random((30, 2))


def test_r_is_numpys_over_all_responses():
    assert pearson(X, Y) == pytest.approx(np.corrcoef(X.ravel(), Y.ravel())[0, 1])
    assert pearson(X, -2 * X + 7) == pytest.approx(-1.0)


def test_a_response_that_one_of_them_lacks_is_left_out():
    x, y = X.copy(), Y.copy()
    x[3, 0] = y[8, 1] = np.nan
    known = np.isfinite(x + y)
    assert pearson(x, y) == pytest.approx(np.corrcoef(x[known], y[known])[0, 1])


def test_a_resample_is_that_of_the_drawn_pairs():
    x = X.copy()
    x[3, 0] = np.nan
    positions = np.random.default_rng(8).integers(30, size=(5, 30))
    for row, found in zip(positions, resampled_pearson(x, Y, times_drawn(positions)), strict=True):
        assert found == pytest.approx(pearson(x[row], Y[row]))


def test_a_scorer_that_never_varies_has_no_correlation():
    assert pearson(np.full((5, 2), 0.1), Y[:5]) is None
    assert pearson(np.full((5, 2), np.nan), Y[:5]) is None
    assert pearson(np.empty((0, 2)), np.empty((0, 2))) is None
    times = np.array([[2, 0], [1, 1]])
    drawn = resampled_pearson(np.array([[0.1, 0.1], [0.2, 0.3]]), Y[:2], times)
    assert np.isnan(drawn[0])
    assert np.isfinite(drawn[1])


def test_two_responses_would_always_lie_on_a_line_and_have_no_correlation():
    assert pearson(X[:1], Y[:1]) is None
    x = X[:2].copy()
    x[0] = np.nan
    assert pearson(x, Y[:2]) is None
    x[0, 1] = 0.5
    assert pearson(x, Y[:2]) == pytest.approx(np.corrcoef([0.5, *x[1]], [Y[0, 1], *Y[1]])[0, 1])


def test_scorers_of_other_pairs_are_refused():
    with pytest.raises(StatisticsError, match="30 and 29"):
        pearson(X, Y[:29])
