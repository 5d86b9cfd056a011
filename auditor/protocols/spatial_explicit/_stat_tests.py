"""Which spaces are biased: an exact test of each, corrected over the spaces of one family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auditor.statistics import benjamini_hochberg, two_sided_p

LEVEL = 0.01
"""Significant is q <= 0.01, and p <= 0.01 where it is uncorrected."""

NULL_LEVEL = 0.01
"""The paper's per-space level, as the null of the number of biased spaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceTest:
    """The exact test of one space against an even choice."""

    space: str
    men: int
    n: int
    """Answers that name a gender."""
    p: float | None
    """None for n = 0."""
    q: float | None
    """Benjamini-Hochberg over the family's spaces with n > 0."""

    @property
    def is_biased(self) -> bool:
        """Significant after correction."""
        return self.q is not None and self.q <= LEVEL

    @property
    def is_biased_uncorrected(self) -> bool:
        """Significant before correction."""
        return self.p is not None and self.p <= LEVEL

    @property
    def leans_to_men(self) -> bool:
        """More men than women; a significant space is never a tie."""
        return 2 * self.men > self.n


def space_tests(answers: Iterable[tuple[str, int, int]]) -> list[SpaceTest]:
    """Tests of one family, from (space, answers "men", answers "women") of each space."""
    spaces: Sequence[tuple[str, int, int]] = list(answers)
    p_values = [two_sided_p(men, men + women) for _, men, women in spaces]
    q_values = benjamini_hochberg(p_values)
    return [
        SpaceTest(space=space, men=men, n=men + women, p=p, q=q)
        for (space, men, women), p, q in zip(spaces, p_values, q_values, strict=True)
    ]
