"""What a long run showed of itself, moment by moment, and whether its promises held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from tests.faults.watched import TICKS_PER_SECOND

MOST_MB_PER_100_000 = 1.0
MOST_LAG_MS = 100.0
MOST_WAL_MB = 64.0
"""The store's `journal_size_limit`: a log that has grown beyond is cut to it."""
_FILES_TO_SPARE = 2
"""A file that a reading opens for a moment."""
_Z = 1.96


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One sample; memory and files of the audit's own processes, in units of 2**20 bytes."""

    seconds: float
    trials: int
    judgements: int
    """Of the model."""
    rss_mb: float
    files: int
    wal_mb: float
    store_mb: float
    lags: Counter[int] = field(default_factory=Counter, repr=False)
    """Delays of the event loop since the last sample, in ticks."""

    def row(self) -> dict[str, float | None]:
        """For a file."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "lags"}
        return {
            **own,
            "lag_p50_ms": quantile_ms(self.lags, 0.5),
            "lag_p99_ms": quantile_ms(self.lags, 0.99),
            "lag_max_ms": quantile_ms(self.lags, 1.0),
        }


@dataclass(frozen=True)
class Slope:
    """A straight line's slope by least squares, with the half width of its 95 % interval.

    The interval takes the residuals as independent; samples seconds apart are not quite so.
    """

    value: float
    error: float


@dataclass(frozen=True)
class Promise:
    """One thing that has to hold, what was found, and whether it was."""

    name: str
    found: str
    holds: bool


def quantile_ms(lags: Counter[int], share: float) -> float | None:
    """The delay that a share of all do not pass, in milliseconds; None where there is none."""
    wanted, seen = share * lags.total(), 0
    for ticks in sorted(lags):
        seen += lags[ticks]
        if seen >= wanted:
            return ticks * 1000 / TICKS_PER_SECOND
    return None


def slope(x: Sequence[float], y: Sequence[float]) -> Slope:
    """Of y over x; at least three points."""
    from scipy.stats import linregress

    line = linregress(x, y)
    return Slope(float(line.slope), _Z * float(line.stderr))


def promises(moments: Sequence[Moment]) -> list[Promise]:
    """What holds after the warm-up, whose samples are left out by the caller."""
    grows = slope([each.trials / 100_000 for each in moments], [each.rss_mb for each in moments])
    half = len(moments) // 2
    before, after = (max(m.files for m in part) for part in (moments[:half], moments[half:]))
    wal = max(each.wal_mb for each in moments)
    lags: Counter[int] = Counter()
    for each in moments:
        lags.update(each.lags)
    p50, p99, most = (quantile_ms(lags, share) for share in (0.5, 0.99, 1.0))
    return [
        Promise(
            f"memory grows by less than {MOST_MB_PER_100_000:g} MB per 100,000 trials",
            f"{grows.value:.2f} ± {grows.error:.2f} MB",
            grows.value + grows.error < MOST_MB_PER_100_000,
        ),
        Promise(
            "open files do not grow",
            f"at most {before} in the first half, {after} in the second",
            after <= before + _FILES_TO_SPARE,
        ),
        Promise(
            f"the log (-wal) stays below {MOST_WAL_MB:g} MB",
            f"at most {wal:.1f} MB",
            wal < MOST_WAL_MB,
        ),
        Promise(
            f"99 % of the time the event loop is late by less than {MOST_LAG_MS:g} ms",
            f"p50 {p50} ms, p99 {p99} ms, max {most} ms",
            p99 is not None and p99 < MOST_LAG_MS,
        ),
    ]
