"""Tests of a mean, or of a difference of means, against nothing."""

from __future__ import annotations

import math

from auditor.statistics.sample_means import SampleMean


def t_test_p(estimate: SampleMean) -> float | None:
    """Two-sided p of Student's t that the true value is 0; None where the error is unknown or 0.

    The degrees of freedom are the estimate's own: n - 1 of one mean, Satterthwaite's of a
    difference of two (Welch's test).

    Source: Student (1908), Biometrika 6; Welch (1947), Biometrika 34.
    """
    if not estimate.error or math.isinf(estimate.freedom):
        return None
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(estimate.freedom, -abs(estimate.value / estimate.error))))
