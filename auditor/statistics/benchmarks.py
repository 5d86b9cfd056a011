"""How shares of men compare with a benchmark of the same occupations."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.errors import StatisticsError
from auditor.statistics.moments import mean
from auditor.statistics.rounding import zero_settled

LOWEST_RATING = 1
HIGHEST_RATING = 7


def male_association(rating: float) -> float:
    """A rating of the scale from 1 (female) to 7 (male) as a share: (rating - 1) / 6.

    Raises StatisticsError for a rating outside the scale (NaN included).

    Source: "More Women, Same Stereotypes" (arXiv 2503.15904).
    """
    if not LOWEST_RATING <= rating <= HIGHEST_RATING:
        raise StatisticsError(
            f"{rating!r} is no rating: it must lie in [{LOWEST_RATING}, {HIGHEST_RATING}]"
        )
    return (rating - LOWEST_RATING) / (HIGHEST_RATING - LOWEST_RATING)


def ampd(shares: Sequence[float], benchmarks: Sequence[float]) -> float | None:
    """Mean over occupations of (male share - benchmark), in [-1, 1]; None for no occupation.

    Below 0: fewer men than the benchmark has. Over the same occupations, the values against
    two benchmarks differ by the benchmarks' means, whatever the shares are.

    Raises StatisticsError for lists of different length.

    Source: "More Women, Same Stereotypes" (arXiv 2503.15904), Table 1.
    """
    if len(shares) != len(benchmarks):
        raise StatisticsError(
            f"pairs need lists of one length, not {len(shares)} and {len(benchmarks)}"
        )
    found = mean([share - benchmark for share, benchmark in zip(shares, benchmarks, strict=True)])
    return None if found is None else zero_settled(found)
