"""A share of things that come in clusters, with an interval that knows it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from auditor.errors import StatisticsError
from auditor.statistics.shares import Interval, normal_quantile, wilson_at

Clusters = Mapping[tuple[int, int], int]
"""(successes, things) of a cluster, to the number of clusters that have just these."""


def clustered_interval(clusters: Clusters, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's interval of all successes / all things, at the effective size of the sample.

    The effective size is n / deff, where deff is the variance of the ratio between clusters over
    that of independent things; at least the number of clusters that hold anything, at most n, so
    that things are never taken for better than independent. Where all or none are successes the
    clusters show no variance, and their number is taken. None without any thing.

    Sampling model: clusters as independent draws; things within one may depend on each other.
    Raises StatisticsError for counts that are none.

    Source: Korn and Graubard (1998), Survey Methodology 24; variance of a ratio by linearisation
    (Cochran 1977, Sampling Techniques, 2.11).
    """
    z = normal_quantile(confidence)
    if any(not 0 <= successes <= things for successes, things in clusters):
        raise StatisticsError("a cluster has more successes than things")
    held = {pair: times for pair, times in clusters.items() if pair[1] and times}
    n = sum(things * times for (_, things), times in held.items())
    if not n:
        return None
    p = sum(successes * times for (successes, _), times in held.items()) / n
    return wilson_at(p, _effective_size(held, p, n), z)


def _effective_size(held: Clusters, p: float, n: int) -> float:
    count = sum(held.values())
    if p in (0.0, 1.0) or count < 2:
        return float(count)
    squares = math.fsum(
        times * (successes - p * things) ** 2 for (successes, things), times in held.items()
    )
    variance = count / (count - 1) * squares / n**2
    size = p * (1 - p) / variance if variance else float(n)
    return min(float(n), max(float(count), size))
