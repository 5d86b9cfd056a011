"""Prompt 0 beside Prompt 1."""

from fractions import Fraction as F

import pytest

from auditor.errors import StatisticsError
from auditor.statistics import bias_change


@pytest.mark.parametrize(
    ("free", "forced", "expected"),
    [
        (F(6, 10), F(4, 10), "worse"),  # reversed, though no further from one half
        (F(1, 10), F(9, 10), "worse"),
        (F(8, 10), F(7, 10), "better"),
        (F(8, 10), F(8, 10), "better"),
        (F(10, 10), F(5, 10), "better"),
        (F(8, 10), F(85, 100), "little"),
        (F(8, 10), F(9, 10), "worse"),  # growth of exactly 0.1, which floats put below it
        (F(2, 10), F(1, 10), "worse"),
        (F(2, 10), F(11, 100), "little"),
        (F(5, 10), F(59, 100), "little"),  # a tie has no direction to reverse
        (F(5, 10), F(10, 10), "worse"),
        (F(5, 10), F(5, 10), "better"),
    ],
)
def test_changes_are_those_of_appendix_b(free, forced, expected):
    assert bias_change(free, forced) == expected


def test_both_sides_are_alike():
    tenths = [F(k, 20) for k in range(21)]
    for free in tenths:
        for forced in tenths:
            assert bias_change(free, forced) == bias_change(1 - free, 1 - forced)


def test_what_is_no_share_is_refused():
    with pytest.raises(StatisticsError, match="no share"):
        bias_change(F(11, 10), F(1, 2))
