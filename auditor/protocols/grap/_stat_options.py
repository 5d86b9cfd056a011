"""What a spec asks of the statistics of `grap`, and which draws they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from auditor.draws import draw, draw_integer
from auditor.statistics import resamples, times_drawn

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

Places = NDArray[np.int64]

DEFAULT_PRESET = "F"
RESAMPLES = 1000
PERMUTATIONS = 1000
# A figure is a function of its data alone: it stays what it is when a run's seed changes.
_SEED = 0
_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which probes are fitted, and how often they are refitted."""

    presets: tuple[str, ...] = (DEFAULT_PRESET,)
    intercepts: tuple[bool, ...] = (True,)
    has_paper_variant: bool = False
    seed: int = _SEED
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS

    def times(self, n: int) -> Places:
        """How often each of n pairs is drawn in every resample, (resamples, n); read only."""
        return _times(n, self.resamples, self.seed)

    def swaps(self, n: int) -> NDArray[np.bool_]:
        """Which of n pairs every permutation swaps, (permutations, n); read only."""
        return _swaps(n, self.permutations, self.seed)

    def shuffled(self, pairs: Sequence[int]) -> Places:
        """Places of the pairs in an order drawn pair by pair: equal for every judge and target."""
        numbers = [draw(self.seed, "grap:folds", str(pair)) for pair in pairs]
        return np.argsort(numbers, kind="stable")


def options_of(params: GrapParams | None) -> Options:
    """The options of a spec; the defaults for an import."""
    if params is None:
        return Options()
    return Options(
        presets=params.preset,
        intercepts=params.intercept,
        has_paper_variant=params.variant is not None,
    )


@lru_cache(maxsize=4)
def _times(n: int, number: int, seed: int) -> Places:
    seeds = [draw_integer(seed, "grap:bootstrap", str(each)) for each in range(number)]
    times = np.empty((number, n), dtype=np.int64)
    # A few at a time: what is drawn takes several times the room of what is kept.
    for start in range(0, number, _AT_ONCE):
        part = seeds[start : start + _AT_ONCE]
        times[start : start + len(part)] = times_drawn(resamples(n, part))
    times.flags.writeable = False
    return times


@lru_cache(maxsize=4)
def _swaps(n: int, number: int, seed: int) -> NDArray[np.bool_]:
    swaps = np.empty((number, n), dtype=bool)
    for each in range(number):
        number_of = Random(draw_integer(seed, "grap:permutation", str(each)))
        # Word after word, so that more pairs keep the bits of the first ones.
        words = [number_of.getrandbits(32) for _ in range(-(-n // 32))]
        swaps[each] = np.unpackbits(np.array(words, dtype="<u4").view(np.uint8), count=n)
    swaps.flags.writeable = False
    return swaps
