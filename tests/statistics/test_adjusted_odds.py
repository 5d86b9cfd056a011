import math

import pytest
from statsmodels.stats.contingency_tables import Table2x2

from auditor.errors import StatisticsError
from auditor.statistics.adjusted_odds import adjusted_odds_ratio
from auditor.statistics.odds_ratios import Table


@pytest.mark.parametrize("cells", [(12, 88, 3, 97), (1, 1, 1, 1), (40, 10, 10, 40)])
def test_full_tables_give_the_plain_ratio_with_woolfs_interval(cells):
    a, b, c, d = cells
    found = adjusted_odds_ratio(Table(a=a, b=b, c=c, d=d))
    other = Table2x2([[a, b], [c, d]])
    assert found.value == pytest.approx(a * d / (b * c))
    assert found.interval == pytest.approx(other.oddsratio_confint())
    assert not found.is_adjusted


def test_a_half_is_added_to_each_cell_where_one_is_empty():
    found = adjusted_odds_ratio(Table(a=10, b=10, c=0, d=20))
    assert (found.value, found.is_adjusted) == (pytest.approx(41), True)
    half = 1.959964 * math.sqrt(2 / 10.5 + 1 / 0.5 + 1 / 20.5)
    assert found.interval == pytest.approx((41 * math.exp(-half), 41 * math.exp(half)), rel=1e-5)


@pytest.mark.parametrize("cells", [(0, 0, 3, 4), (3, 4, 0, 0), (0, 5, 0, 5), (5, 0, 5, 0)])
def test_a_table_that_compares_nothing_gives_none(cells):
    assert adjusted_odds_ratio(Table(**dict(zip("abcd", cells, strict=True)))) is None


def test_counts_and_levels_that_are_none_are_refused():
    with pytest.raises(StatisticsError):
        adjusted_odds_ratio(Table(a=-1, b=1, c=1, d=1))
    with pytest.raises(StatisticsError):
        adjusted_odds_ratio(Table(a=1, b=1, c=1, d=1), confidence=1)
