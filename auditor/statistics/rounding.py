"""What binary rounding leaves of decimal numbers: 0.8 - 0.7 is not 0.3 - 0.2, and yet they tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

TIE_DECIMALS = 9
"""Values that are equal to so many decimals are tied: means of equal ratings in another order."""
DECIMALS = 12
"""Sums, means and differences of scores and shares are right to so many decimals at least."""


def tied(values: ArrayLike) -> NDArray[np.float64]:
    """The values as they are ranked, compared with each other or held against 0; NaN stays."""
    return _rounded(values, TIE_DECIMALS)


def settled(values: ArrayLike) -> NDArray[np.float64]:
    """Differences or means of scores to twelve decimals, so that equal ones are equal; NaN stays.

    For numbers of the size of scores, shares and ratings. Not for probabilities that may be tiny.
    """
    return _rounded(values, DECIMALS)


def zero_settled(value: float, decimals: int = DECIMALS) -> float:
    """0 where a difference or correlation is nothing but rounding, else the value as it is."""
    return value if abs(value) >= 0.5 * 10.0**-decimals else 0.0


def _rounded(values: ArrayLike, decimals: int) -> NDArray[np.float64]:
    import numpy as np

    # Adding 0 takes the sign from a negative number that is rounded to nothing.
    found: NDArray[np.float64] = np.asarray(values, dtype=np.float64).round(decimals) + 0.0
    return found
