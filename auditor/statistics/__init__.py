"""Pure functions of counts and small tables, in the terms of scipy; plain floats come back.

Nothing here knows protocols or stores. Importing this package loads no heavy library; the
few functions that need scipy import it when they are called. Modules of whole arrays (`paired`,
`probe`, `permutation`, `discrimination`, ...) load numpy, so they are not named here: who needs one
imports it.
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
    times_drawn,
)
from auditor.statistics.bradley_terry import BradleyTerry, bradley_terry
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
from auditor.statistics.moments import mean, median, standard_deviation, variance
from auditor.statistics.rank import LEAST_ITEMS, kendall_tau, resampled_kendall_tau
from auditor.statistics.rounding import settled, tied, zero_settled
from auditor.statistics.sample_means import SampleMean, averaged, combined, sample_mean
from auditor.statistics.separated_outcomes import Drift, Separation
from auditor.statistics.shares import Interval, newcombe_interval, share, wilson_interval
from auditor.statistics.spearman import Correlation, ranked, resampled_spearman, spearman
from auditor.statistics.within_items import error_interval, resampled_totals

__all__ = [
    "CHANGES",
    "HIGHEST_RATING",
    "LEAST_ITEMS",
    "LOWEST_RATING",
    "Agreement",
    "BradleyTerry",
    "Change",
    "Confusion",
    "Correlation",
    "Drift",
    "Estimate",
    "Interval",
    "SampleMean",
    "Separation",
    "ampd",
    "average_dc",
    "average_mae",
    "averaged",
    "benjamini_hochberg",
    "beyond_chance",
    "bias_change",
    "bradley_terry",
    "cohens_kappa",
    "combined",
    "direction",
    "edi",
    "edi_interval",
    "entropy_bits",
    "error_interval",
    "excellent_dc",
    "excellent_mae",
    "kendall_tau",
    "krippendorff_alpha",
    "male_association",
    "mean",
    "mean_absolute_difference",
    "mean_difference",
    "median",
    "newcombe_interval",
    "percentile_interval",
    "ranked",
    "resampled_kendall_tau",
    "resampled_mean",
    "resampled_median",
    "resampled_spearman",
    "resampled_totals",
    "resamples",
    "sample_mean",
    "scotts_pi",
    "settled",
    "share",
    "space_dc",
    "space_mae",
    "spearman",
    "standard_deviation",
    "tied",
    "ties",
    "times_drawn",
    "total_dc",
    "total_mae",
    "two_sided_p",
    "units_of",
    "upper_tail",
    "variance",
    "wilson_interval",
    "zero_settled",
]
