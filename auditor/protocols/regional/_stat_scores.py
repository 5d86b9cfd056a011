"""Scores of the regions in one setting, and how far they spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.regional._stat_doubt import Items
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import mean, settled, standard_deviation, tied

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_NO_SPREAD = "fewer than two regions have a score"
_NO_SETTING = "no setting has two regions with a score"


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of regions under one trait, task, dimension or domain; all columns by region."""

    regions: tuple[str, ...]
    values: Floats
    """NaN where a region has none."""
    n: Integers
    """Valid ratings or comparisons."""
    resampled: Floats
    """(resamples, regions): repetitions drawn again within items."""
    items: Integers
    single: Integers
    """Items of each region, and those with one repetition."""

    def value(self, place: int) -> float | None:
        """One region's score; None where it has none."""
        value = float(self.values[place])
        return None if math.isnan(value) else value

    @property
    def known(self) -> list[float]:
        """The scores that are there."""
        return [value for value in self.values.tolist() if not math.isnan(value)]

    def items_of(self, regions: NDArray[np.bool_]) -> Items:
        """Items of some regions together; a pair counts once for each of its regions."""
        return Items(int(self.items[regions].sum()), int(self.single[regions].sum()))


@dataclass(slots=True)
class Spreads:
    """Spreads of the settings of one language, None where a setting has none."""

    sd: list[float | None] = field(default_factory=list)
    range: list[float | None] = field(default_factory=list)

    def kept(self, made: Iterator[StatisticRow]) -> Iterator[StatisticRow]:
        """The rows of `spread_rows` as they are; their values are kept."""
        for row in made:
            (self.sd if row.statistic == "sd" else self.range).append(row.value)
            yield row


def averaged_scores(parts: Sequence[Scores]) -> Scores:
    """Each region's mean over settings; a region without one of the scores has none.

    A mean over fewer settings than other regions have would be of something else.
    """
    import numpy as np

    return Scores(
        regions=parts[0].regions,
        values=np.mean([part.values for part in parts], axis=0),
        n=np.sum([part.n for part in parts], axis=0),
        resampled=np.mean([part.resampled for part in parts], axis=0),
        items=np.sum([part.items for part in parts], axis=0),
        single=np.sum([part.single for part in parts], axis=0),
    )


def grouped(levels: Sequence[str], wholes: Mapping[str, str]) -> dict[str, list[str]]:
    """Levels (traits, tasks) by what they belong to (dimension, domain), in the order given."""
    found: dict[str, list[str]] = {}
    for level in levels:
        if level in wholes:
            found.setdefault(wholes[level], []).append(level)
    return found


def partial_note(present: int, all_levels: int, noun: str) -> str | None:
    """Says that an aggregate rests on some of its traits or tasks only; None for all."""
    return None if present == all_levels else f"over {present} of {all_levels} {noun}"


def spread_rows(
    rows: Rows, group: Mapping[str, str], scores: Scores, pending: str | None
) -> Iterator[StatisticRow]:
    """`sd` (ddof 0: the regions are the complete set) and `range`; n = regions with a score."""
    known = scores.known
    left_out = len(scores.regions) - len(known)
    note = join_notes(
        None if len(known) > 1 else _NO_SPREAD,
        f"{left_out} of {counted(len(scores.regions), 'region')} without a score"
        if left_out
        else None,
        pending,
    )
    for statistic, measure in (("sd", standard_deviation), ("range", _range)):
        value = measure(settled(known).tolist()) if len(known) > 1 else None
        yield rows.figure(statistic, group, value, n=len(known), note=note)


def summary_rows(
    rows: Rows,
    group: Mapping[str, str],
    spreads: Spreads,
    threshold: float,
    *,
    with_range_one: bool,
) -> Iterator[StatisticRow]:
    """`mean_sd`, `sd_above` and, for decisions, `range_one`; n = settings with a spread.

    A spread that is at the threshold to nine decimals is not above it.
    """
    deviations = [value for value in spreads.sd if value is not None]
    ranges = [value for value in spreads.range if value is not None]
    wanted = {
        "mean_sd": deviations,
        "sd_above": [float(above) for above in tied(deviations) > threshold],
    }
    if with_range_one:
        wanted["range_one"] = [float(is_one) for is_one in tied(ranges) == 1]
    settings, left_out = len(spreads.sd), len(spreads.sd) - len(deviations)
    note = join_notes(
        None if deviations else _NO_SETTING,
        f"{left_out} of {settings} settings without a spread" if left_out else None,
    )
    for statistic, values in wanted.items():
        yield rows.figure(statistic, group, mean(values), n=len(values), note=note)


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)
