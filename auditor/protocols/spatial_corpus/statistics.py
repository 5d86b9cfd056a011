"""The rows of `spatial.corpus`: rates of both genders at each space, and the normalised rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import join_notes
from auditor.statistics.cooccurrence import (
    GenderCounts,
    PlaceCounts,
    cooccurrence_rates,
    normalised_rates,
)
from auditor.statistics.estimates import Estimate
from auditor.types import JSON

NAME = "spatial.corpus"
GENDERS = ("women", "men")
TOP = 10

_SAMPLING = "95 % interval: documents independent (delta method)"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderFigures:
    """What a corpus says of one gender at one space."""

    space: str
    gender: str
    documents: int
    counts: GenderCounts
    rate: Estimate
    nsgc: Estimate

    def as_json(self) -> dict[str, JSON]:
        """The fields by name, the counts among them."""
        return {
            "space": self.space,
            "gender": self.gender,
            "documents": self.documents,
            "sentences": self.counts.sentences,
            "tokens": self.counts.tokens,
            "cooccurrence_rate": self.rate.value,
            "nsgc": self.nsgc.value,
            "nsgc_ci_low": self.nsgc.ci_low,
            "nsgc_ci_high": self.nsgc.ci_high,
        }


def figures(spaces: Iterable[str], counts: Mapping[str, PlaceCounts]) -> list[GenderFigures]:
    """Both genders at each of these spaces; one that no document holds has no figure."""
    found = []
    for space in spaces:
        here = counts.get(space, PlaceCounts())
        both = zip(
            GENDERS,
            (here.women, here.men),
            cooccurrence_rates(here),
            normalised_rates(here),
            strict=True,
        )
        found += [
            GenderFigures(
                space=space,
                gender=gender,
                documents=here.documents,
                counts=counted,
                rate=rate,
                nsgc=nsgc,
            )
            for gender, counted, rate, nsgc in both
        ]
    return found


def top(found: Sequence[GenderFigures], gender: str, n: int = TOP) -> list[GenderFigures]:
    """The spaces with the highest NSGC of a gender above 0, by name where it is equal."""
    above = [each for each in found if each.gender == gender and each.nsgc.value]
    return sorted(above, key=lambda each: (-(each.nsgc.value or 0.0), each.space))[:n]


def statistics(
    corpus: str,
    spaces: Iterable[str],
    counts: Mapping[str, PlaceCounts],
    *,
    per_space: int | None,
) -> Iterator[StatisticRow]:
    """All rows of one corpus (see `rubrics/spatial/README.md`)."""
    first = None if per_space is None else f"the first {per_space:,} documents of each space"
    for each in figures(spaces, counts):
        group: dict[str, JSON] = {"space": each.space, "gender": each.gender}
        for statistic, estimate in (("nsgc", each.nsgc), ("cooccurrence_rate", each.rate)):
            sampled = None if estimate.ci_low is None else _SAMPLING
            yield StatisticRow(
                protocol=NAME,
                statistic=statistic,
                target=corpus,
                group=group,
                value=estimate.value,
                ci_low=estimate.ci_low,
                ci_high=estimate.ci_high,
                n=estimate.n,
                note=join_notes(estimate.note, sampled, first),
            )
