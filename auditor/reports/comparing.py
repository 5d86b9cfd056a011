"""What two raters say of the same answers, with every figure of their agreement."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.draws import draw_integer
from auditor.reports.scales import SaidPairs, Scale, class_pairs, number_pairs
from auditor.statistics.agreement import cohens_kappa, scotts_pi
from auditor.statistics.closeness import mean_absolute_difference, mean_difference
from auditor.statistics.confusion import Confusion
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import RESAMPLES
from auditor.statistics.krippendorff import krippendorff_alpha
from auditor.types import JSON

if TYPE_CHECKING:
    import numpy

_FEWEST_RESAMPLES = 200
_MOST_DRAWN = 40_000_000
"""Kinds of item times resamples: some seconds."""


class Kind(StrEnum):
    """Who is compared with whom; the first is the reference."""

    PEOPLE_JUDGE = "judge against people"
    ANNOTATOR_JUDGE = "judge against annotator"
    ANNOTATORS = "annotator against annotator"
    JUDGES = "judge against judge"

    @property
    def has_reference(self) -> bool:
        """Whether the first is taken as right, so that precision and recall mean something."""
        return self in (Kind.PEOPLE_JUDGE, Kind.ANNOTATOR_JUDGE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draws:
    """Named randomness of a report's resamples."""

    seed: int
    resamples: int = RESAMPLES

    def generator(self, name: str) -> numpy.random.Generator:
        """The generator of that name; the same one each time it is asked for."""
        import numpy

        return numpy.random.default_rng(draw_integer(self.seed, "validate", name))

    def resamples_of(self, kinds: int) -> int:
        """How many resamples, given so many kinds of item; fewer where there are very many."""
        return max(min(_FEWEST_RESAMPLES, self.resamples), self._affordable(kinds))

    def _affordable(self, kinds: int) -> int:
        return min(self.resamples, _MOST_DRAWN // max(1, kinds))


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearness:
    """How near the numbers of two raters are, over the items to which both gave one."""

    alpha: Estimate
    """Krippendorff's alpha for numbers ("interval")."""
    mean_difference: Estimate
    """Second minus first."""
    mean_absolute_difference: Estimate

    def as_json(self) -> dict[str, JSON]:
        """The estimates by name."""
        return {
            "krippendorffs_alpha_interval": self.alpha.as_json(),
            "mean_difference": self.mean_difference.as_json(),
            "mean_absolute_difference": self.mean_absolute_difference.as_json(),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two raters of one task, and how they agree."""

    kind: Kind
    first: str
    """The reference: "people", an annotator, or the judge that came first."""
    second: str
    part: str | None
    """The part of the values that is compared, where they are objects."""
    excluded: Mapping[str, int]
    """Items left out, by reason."""
    simulated: bool
    confusion: Confusion
    accuracy: Estimate
    """Share of equal classes, with Wilson's interval."""
    kappa: Estimate
    pi: Estimate
    alpha: Estimate
    """Krippendorff's, for classes."""
    nearness: Nearness | None
    """Where values are numbers."""

    @property
    def n(self) -> int:
        """Items that both rated."""
        return self.confusion.n

    def as_json(self) -> dict[str, JSON]:
        """All figures; precision and recall where the first is taken as right."""
        found: dict[str, JSON] = {
            "kind": str(self.kind),
            "first": self.first,
            "second": self.second,
            "part": self.part,
            "n": self.n,
            "excluded": dict(self.excluded),
            "simulated": self.simulated,
            "accuracy": self.accuracy.as_json(),
            "cohens_kappa": self.kappa.as_json(),
            "scotts_pi": self.pi.as_json(),
            "krippendorffs_alpha": self.alpha.as_json(),
        }
        if self.nearness is not None:
            found |= self.nearness.as_json()
        if self.kind.has_reference:
            found["classes"] = [
                {
                    "class": name,
                    "first": self.confusion.by_reference(name),
                    "second": self.confusion.by_rater(name),
                    "precision": self.confusion.precision(name).as_json(),
                    "recall": self.confusion.recall(name).as_json(),
                }
                for name in self.confusion.classes
            ]
        found["table"] = self.confusion.as_json()
        return found


def compare(
    pairs: SaidPairs,
    *,
    kind: Kind,
    first: str,
    second: str,
    part: str | None,
    scale: Scale,
    excluded: Mapping[str, int],
    simulated: bool,
    draws: Draws,
    where: str,
) -> Comparison:
    """Every figure of two raters' agreement. `where` names protocol and task for the draws."""
    classes = class_pairs(pairs, scale)
    name = "/".join((where, part or "", first, second))
    resamples = draws.resamples_of(len(classes))
    return Comparison(
        kind=kind,
        first=first,
        second=second,
        part=part,
        excluded={reason: count for reason, count in excluded.items() if count},
        simulated=simulated,
        confusion=Confusion(classes),
        accuracy=Confusion(classes).accuracy(),
        # The same resamples for each, so that they differ by what they measure alone.
        kappa=cohens_kappa(classes, rng=draws.generator(name), resamples=resamples),
        pi=scotts_pi(classes, rng=draws.generator(name), resamples=resamples),
        alpha=krippendorff_alpha(classes, rng=draws.generator(name), resamples=resamples),
        nearness=_nearness(pairs, draws, name) if scale is Scale.NUMBERS else None,
    )


def joint_alpha(
    units: Mapping[tuple[Hashable, ...], int], *, scale: Scale, draws: Draws, name: str
) -> Estimate:
    """Alpha of any number of raters: of numbers where `scale` says so, else of classes."""
    return krippendorff_alpha(
        units,
        level="interval" if scale is Scale.NUMBERS else "nominal",
        rng=draws.generator(name),
        resamples=draws.resamples_of(len(units)),
    )


def _nearness(pairs: SaidPairs, draws: Draws, name: str) -> Nearness:
    numbers = number_pairs(pairs)
    resamples = draws.resamples_of(len(numbers))
    return Nearness(
        alpha=krippendorff_alpha(
            numbers, level="interval", rng=draws.generator(name), resamples=resamples
        ),
        mean_difference=mean_difference(numbers, rng=draws.generator(name), resamples=resamples),
        mean_absolute_difference=mean_absolute_difference(
            numbers, rng=draws.generator(name), resamples=resamples
        ),
    )
