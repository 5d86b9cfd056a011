"""Whether two raters' numbers go together, against scipy on the items one by one."""

from __future__ import annotations

import numpy
import pytest
from scipy import stats

from auditor.statistics.rater_correlation import NO_VARIATION, TOO_FEW, pearson_of, spearman_of

PAIRS = {(3.0, 4.0): 5, (2.5, 2.5): 2, (5.0, 4.0): 3, (1.0, 1.0): 4, (1.0, 2.0): 1, (4.0, 4.5): 2}
ITEMS = [pair for pair, count in PAIRS.items() for _ in range(count)]


def test_pearson_is_that_of_the_items():
    first, second = zip(*ITEMS, strict=True)
    found = pearson_of(PAIRS)
    assert (found.value, found.n) == (pytest.approx(stats.pearsonr(first, second)[0]), 17)


def test_spearman_is_that_of_the_items_with_their_ties():
    first, second = zip(*ITEMS, strict=True)
    found = spearman_of(PAIRS)
    assert (found.value, found.n) == (pytest.approx(stats.spearmanr(first, second)[0]), 17)


@pytest.mark.parametrize("of", [pearson_of, spearman_of])
def test_intervals_are_those_of_resampled_items(of):
    """Against other draws of the items one by one: both ends within three standard errors."""
    found = of(PAIRS, rng=numpy.random.default_rng(1))
    places = numpy.random.default_rng(2).integers(len(ITEMS), size=(2000, len(ITEMS)))
    drawn = numpy.array(ITEMS)[places]
    scores = drawn if of is pearson_of else stats.rankdata(drawn, axis=1)
    each = stats.pearsonr(scores[:, :, 0], scores[:, :, 1], axis=1).statistic
    low, high = numpy.quantile(each, [0.025, 0.975])
    assert found.ci_low == pytest.approx(low, abs=0.08)
    assert found.ci_high == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize("of", [pearson_of, spearman_of])
@pytest.mark.parametrize("pairs", [{(0.1, 0.2): 3, (0.1, 0.7): 4}, {(0.3, 0.1): 7}, {}])
def test_numbers_that_do_not_vary_have_no_correlation(of, pairs):
    found = of(pairs, rng=numpy.random.default_rng(1), resamples=50)
    assert (found.value, found.ci_low, found.ci_high) == (None, None, None)
    assert found.note == (NO_VARIATION if pairs else "no item was given a number by both")


@pytest.mark.parametrize("of", [pearson_of, spearman_of])
def test_two_items_would_always_lie_on_a_line_and_tenths_tie_as_they_are_written(of):
    found = of({(1.0, 2.0): 1, (2.0, 5.0): 1}, rng=numpy.random.default_rng(1), resamples=50)
    assert (found.value, found.ci_low, found.n, found.note) == (None, None, 2, TOO_FEW)
    near = {(0.3, 0.5): 1, (0.1 + 0.2, 0.4): 1, (0.9, 0.5): 1, (0.1, 0.4): 1}
    written = {(0.3, 0.5): 1, (0.3, 0.4): 1, (0.9, 0.5): 1, (0.1, 0.4): 1}
    assert of(near).value == of(written).value


@pytest.mark.parametrize("of", [pearson_of, spearman_of])
def test_numbers_in_one_order_go_together_fully(of):
    assert of({(1.0, 2.0): 2, (2.0, 4.0): 1, (3.0, 6.0): 5}).value == pytest.approx(1)
    assert of({(1.0, 2.0): 2, (2.0, 0.0): 1, (3.0, -2.0): 5}).value == pytest.approx(-1)
