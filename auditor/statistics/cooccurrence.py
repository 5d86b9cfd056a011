"""Words of two genders beside a place: counts over documents, rates, and the normalised rate.

Counts add up over files. Beside the sums they hold the sums of products over documents, which is
all that the interval needs: documents are its clusters, and no document has to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from auditor.errors import StatisticsError
from auditor.statistics.estimates import Estimate

_NORMAL_QUANTILE = 1.959963984540054
"""Of 0.975: intervals are of 95 %."""

SUMS = 4
"""Counts of one document: women's sentences and tokens, men's sentences and tokens."""
PAIRS = tuple(combinations_with_replacement(range(SUMS), 2))
"""The products of two of these, in the order in which they are kept."""

NO_DOCUMENT = "no document holds the place"
NO_TOKEN = "no word of this gender in the documents that hold the place"
NO_SENTENCE = "no sentence holds the place and a word of either gender"
NO_INTERVAL = "no interval where a gender has no sentence"
ONE_DOCUMENT = "no interval from a single document"
NO_SPREAD = "no interval: the documents do not differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderCounts:
    """What stands beside a place, of one gender."""

    sentences: int
    """Sentences that hold the place and at least one word of the gender (C)."""
    tokens: int
    """Words of the gender in the documents that hold the place (T)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCounts:
    """Counts over the documents that hold a place at least once; those of two files add up."""

    documents: int = 0
    women: GenderCounts = GenderCounts(sentences=0, tokens=0)
    men: GenderCounts = GenderCounts(sentences=0, tokens=0)
    products: tuple[int, ...] = (0,) * len(PAIRS)
    """Sums over documents of the products of their counts, as in PAIRS."""

    @classmethod
    def of(cls, documents: int, sums: Sequence[int], products: Sequence[int]) -> PlaceCounts:
        """From the sums of a document's four counts, and of their products."""
        if len(sums) != SUMS or len(products) != len(PAIRS):
            raise StatisticsError(f"{len(sums)} sums and {len(products)} products of counts")
        return cls(
            documents=documents,
            women=GenderCounts(sentences=sums[0], tokens=sums[1]),
            men=GenderCounts(sentences=sums[2], tokens=sums[3]),
            products=tuple(products),
        )

    @property
    def sums(self) -> tuple[int, int, int, int]:
        """The four counts."""
        return self.women.sentences, self.women.tokens, self.men.sentences, self.men.tokens

    def __add__(self, other: PlaceCounts) -> PlaceCounts:
        """Those of both, whose documents are other ones."""
        return PlaceCounts.of(
            self.documents + other.documents,
            [mine + its for mine, its in zip(self.sums, other.sums, strict=True)],
            [mine + its for mine, its in zip(self.products, other.products, strict=True)],
        )


def cooccurrence_rates(counts: PlaceCounts) -> tuple[Estimate, Estimate]:
    """R = C / T of women, and of men; None where the documents hold no word of the gender.

    The interval is normal on the scale of the logarithm, by the delta method for a ratio of sums.
    Sampling model: the documents that hold the place are independent, what stands within one is
    not. It ends at 1 at most: a sentence that counts holds a word. None where C is 0, with a single
    document, or where documents do not differ.

    Source: SPAGBias (arXiv 2604.14672), Appendix H.6 (rate); Cochran, Sampling Techniques (1977),
    section 6 (ratio of cluster totals).
    """
    return _rate(counts, counts.women, place=0), _rate(counts, counts.men, place=2)


def normalised_rates(counts: PlaceCounts) -> tuple[Estimate, Estimate]:
    """NSGC = R / (R of women + R of men), of women and of men: the two add up to 1.

    None where a rate is undefined, or both are 0. The interval is normal on the scale of the
    log-odds log(R of women / R of men), sampling model as for the rates. None where a rate is 0,
    with a single document, or where documents do not differ.

    Source: SPAGBias (arXiv 2604.14672), Appendix H.6.
    """
    women, men = counts.women, counts.men
    note = None
    if not counts.documents:
        note = NO_DOCUMENT
    elif not women.tokens or not men.tokens:
        note = "no word of one gender in the documents that hold the place"
    elif not women.sentences and not men.sentences:
        note = NO_SENTENCE
    if note is not None:
        nothing = Estimate(value=None, n=counts.documents, note=note)
        return nothing, nothing
    # Of whole numbers, so that rates that are equal are equal here.
    hers, his = women.sentences * men.tokens, men.sentences * women.tokens
    value, rest = hers / (hers + his), his / (hers + his)
    weights = (1, -1, -1, 1)
    note = _no_interval(counts, weights)
    if note is not None:
        return (
            Estimate(value=value, n=counts.documents, note=note),
            Estimate(value=rest, n=counts.documents, note=note),
        )
    half = _NORMAL_QUANTILE * math.sqrt(_variance(counts, weights))
    log_odds = math.log(hers) - math.log(his)
    low, high = _logistic(log_odds - half), _logistic(log_odds + half)
    return (
        Estimate(value=value, ci_low=low, ci_high=high, n=counts.documents),
        Estimate(value=rest, ci_low=1 - high, ci_high=1 - low, n=counts.documents),
    )


def _rate(counts: PlaceCounts, gender: GenderCounts, *, place: int) -> Estimate:
    n = counts.documents
    if not n or not gender.tokens:
        return Estimate(value=None, n=n, note=NO_TOKEN if n else NO_DOCUMENT)
    value = gender.sentences / gender.tokens
    weights = (1, -1, 0, 0) if place == 0 else (0, 0, 1, -1)
    note = _no_interval(counts, weights)
    if note is not None:
        return Estimate(value=value, n=n, note=note)
    factor = math.exp(_NORMAL_QUANTILE * math.sqrt(_variance(counts, weights)))
    high = min(1.0, value * factor)
    return Estimate(value=value, ci_low=value / factor, ci_high=high, n=n)


def _no_interval(counts: PlaceCounts, signs: Sequence[int]) -> str | None:
    if any(sign and not count for sign, count in zip(signs, counts.sums, strict=True)):
        return NO_INTERVAL
    if counts.documents == 1:
        return ONE_DOCUMENT
    return None if _variance(counts, signs) else NO_SPREAD


def _variance(counts: PlaceCounts, signs: Sequence[int]) -> Fraction:
    """Of a sum over documents of their counts in parts of all, with these signs; exact.

    The sum is 0 over all documents.
    """
    weights = [
        Fraction(sign, count) if sign else Fraction(0)
        for sign, count in zip(signs, counts.sums, strict=True)
    ]
    total = sum(
        (1 if one == other else 2) * weights[one] * weights[other] * product
        for (one, other), product in zip(PAIRS, counts.products, strict=True)
    )
    n = counts.documents
    return Fraction(total) * n / (n - 1)


def _logistic(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds)) if log_odds >= 0 else 1 - 1 / (1 + math.exp(log_odds))
