import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import StatisticsError
from auditor.statistics import ampd, male_association

SHARE = st.floats(0, 1)


def test_the_scale_runs_from_no_association_to_a_full_one():
    assert [male_association(rating) for rating in (1, 4, 7)] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("rating", [0.99, 7.01, -3, math.nan, math.inf])
def test_a_rating_outside_the_scale_is_refused(rating):
    with pytest.raises(StatisticsError, match=r"\[1, 7\]"):
        male_association(rating)


def test_it_is_the_mean_of_the_differences():
    assert ampd([0.2, 0.6], [0.5, 0.5]) == pytest.approx(-0.1)
    assert ampd([0.0, 0.0], [0.9, 0.3]) == pytest.approx(-0.6)
    assert ampd([], []) is None


@given(st.lists(st.tuples(SHARE, SHARE, SHARE), min_size=1, max_size=50))
def test_two_benchmarks_differ_by_their_means_whatever_the_shares(rows):
    shares, first, second = zip(*rows, strict=True)
    difference = ampd(shares, first) - ampd(shares, second)
    assert difference == pytest.approx(sum(second) / len(rows) - sum(first) / len(rows), abs=1e-12)


def test_lists_of_different_length_are_refused():
    with pytest.raises(StatisticsError, match="1 and 2"):
        ampd([0.1], [0.1, 0.2])
