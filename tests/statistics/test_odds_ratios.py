"""Odds ratios against scipy, statsmodels and counting."""

import math
from itertools import product

import pytest
from scipy.stats import fisher_exact, hypergeom
from scipy.stats.contingency import odds_ratio as conditional
from statsmodels.stats.contingency_tables import StratifiedTable

from auditor.errors import StatisticsError
from auditor.statistics.odds_ratios import Table, odds_ratio, shifted_odds_ratio

TABLES = [(7, 3, 2, 8), (15, 15, 15, 15), (1, 29, 4, 26), (30, 12, 9, 40), (3, 1, 1, 3)]


def table(*cells):
    a, b, c, d = cells
    return Table(a=a, b=b, c=c, d=d)


def matrix(*cells):
    return [list(cells[:2]), list(cells[2:])]


@pytest.mark.parametrize("cells", TABLES)
def test_one_table_has_the_exact_interval_and_p_of_scipy(cells):
    found = odds_ratio([table(*cells)])
    a, b, c, d = cells
    assert found.value == pytest.approx(a * d / (b * c))
    bounds = conditional(matrix(*cells), kind="conditional").confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), rel=1e-6)
    assert found.p_value == pytest.approx(fisher_exact(matrix(*cells)).pvalue)


def test_strata_are_pooled_as_statsmodels_does():
    strata = TABLES[:4]
    found = odds_ratio([table(*cells) for cells in strata])
    pooled = StratifiedTable([matrix(*cells) for cells in strata]).oddsratio_pooled
    assert found.value == pytest.approx(pooled)
    assert found.low < found.value < found.high


def test_the_p_of_two_strata_is_that_of_counting_all_tables():
    strata = [(3, 1, 1, 3), (4, 2, 1, 5)]
    margins = [(a + b + c + d, a + b, a + c) for a, b, c, d in strata]
    chances = {}
    for counts in product(range(9), repeat=2):
        chance = math.prod(
            hypergeom.pmf(k, total, first, drawn)
            for k, (total, first, drawn) in zip(counts, margins, strict=True)
        )
        chances[sum(counts)] = chances.get(sum(counts), 0.0) + chance
    expected = sum(p for p in chances.values() if p <= chances[7] * (1 + 1e-7))
    assert odds_ratio([table(*c) for c in strata]).p_value == pytest.approx(expected)


def test_the_bounds_of_two_strata_leave_half_of_five_percent_in_a_tail():
    strata = [(3, 1, 1, 3), (4, 2, 1, 5)]
    found = odds_ratio([table(*c) for c in strata])

    def upper_tail(psi):
        """P(sum >= 7) at a common odds ratio, by counting."""
        weights = {}
        for x, y in product(range(5), range(6)):
            ways = math.comb(4, x) * math.comb(4, 4 - x) * math.comb(6, y) * math.comb(6, 5 - y)
            weights[x + y] = weights.get(x + y, 0) + ways * psi ** (x + y)
        return sum(w for k, w in weights.items() if k >= 7) / sum(weights.values())

    assert upper_tail(found.low) == pytest.approx(0.025)


def test_a_stratum_that_says_nothing_carries_no_weight():
    alone = odds_ratio([table(7, 3, 2, 8)])
    for silent in [(5, 0, 9, 0), (0, 4, 0, 2), (3, 3, 0, 0), (0, 0, 0, 0)]:
        assert odds_ratio([table(7, 3, 2, 8), table(*silent)]) == alone
        assert odds_ratio([table(*silent)]) is None
    assert odds_ratio([]) is None


def test_an_empty_cell_leaves_one_side_without_a_bound():
    found = odds_ratio([table(5, 0, 2, 3)])
    assert (found.value, found.high) == (math.inf, math.inf)
    bounds = conditional([[5, 0], [2, 3]], kind="conditional").confidence_interval(0.95)
    assert found.low == pytest.approx(bounds.low, rel=1e-6)
    turned = odds_ratio([table(0, 5, 3, 2)])
    assert (turned.value, turned.low) == (0.0, 0.0)
    assert turned.high == pytest.approx(1 / found.low, rel=1e-6)


def test_a_half_in_each_cell_makes_any_ratio_finite():
    assert shifted_odds_ratio(table(30, 0, 0, 30)) == 61 * 61
    assert shifted_odds_ratio(table(0, 0, 0, 0)) == 1


def test_large_counts_stay_in_range():
    found = odds_ratio([table(60_000, 40_000, 40_000, 60_000)])
    assert found.value == pytest.approx(2.25)
    # Woolf's interval is as good here.
    half = 1.959964 * math.sqrt(2 / 60_000 + 2 / 40_000)
    assert found.low == pytest.approx(2.25 * math.exp(-half), rel=1e-3)
    assert found.high == pytest.approx(2.25 * math.exp(half), rel=1e-3)


def test_what_is_no_count_or_confidence_is_refused():
    with pytest.raises(StatisticsError, match="below zero"):
        odds_ratio([table(-1, 2, 3, 4)])
    with pytest.raises(StatisticsError, match="confidence"):
        odds_ratio([table(1, 2, 3, 4)], confidence=95)
