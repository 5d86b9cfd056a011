"""Targets over several pages, where they are more than one has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TargetPage:
    """Targets that stand on one page."""

    targets: tuple[str, ...]
    first: int
    """Place of the first one among all, from 1."""
    whole: int
    """How many there are on all pages."""

    @property
    def words(self) -> tuple[str, ...]:
        """Which of the targets these are; nothing where they are all."""
        if len(self.targets) == self.whole:
            return ()
        last = self.first + len(self.targets) - 1
        which = f"Target {last}" if last == self.first else f"Targets {self.first} to {last}"
        return (f"{which} of {self.whole}.",)


def pages(targets: Sequence[str], most: int) -> Iterator[TargetPage]:
    """The targets in their order, at most `most` a page, and as many on each as can be."""
    whole = len(targets)
    count = -(-whole // most)
    for number in range(count):
        start, end = number * whole // count, (number + 1) * whole // count
        yield TargetPage(targets=tuple(targets[start:end]), first=start + 1, whole=whole)
