"""How one rater's classes stand to those of another who is taken as right."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from auditor.errors import StatisticsError
from auditor.statistics.estimates import Estimate, share_estimate


class Confusion:
    """The table of (class by the reference, class by the rater) with its figures.

    All shares have Wilson's 95 % interval. Sampling model: the items are independent; those of
    precision and recall are the items with that class by the rater or by the reference. Where
    items were drawn with unequal chances (some classes or strata more often), accuracy and
    precision are those of the drawn items, not of all that they were drawn from.
    """

    def __init__(self, pairs: Mapping[tuple[str, str], int]) -> None:
        for pair, count in pairs.items():
            if count < 0:
                raise StatisticsError(f"{pair}: {count} is no number of items")
        self._pairs = {pair: count for pair, count in pairs.items() if count}

    @cached_property
    def n(self) -> int:
        """Items."""
        return sum(self._pairs.values())

    @cached_property
    def agreeing(self) -> int:
        """Items with the same class by both."""
        return sum(count for (a, b), count in self._pairs.items() if a == b)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Classes that occur, the most frequent (over both) first, equals by name."""
        totals: dict[str, int] = {}
        for pair, count in self._pairs.items():
            for name in pair:
                totals[name] = totals.get(name, 0) + count
        return tuple(sorted(totals, key=lambda name: (-totals[name], name)))

    def count(self, reference: str, rater: str) -> int:
        """Items with these two classes."""
        return self._pairs.get((reference, rater), 0)

    def by_reference(self, name: str) -> int:
        """Items to which the reference gives this class."""
        return sum(count for (a, _), count in self._pairs.items() if a == name)

    def by_rater(self, name: str) -> int:
        """Items to which the rater gives this class."""
        return sum(count for (_, b), count in self._pairs.items() if b == name)

    def accuracy(self) -> Estimate:
        """Share of the items with the same class by both; None without items."""
        return share_estimate(self.agreeing, self.n, nothing="no item was classed by both")

    def precision(self, name: str) -> Estimate:
        """Of the rater's items of this class, the share that the reference gives it too.

        None where the rater never gives it.
        """
        return share_estimate(
            self.count(name, name), self.by_rater(name), nothing="never given by the rater"
        )

    def recall(self, name: str) -> Estimate:
        """Of the reference's items of this class, the share that the rater gives it too.

        None where the reference never gives it.
        """
        return share_estimate(
            self.count(name, name), self.by_reference(name), nothing="never given by the reference"
        )

    def disagreements(self) -> list[tuple[str, str, int]]:
        """(class by the reference, class by the rater, items) where they differ, most first."""
        found = [(a, b, count) for (a, b), count in self._pairs.items() if a != b]
        return sorted(found, key=lambda row: (-row[2], row[0], row[1]))

    def as_json(self) -> dict[str, dict[str, int]]:
        """Counts by class of the reference, then by class of the rater; zeros are left out."""
        table: dict[str, dict[str, int]] = {}
        for (a, b), count in sorted(self._pairs.items()):
            table.setdefault(a, {})[b] = count
        return table
