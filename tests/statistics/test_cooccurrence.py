"""Rates beside a place: values by hand, intervals by the documents themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditor.statistics.cooccurrence import (
    NO_DOCUMENT,
    NO_INTERVAL,
    NO_SENTENCE,
    NO_SPREAD,
    NO_TOKEN,
    ONE_DOCUMENT,
    PAIRS,
    PlaceCounts,
    cooccurrence_rates,
    normalised_rates,
)


def counts_of(documents: list[tuple[int, int, int, int]]) -> PlaceCounts:
    """Of documents with (women's sentences, tokens, men's sentences, tokens)."""
    sums = [sum(each) for each in zip(*documents, strict=True)] or [0] * 4
    products = [sum(each[i] * each[j] for each in documents) for i, j in PAIRS]
    return PlaceCounts.of(len(documents), sums, products)


DOCUMENTS = [(1, 2, 0, 1), (2, 3, 1, 4), (0, 1, 1, 1), (3, 9, 1, 2), (1, 1, 0, 0)]


def test_values_are_those_of_the_definition() -> None:
    women, men = cooccurrence_rates(counts_of(DOCUMENTS))
    assert (women.value, men.value) == (7 / 16, 3 / 8)
    hers, his = normalised_rates(counts_of(DOCUMENTS))
    assert hers.value == pytest.approx((7 / 16) / (7 / 16 + 3 / 8))
    assert hers.value + his.value == pytest.approx(1)
    assert {each.n for each in (women, men, hers, his)} == {5}


def test_the_interval_is_that_of_influences_of_documents() -> None:
    table = np.array(DOCUMENTS, dtype=float)
    c_women, t_women, c_men, t_men = (table / table.sum(axis=0)).T
    influence = c_women - t_women - c_men + t_men
    half = 1.959964 * math.sqrt(5) * np.std(influence, ddof=1)
    log_odds = math.log((7 / 16) / (3 / 8))
    hers, his = normalised_rates(counts_of(DOCUMENTS))
    low, high = (1 / (1 + math.exp(-(log_odds + sign * half))) for sign in (-1, 1))
    assert (hers.ci_low, hers.ci_high) == pytest.approx((low, high), rel=1e-6)
    assert (his.ci_low, his.ci_high) == pytest.approx((1 - high, 1 - low), rel=1e-6)
    women, _ = cooccurrence_rates(counts_of(DOCUMENTS))
    factor = math.exp(1.959964 * math.sqrt(5) * np.std(c_women - t_women, ddof=1))
    assert (women.ci_low, women.ci_high) == pytest.approx((7 / 16 / factor, 7 / 16 * factor), 1e-6)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    draw = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        tokens = 1 + draw.poisson(2, size=(80, 2))
        # Words of one document share its leaning: they are not independent.
        chances = draw.beta(2, 2, size=(80, 1)) * np.array([0.8, 0.4])
        sentences = draw.binomial(tokens, chances)
        rows = np.column_stack([sentences[:, 0], tokens[:, 0], sentences[:, 1], tokens[:, 1]])
        hers, _ = normalised_rates(counts_of([tuple(map(int, row)) for row in rows]))
        assert hers.ci_low is not None
        assert hers.ci_high is not None
        hits += hers.ci_low <= 2 / 3 <= hers.ci_high
    assert 0.92 <= hits / 200 <= 0.98


def test_files_add_up_to_their_documents() -> None:
    assert counts_of(DOCUMENTS[:2]) + counts_of(DOCUMENTS[2:]) == counts_of(DOCUMENTS)


@pytest.mark.parametrize(
    ("documents", "rate", "value", "note"),
    [
        ([], None, None, NO_DOCUMENT),
        ([(0, 0, 1, 1)], None, None, "no word of one gender in the documents that hold the place"),
        ([(0, 2, 0, 1)], 0.0, None, NO_SENTENCE),
        ([(0, 2, 1, 1), (0, 1, 1, 1)], 0.0, 0.0, NO_INTERVAL),
        ([(1, 1, 1, 1)], 1.0, 0.5, ONE_DOCUMENT),
    ],
)
def test_what_is_undefined_is_none_and_says_why(
    documents: list, rate: float | None, value: float | None, note: str
) -> None:
    counts = counts_of(documents)
    hers, _ = normalised_rates(counts)
    assert (hers.value, hers.note, hers.ci_low, hers.ci_high) == (value, note, None, None)
    women, _ = cooccurrence_rates(counts)
    assert women.value == rate
    assert women.ci_low is None
    assert women.note in {NO_DOCUMENT, NO_TOKEN, NO_INTERVAL, ONE_DOCUMENT}


def test_documents_that_do_not_differ_say_nothing_of_the_spread() -> None:
    # 3, 7 and 11 have no exact inverse in binary: what rounding leaves is no spread either.
    counts = counts_of([(3, 7, 1, 11)] * 3)
    for figure in (*cooccurrence_rates(counts), *normalised_rates(counts)):
        assert figure.value is not None
        assert (figure.ci_low, figure.ci_high, figure.note) == (None, None, NO_SPREAD)
    women, men = cooccurrence_rates(counts_of([(1, 1, 1, 2), (2, 2, 2, 2)]))
    assert (women.ci_low, women.note) == (None, NO_SPREAD)
    assert men.ci_low is not None


def test_a_rate_has_no_interval_above_one() -> None:
    # A sentence that counts holds a word of the gender, so C is never above T.
    women, _ = cooccurrence_rates(counts_of([(1, 1, 0, 1), (0, 1, 0, 1)]))
    assert women.value == 0.5
    assert women.ci_low == pytest.approx(0.5 / math.exp(1.959964), rel=1e-6)
    assert women.ci_high == 1.0


def test_equal_rates_are_equal_whatever_counts_they_come_from() -> None:
    # 1 to 3/4 and 1/3 to 1/4 are both 4 to 3; quotients of quotients differ in the last digit.
    one, other = (
        normalised_rates(counts_of([(women, t_women, men, t_men)]))
        for women, t_women, men, t_men in ((1, 1, 3, 4), (1, 3, 1, 4))
    )
    assert [each.value for each in one] == [each.value for each in other] == [4 / 7, 3 / 7]
