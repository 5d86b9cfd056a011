"""Pure functions of counts and small tables, in the terms of scipy; plain floats come back.

Nothing here knows protocols or stores. Importing this package loads no heavy library; the
few functions that need scipy import it when they are called.
"""

from __future__ import annotations

from auditor.statistics.agreement import beyond_chance, cohens_kappa, scotts_pi
from auditor.statistics.benchmarks import HIGHEST_RATING, LOWEST_RATING, ampd, male_association
from auditor.statistics.bias_change import CHANGES, Change, bias_change
from auditor.statistics.binomial import two_sided_p, upper_tail
from auditor.statistics.bootstrap import (
    percentile_interval,
    resampled_mean,
    resampled_median,
    resamples,
)
from auditor.statistics.closeness import mean_absolute_difference, mean_difference
from auditor.statistics.confusion import Confusion
from auditor.statistics.consistency import (
    Agreement,
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
from auditor.statistics.entropy import edi, edi_interval, entropy_bits
from auditor.statistics.estimates import Estimate
from auditor.statistics.families import benjamini_hochberg
from auditor.statistics.krippendorff import krippendorff_alpha, units_of
from auditor.statistics.moments import mean, median, variance
from auditor.statistics.rank import kendall_tau, resampled_kendall_tau
from auditor.statistics.shares import Interval, share, wilson_interval

__all__ = [
    "CHANGES",
    "HIGHEST_RATING",
    "LOWEST_RATING",
    "Agreement",
    "Change",
    "Confusion",
    "Estimate",
    "Interval",
    "ampd",
    "average_dc",
    "average_mae",
    "benjamini_hochberg",
    "beyond_chance",
    "bias_change",
    "cohens_kappa",
    "direction",
    "edi",
    "edi_interval",
    "entropy_bits",
    "excellent_dc",
    "excellent_mae",
    "kendall_tau",
    "krippendorff_alpha",
    "male_association",
    "mean",
    "mean_absolute_difference",
    "mean_difference",
    "median",
    "percentile_interval",
    "resampled_kendall_tau",
    "resampled_mean",
    "resampled_median",
    "resamples",
    "scotts_pi",
    "share",
    "space_dc",
    "space_mae",
    "ties",
    "total_dc",
    "total_mae",
    "two_sided_p",
    "units_of",
    "upper_tail",
    "variance",
    "wilson_interval",
]
