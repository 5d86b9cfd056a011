"""Whether outcomes of comparisons are told apart so well that no finite logistic fit is best."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from auditor.errors import StatisticsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_TOLERANCE = 1e-6
"""Directions are scaled to the box [-1, 1]: what is no larger is a solver's rounding."""


class Drift(Enum):
    """Where the best value of a coefficient lies without a penalty."""

    FINITE = "finite"
    UPWARDS = "upwards"
    """At plus infinity, whatever the others do."""
    DOWNWARDS = "downwards"
    FREE = "free"
    """Nowhere: the others explain the outcomes entirely, with it or against it."""


@dataclass(frozen=True, slots=True)
class Separation:
    """What a logistic fit without a penalty would do."""

    is_separated: bool
    """No finite maximum of the likelihood exists."""
    last: Drift
    """Of the last coefficient."""


def separation(design: Floats, successes: Floats, failures: Floats) -> Separation:
    """Whether the rows of `design` separate successes from failures, wholly or in part.

    A direction d of the coefficients separates if design @ d >= 0 in every row with successes
    alone, <= 0 in every row with failures alone, 0 in every row with both, and not 0
    everywhere. Found by linear programming; directions that change no prediction (adding the
    same to all strengths) do not count. Rows without any outcome are passed over.

    Source: Albert and Anderson (1984), Biometrika 71; Konis (2007), for the linear programme.
    """
    import numpy as np

    won, lost = (successes > 0) & (failures == 0), (failures > 0) & (successes == 0)
    one_sided = np.vstack([design[won], -design[lost]])
    both = design[(successes > 0) & (failures > 0)]
    gain = one_sided.sum(axis=0)
    if not len(one_sided) or _largest(gain, one_sided, both) <= _TOLERANCE:
        return Separation(False, Drift.FINITE)
    last = np.zeros(design.shape[1])
    last[-1] = 1.0
    up = _largest(last, one_sided, both) > _TOLERANCE
    down = _largest(-last, one_sided, both) > _TOLERANCE
    drifts = {
        (False, False): Drift.FINITE,
        (True, False): Drift.UPWARDS,
        (False, True): Drift.DOWNWARDS,
        (True, True): Drift.FREE,
    }
    return Separation(True, drifts[up, down])


def _largest(objective: Floats, one_sided: Floats, both: Floats) -> float:
    import numpy as np
    from scipy.optimize import linprog

    found = linprog(
        -objective,
        A_ub=-one_sided,
        b_ub=np.zeros(len(one_sided)),
        A_eq=both if len(both) else None,
        b_eq=np.zeros(len(both)) if len(both) else None,
        bounds=(-1, 1),
        method="highs",
    )
    if found.status != 0:
        raise StatisticsError(f"the linear programme found no answer: {found.message}")
    return float(-found.fun)
