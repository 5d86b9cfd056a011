"""How many documents are still taken of each space, where only the first ones are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.corpus.counting import PartCounts
from auditor.statistics.cooccurrence import PlaceCounts

Documents = Mapping[str, int]
"""Documents by space; one that has none is missing."""


class Quotas:
    """What is left of each space, in the order of the list of words."""

    def __init__(self, spaces: Iterable[str], per_space: int, taken: Documents) -> None:
        """`taken`: documents of files that were counted before."""
        self._spaces = tuple(spaces)
        self._per_space = per_space
        self._taken = dict(taken)

    def left(self, besides: Documents | None = None, *, instead_of: Documents) -> list[int]:
        """Documents that may still be taken; `instead_of` are given back, `besides` taken too."""
        more = besides or {}
        return [
            max(
                0,
                self._per_space
                - self._taken.get(space, 0)
                + instead_of.get(space, 0)
                - more.get(space, 0),
            )
            for space in self._spaces
        ]

    def hold(self, documents: Documents, then: Sequence[int], now: Sequence[int]) -> bool:
        """Whether what was taken while so much was left is what is to be taken now."""
        for space, before, left in zip(self._spaces, then, now, strict=True):
            taken = documents.get(space, 0)
            if taken > left or (taken == before < left):
                return False
        return True

    def take(self, documents: Documents, *, instead_of: Documents) -> None:
        """Take those of one file in place of what it gave before."""
        for space in self._spaces:
            change = documents.get(space, 0) - instead_of.get(space, 0)
            self._taken[space] = self._taken.get(space, 0) + change


def counts_of(counted: Sequence[PartCounts]) -> dict[str, PlaceCounts]:
    """The counts of all parts of a file, by space."""
    found: dict[str, PlaceCounts] = {}
    for part in counted:
        for space, counts in part.counts.items():
            found[space] = found[space] + counts if space in found else counts
    return found


def documents_of(counted: Sequence[PartCounts]) -> dict[str, int]:
    """The documents of all parts of a file, by space."""
    return {space: each.documents for space, each in counts_of(counted).items()}
