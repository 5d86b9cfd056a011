"""How well the levels of one factor (prompts, temperatures) agree on the same spaces.

All functions of a table take `shares[space][level]`: the men's share of a space's valid
answers under a level, in [0, 1], None where it has no valid answer. The averages of one level
compare it with each other level over the spaces that have a share under both; the totals take
complete spaces only, and say so by raising StatisticsError for None. No interval is given: the
spaces are a fixed list, not a sample, and repetitions are not resampled here.

Source of all: SPAGBias (arXiv 2604.14672), appendix on prompt and temperature robustness
(Tables 4 and 5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from auditor.errors import StatisticsError
from auditor.statistics.moments import mean

Shares = Sequence[Sequence[float | None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """How one level agrees with the others."""

    value: float | None
    """Mean over the other levels; None where no space can be compared with any."""
    spaces: int
    """Spaces that stand in at least one comparison."""
    levels: int
    """Other levels that could be compared."""


def direction(share: float) -> int:
    """Sign of share - 0.5: 1 towards men, -1 towards women, 0 for a tie at exactly 0.5.

    A quotient of integers is 0.5 exactly when it is a tie, so no tolerance is needed.
    """
    return (share > 0.5) - (share < 0.5)


def average_mae(shares: Shares, level: int) -> Agreement:
    """Average MAE of a level: mean over the other levels of the mean of |f_a - f_b|.

    The inner mean is over spaces; in units of a share, 0 (the same everywhere) to 1.
    """
    return _average(shares, level, lambda a, b: abs(a - b))


def average_dc(shares: Shares, level: int) -> Agreement:
    """Average DC of a level: mean over the other levels of the share of spaces that agree.

    Agree means the same direction; a tie at 0.5 is a direction of its own.
    """
    return _average(shares, level, lambda a, b: float(direction(a) == direction(b)))


def space_mae(shares: Sequence[float | None]) -> float:
    """Mean over levels of |f - mean of all levels|, for one complete space.

    Exactly 0 if and only if all shares are equal.
    """
    complete = _complete([shares])[0]
    if min(complete) == max(complete):
        return 0.0
    centre = sum(complete) / len(complete)
    return sum(abs(f - centre) for f in complete) / len(complete)


def space_dc(shares: Sequence[float | None]) -> float:
    """Share of the pairs of levels that agree in direction, for one complete space.

    Five levels split 5-0 give 1, 4-1 gives 0.6, 3-2 gives 0.4.
    """
    directions = [direction(f) for f in _complete([shares])[0]]
    pairs = list(combinations(directions, 2))
    return sum(a == b for a, b in pairs) / len(pairs)


def total_mae(shares: Shares) -> float | None:
    """Total MAE: mean over spaces (and so over levels) of |f - mean of all levels|.

    None for no spaces. The paper calls the mean of the average MAEs equal to it; it is not:
    for two levels it is half of them.
    """
    return mean([space_mae(row) for row in _complete(shares)])


def total_dc(shares: Shares) -> float | None:
    """Total DC: share of all pairs of levels, over all spaces, that agree; None for no spaces."""
    return mean([space_dc(row) for row in _complete(shares)])


def excellent_mae(shares: Shares) -> float | None:
    """Share of spaces whose MAE is exactly 0; None for no spaces."""
    return mean([float(space_mae(row) == 0) for row in _complete(shares)])


def excellent_dc(shares: Shares) -> float | None:
    """Share of spaces whose DC is exactly 1; None for no spaces."""
    return mean([float(space_dc(row) == 1) for row in _complete(shares)])


def ties(shares: Shares) -> int:
    """How many shares of the table are exactly 0.5."""
    return sum(f == 0.5 for row in shares for f in row)


def _average(shares: Shares, level: int, compare: Callable[[float, float], float]) -> Agreement:
    width = _width(shares)
    if shares and not 0 <= level < width:
        raise StatisticsError(f"level {level} is not one of the {width} that the table has")
    means: list[float] = []
    compared: set[int] = set()
    for other in range(width):
        if other == level:
            continue
        values = []
        for space, row in enumerate(shares):
            a, b = row[level], row[other]
            if a is not None and b is not None:
                values.append(compare(a, b))
                compared.add(space)
        found = mean(values)
        if found is not None:
            means.append(found)
    return Agreement(value=mean(means), spaces=len(compared), levels=len(means))


def _complete(shares: Shares) -> list[list[float]]:
    _width(shares)
    rows = [[f for f in row if f is not None] for row in shares]
    for row, kept in zip(shares, rows, strict=True):
        if len(kept) != len(row):
            raise StatisticsError("a total needs spaces with a share under every level")
    return rows


def _width(shares: Shares) -> int:
    if not shares:
        return 0
    width = len(shares[0])
    if width < 2:
        raise StatisticsError(f"agreement needs at least two levels, not {width}")
    for row in shares:
        if len(row) != width:
            raise StatisticsError(f"every space needs {width} levels, one has {len(row)}")
        for f in row:
            if f is not None and not 0 <= f <= 1:
                raise StatisticsError(f"{f!r} is no share: it must lie in [0, 1]")
    return width
