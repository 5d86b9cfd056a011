"""MAE and direction consistency, worked by hand."""

import pytest

from auditor.errors import StatisticsError
from auditor.statistics import (
    average_dc,
    average_mae,
    direction,
    excellent_dc,
    excellent_mae,
    space_dc,
    space_mae,
    ties,
    total_dc,
    total_mae,
)

# Two spaces under three levels.
TABLE = [
    [1.0, 0.8, 0.6],
    [0.2, 0.2, 0.5],
]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([0.9, 0.6, 1.0, 0.8, 0.7], 1.0),
        ([0.9, 0.6, 0.1, 0.8, 0.7], 0.6),
        ([0.9, 0.6, 0.1, 0.8, 0.2], 0.4),
        ([0.1, 0.2, 0.3, 0.8, 0.9], 0.4),
        ([0.1, 0.2, 0.3, 0.4, 0.9], 0.6),
    ],
)
def test_dc_of_five_prompts_is_the_papers(shares, expected):
    """5-0: 10 of 10 pairs agree; 4-1: 6 of 10; 3-2: 3 + 1 of 10."""
    assert space_dc(shares) == pytest.approx(expected)


def test_a_tie_is_a_direction_of_its_own():
    """Men, men, tie, tie, women: pairs that agree are 1 + 1 of 10."""
    assert space_dc([0.9, 0.8, 0.5, 0.5, 0.1]) == pytest.approx(0.2)
    assert space_dc([0.5, 0.5]) == 1.0
    assert [direction(f) for f in (0.0, 0.5, 15 / 30, 0.5000001, 1.0)] == [-1, 0, 0, 1, 1]


def test_average_mae_by_hand():
    """Level 0 with 1: (0.2 + 0.0) / 2 = 0.1; with 2: (0.4 + 0.3) / 2 = 0.35; mean 0.225.

    Level 1 with 2: (0.2 + 0.3) / 2 = 0.25. So level 1: (0.1 + 0.25) / 2 = 0.175 and level 2:
    (0.35 + 0.25) / 2 = 0.3.
    """
    found = [average_mae(TABLE, level) for level in range(3)]
    assert [agreement.value for agreement in found] == pytest.approx([0.225, 0.175, 0.3])
    assert [(agreement.spaces, agreement.levels) for agreement in found] == [(2, 2)] * 3


def test_total_mae_by_hand_is_not_the_mean_of_the_averages():
    """Space 1: mean 0.8, deviations 0.2, 0, 0.2: 0.4 / 3. Space 2: mean 0.3, deviations
    0.1, 0.1, 0.2: 0.4 / 3. Total 0.4 / 3 = 0.1333; the averages' mean is 0.7 / 3 = 0.2333.
    """
    assert total_mae(TABLE) == pytest.approx(0.4 / 3)
    averages = [average_mae(TABLE, level).value for level in range(3)]
    assert sum(averages) / 3 == pytest.approx(0.7 / 3)


def test_total_mae_of_two_levels_is_half_of_the_average():
    shares = [[0.9, 0.4], [0.1, 0.2]]
    """Average (0.5 + 0.1) / 2 = 0.3; total (0.25 + 0.05) / 2 = 0.15."""
    assert average_mae(shares, 0).value == pytest.approx(0.3)
    assert total_mae(shares) == pytest.approx(0.15)


def test_dc_averages_and_total_by_hand():
    """Space 1 always leans to men; space 2 women, women, tie.

    Pairs 0-1: both agree, 1; 0-2 and 1-2: space 1 only, 0.5. Averages 0.75, 0.75, 0.5.
    Total: (3 + 1) of 6 pairs = 2/3, which is also the averages' mean.
    """
    assert [average_dc(TABLE, level).value for level in range(3)] == [0.75, 0.75, 0.5]
    assert total_dc(TABLE) == pytest.approx(2 / 3)


def test_excellent_data_are_exact():
    """Only equal shares have MAE 0, though 0.1 + 0.1 + 0.1 is no multiple of 0.1 in floats."""
    shares = [[0.1, 0.1, 0.1], [3 / 30, 1 / 10, 2 / 20], [0.1, 0.2, 0.3], [0.1, 0.1, 0.9]]
    assert space_mae([0.1, 0.1, 0.1]) == 0.0
    assert excellent_mae(shares) == 0.5
    assert excellent_dc(shares) == 0.75


def test_ties_are_counted_by_share():
    assert ties([[0.5, 0.5, 0.1], [None, 0.5, 1.0]]) == 3


def test_averages_take_spaces_with_an_answer_under_both_levels():
    """0-1 over space 1: 0.4. 0-2 over spaces 1 and 2: (0.1 + 0.3) / 2 = 0.2. Mean 0.3."""
    shares = [[0.9, 0.5, 0.8], [0.2, None, 0.5], [None, 0.3, None]]
    found = average_mae(shares, 0)
    assert found.value == pytest.approx(0.3)
    assert (found.spaces, found.levels) == (2, 2)


def test_a_level_that_meets_no_other_has_no_average():
    found = average_dc([[None, 0.5, 0.5]], 0)
    assert (found.value, found.spaces, found.levels) == (None, 0, 0)


def test_no_spaces_have_no_agreement():
    assert average_mae([], 0).value is None
    for total in (total_mae, total_dc, excellent_mae, excellent_dc):
        assert total([]) is None
    assert ties([]) == 0


def test_bad_tables_are_refused():
    with pytest.raises(StatisticsError, match="two levels"):
        total_mae([[0.5]])
    with pytest.raises(StatisticsError, match="2 levels, one has 3"):
        total_dc([[0.5, 0.5], [0.5, 0.5, 0.5]])
    with pytest.raises(StatisticsError, match="no share"):
        total_mae([[0.5, 1.5]])
    with pytest.raises(StatisticsError, match="every level"):
        total_mae([[0.5, None]])
    with pytest.raises(StatisticsError, match="level 2"):
        average_mae([[0.5, 0.5]], 2)
