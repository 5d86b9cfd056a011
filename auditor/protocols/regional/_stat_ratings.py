"""Ratings of one target, collected cell by cell into means and resampled means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.protocols.base import CellRecord
from auditor.protocols.regional._stat_doubt import RESAMPLES, generator
from auditor.protocols.regional._stat_labels import Tally, rating_of
from auditor.protocols.regional._stat_scores import Scores
from auditor.statistics import SampleMean, resampled_totals, sample_mean


@dataclass(slots=True)
class Ratings:
    """Valid ratings by (language, trait) and region, and what else came."""

    by_setting: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    regions: dict[str, None] = field(default_factory=dict)
    """All that were met, with a valid rating or without."""
    tally: Tally = field(default_factory=Tally)

    def means(self, language: str, trait: str) -> dict[str, SampleMean]:
        """Mean rating by region, of those that have one."""
        found = {}
        for region, values in self.by_setting[language, trait].items():
            mean = sample_mean(values)
            if mean is not None:
                found[region] = mean
        return found


def collect_ratings(cells: Iterable[CellRecord]) -> Ratings:
    """All valid ratings of one target; passes over the cells once."""
    found = Ratings()
    for cell in cells:
        region, trait, language = (cell.factors[name] for name in ("region", "trait", "language"))
        answers = [rating_of(trial) for trial in cell.trials]
        found.tally.take(_margins(region, trait, language), cell.trials, answers)
        found.regions[region] = None
        regions = found.by_setting.setdefault((language, trait), {})
        regions.setdefault(region, []).extend(
            answer for answer in answers if isinstance(answer, float)
        )
    return found


def rating_scores(
    means: Mapping[str, SampleMean],
    ratings: Mapping[str, Sequence[float]],
    regions: Sequence[str],
    item: str,
) -> Scores:
    """The regions' mean ratings, and those of resampled repetitions; `item` names the draws."""
    import numpy as np

    sizes = np.array([len(ratings.get(region, ())) for region in regions], dtype=np.int64)
    # A column a region: totals over all items are then each region's own.
    values = np.zeros((len(regions), int(sizes.max(initial=0)), len(regions)))
    for place, region in enumerate(regions):
        values[place, : sizes[place], place] = ratings.get(region, ())
    sums = resampled_totals(values, sizes, rng=generator(item), resamples=RESAMPLES)
    return Scores(
        regions=tuple(regions),
        values=np.array([means[r].value if r in means else np.nan for r in regions]),
        n=sizes,
        resampled=np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0),
        items=np.ones(len(regions), dtype=np.int64),
        single=(sizes == 1).astype(np.int64),
    )


def _margins(region: str, trait: str, language: str) -> Iterator[tuple[tuple[str, str], ...]]:
    spoken = ("language", language)
    yield ()
    yield (spoken,)
    yield (("trait", trait),)
    yield ("trait", trait), spoken
    yield ("region", region), spoken
