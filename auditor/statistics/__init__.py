"""Pure functions of counts and small tables, in the terms of scipy; plain floats come back.

Nothing here knows protocols or stores. Importing this package loads no heavy library; the
few functions that need scipy import it when they are called.
"""

from __future__ import annotations

from auditor.statistics.bias_change import CHANGES, Change, bias_change
from auditor.statistics.binomial import two_sided_p, upper_tail
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
from auditor.statistics.families import benjamini_hochberg
from auditor.statistics.moments import mean, variance
from auditor.statistics.shares import Interval, share, wilson_interval

__all__ = [
    "CHANGES",
    "Agreement",
    "Change",
    "Interval",
    "average_dc",
    "average_mae",
    "benjamini_hochberg",
    "bias_change",
    "direction",
    "edi",
    "edi_interval",
    "entropy_bits",
    "excellent_dc",
    "excellent_mae",
    "mean",
    "share",
    "space_dc",
    "space_mae",
    "ties",
    "total_dc",
    "total_mae",
    "two_sided_p",
    "upper_tail",
    "variance",
    "wilson_interval",
]
