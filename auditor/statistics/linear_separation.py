"""Whether some weighing of the scores splits the two labels without a fault.

This module loads numpy.
"""

from __future__ import annotations

import numpy as np

from auditor.statistics.probe import Floats, responses, spread

_ROUNDING = 1e-7


def is_separated(scores: Floats, *, intercept: bool = True) -> bool | None:
    """True where the labels are separated, completely or but for ties on the boundary.

    Then a logistic regression without a penalty has no finite coefficients, and those of the
    probe are as large as its penalty lets them be. Scores are (pairs, 2, dimensions). None where
    the solver gives up.

    Found by linear programming: the largest sum of s * logit over all responses (s = 1 for label
    1, else -1) with every s * logit >= 0 and weights in [-1, 1]; above 0 exactly if separated.

    Source: Albert and Anderson (1984), Biometrika 71; Konis (2007), DPhil thesis, Oxford.
    """
    from scipy.optimize import linprog

    rows, labels = responses(scores)
    means, deviations = spread(rows)
    varies = deviations > 0
    # Without an intercept the boundary goes through the mean, as the probe's does.
    design = (rows[:, varies] - means[varies]) / deviations[varies]
    if intercept:
        design = np.column_stack([np.ones(len(rows)), design])
    if not design.shape[1]:
        return False
    signed = design * (2 * labels - 1)[:, None]
    done = linprog(-signed.mean(axis=0), A_ub=-signed, b_ub=np.zeros(len(rows)), bounds=(-1.0, 1.0))
    return bool(-done.fun > _ROUNDING) if done.success else None
