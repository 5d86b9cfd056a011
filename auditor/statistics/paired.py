"""Differences within pairs: their mean, spread, effect sizes and signed-rank test.

This module loads numpy: it is imported by name, where pairs are compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from auditor.errors import StatisticsError
from auditor.statistics.mean_tests import t_test_p
from auditor.statistics.rounding import settled, zero_settled
from auditor.statistics.sample_means import combined, sample_mean
from auditor.statistics.shares import Interval
from auditor.statistics.signed_rank import signed_rank_p

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedDifference:
    """What `paired_difference` finds of first minus second; None is undefined."""

    n: int
    """Pairs."""
    mean: float | None
    interval: Interval | None
    """Student's t, 95 %, n - 1 degrees of freedom: pairs as independent draws."""
    variance: float | None
    """Sample variance (ddof 1) of the differences."""
    d_z: float | None
    """mean / standard deviation of the differences."""
    d: float | None
    """mean / pooled standard deviation of the two sides."""
    wilcoxon_p: float | None
    """Two-sided, of the signed ranks; 1 where all differences are 0."""


def paired_difference(
    first: Floats, second: Floats, *, confidence: float = 0.95
) -> PairedDifference:
    """First minus second over pairs without a missing value, two arrays of one length.

    Differences are taken to twelve decimals, so that those of decimal scores are 0, or equal,
    where they should be. No pair leaves everything None; one pair has a mean and a Wilcoxon p
    only. Effect sizes are None where nothing varies.

    Source: d_z and the d by the pooled standard deviation as in Lakens (2013), Frontiers in
    Psychology 4, equations 6 and 1 (equal numbers: sqrt of the mean of the two variances).
    """
    differences = _checked(first, second)
    n = len(differences)
    found = sample_mean(differences.tolist())
    if found is None:
        return PairedDifference(
            n=0, mean=None, interval=None, variance=None, d_z=None, d=None, wilcoxon_p=None
        )
    mean = zero_settled(found.value)
    p = signed_rank_p(differences)
    if n == 1:
        return PairedDifference(
            n=1, mean=mean, interval=None, variance=None, d_z=None, d=None, wilcoxon_p=p
        )
    variance = float(differences.var(ddof=1))
    pooled = (float(first.var(ddof=1)) + float(second.var(ddof=1))) / 2
    return PairedDifference(
        n=n,
        mean=mean,
        interval=found.interval(confidence=confidence),
        variance=variance,
        d_z=_ratio(mean, variance),
        d=_ratio(mean, pooled),
        wilcoxon_p=p,
    )


@dataclass(frozen=True, slots=True)
class ResampledDifferences:
    """The spread and effect sizes in every resample of pairs; NaN where undefined."""

    variance: Floats
    d_z: Floats
    d: Floats


def resampled_differences(
    first: Floats, second: Floats, times: NDArray[np.int64]
) -> ResampledDifferences:
    """`paired_difference` of resampled pairs: `times` is (resamples, pairs), see `times_drawn`."""
    differences = _checked(first, second)
    n = len(differences)
    mean, variance = _moments(differences, times, n)
    pooled = (_moments(first, times, n)[1] + _moments(second, times, n)[1]) / 2
    return ResampledDifferences(variance, _ratios(mean, variance), _ratios(mean, pooled))


def half_difference(
    first: Floats, second: Floats, *, confidence: float = 0.95
) -> tuple[float | None, Interval | None, float | None]:
    """Half the difference of two independent groups' means, its interval and two-sided p.

    Welch's t: variances may differ. Values are taken to twelve decimals. None for all three where
    a group is empty; interval and p are None where a group has one value or nothing varies.
    """
    means = [sample_mean(settled(group).tolist()) for group in (first, second)]
    known = [mean for mean in means if mean is not None]
    half = combined(known, (0.5, -0.5)) if len(known) == len(means) else None
    if half is None:
        return None, None, None
    value = zero_settled(half.value)
    if not half.error:
        return value, None, None
    p = t_test_p(replace(half, value=value))
    return value, half.interval(confidence=confidence), p


def _checked(first: Floats, second: Floats) -> Floats:
    if first.shape != second.shape:
        raise StatisticsError(f"pairs need two of each, not {len(first)} and {len(second)}")
    differences = settled(first - second)
    if np.isnan(differences).any():
        raise StatisticsError("a missing value has no difference: leave the pair out")
    return differences


_ROUNDING = 1e-24
"""Variances up to here are those of equal scores, whose sums are rounded."""


def _ratio(mean: float, variance: float) -> float | None:
    return mean / math.sqrt(variance) if variance > _ROUNDING else None


def _ratios(mean: Floats, variance: Floats) -> Floats:
    ratios = np.full(len(mean), np.nan)
    np.divide(settled(mean), np.sqrt(variance), out=ratios, where=variance > _ROUNDING)
    return ratios


def _moments(values: Floats, times: NDArray[np.int64], n: int) -> tuple[Floats, Floats]:
    """Mean and sample variance of every resample."""
    # About the mean of all, so that little is lost when squares are subtracted.
    centre = values.mean()
    centred = values - centre
    counts = times.astype(np.float64)
    shift = counts @ centred / n
    variance = np.maximum(counts @ centred**2 / n - shift**2, 0.0) * (n / max(n - 1, 1))
    return shift + centre, variance
