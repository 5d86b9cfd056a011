"""One limit spread over several that each could take all of it."""

from __future__ import annotations

import math
from collections.abc import Sequence


def shares(limit: int, wanted: Sequence[int], *, step: int = 1) -> tuple[int, ...]:
    """How much of a limit each of several gets that want so many, in whole steps.

    As even as can be: what one does not want goes to the others, and what does not come out even
    to the first ones. In all never more than `limit`.
    """
    most = [math.ceil(count / step) for count in wanted]
    given = [0] * len(wanted)
    left = limit // step
    while left and (hungry := [place for place, cap in enumerate(most) if given[place] < cap]):
        each, more = divmod(left, len(hungry))
        for number, place in enumerate(hungry):
            taken = min(most[place] - given[place], each + (number < more))
            given[place] += taken
            left -= taken
    return tuple(count * step for count in given)
