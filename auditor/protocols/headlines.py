"""Figures of the live view that protocols share."""

from __future__ import annotations

from auditor.protocols.base import Headline
from auditor.statistics import share, wilson_interval


def share_headline(target: str, name: str, count: int, n: int) -> Headline:
    """A share with Wilson's interval; None, but for n, where n is 0."""
    interval = wilson_interval(count, n)
    return Headline(
        target=target,
        name=name,
        value=share(count, n),
        ci_low=interval.low if interval else None,
        ci_high=interval.high if interval else None,
        n=n,
    )
