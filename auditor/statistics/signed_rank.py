"""Wilcoxon's signed-rank test, exact for few pairs also where differences are tied.

This module loads numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.statistics.rounding import tied

EXACT_UP_TO = 50
"""Differences other than 0, as scipy has it where none are tied."""


def signed_rank_p(differences: NDArray[np.float64]) -> float:
    """Two-sided p of the hypothesis that differences lie symmetrically about 0.

    Differences are tied, or 0, where they are so to nine decimals. Those of 0 are left out of the
    ranks, and ties share their mean rank. Up to 50 other
    differences the p is that of all assignments of signs to the ranks, counted one rank at a
    time; above, scipy's normal approximation with its correction for ties. 1 where all are 0.

    Scores come in steps, so ties are the rule; for tied differences scipy enumerates signs one by
    one up to 13 pairs and approximates above.

    Source: Wilcoxon (1945), Biometrics Bulletin 1.
    """
    from scipy import stats

    differences = tied(differences)
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    if len(differences) > EXACT_UP_TO:
        return float(stats.wilcoxon(differences, method="asymptotic").pvalue)
    # Mean ranks are halves at the finest: doubled, all are whole.
    ranks = (2 * stats.rankdata(np.abs(differences))).astype(np.int64)
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    observed = int(ranks[differences > 0].sum())
    tail = min(ways[: observed + 1].sum(), ways[observed:].sum())
    return min(1.0, 2 * float(tail) / 2.0 ** len(ranks))
