"""Which occupations each bootstrap resample draws: the same for every target and statistic."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.draws import draw_integer
from auditor.statistics import resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 10_000
_STREAM = "stories:bootstrap"
# An interval is a function of its data alone: it stays what it is when a run's seed changes.
_SEED = 0


@lru_cache(maxsize=8)
def resampled_occupations(n: int) -> NDArray[np.int64]:
    """Places of the occupations of each resample; not to be written to."""
    positions = resamples(
        n, [draw_integer(_SEED, _STREAM, str(number)) for number in range(RESAMPLES)]
    )
    positions.flags.writeable = False
    return positions
