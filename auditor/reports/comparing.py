"""What two raters say of the same answers, with every figure of their agreement."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.draws import draw_integer
from auditor.protocols.base import Numbers, Task
from auditor.reports.agreement_figures import ClassAgreement, Figures, Kind, NumberAgreement
from auditor.reports.scales import SaidPairs, Scale, class_pairs, number_pairs, scale_of
from auditor.statistics.agreement import cohens_kappa, scotts_pi
from auditor.statistics.closeness import (
    mean_absolute_difference,
    mean_difference,
    share_within,
)
from auditor.statistics.confusion import Confusion
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import RESAMPLES
from auditor.statistics.krippendorff import krippendorff_alpha
from auditor.statistics.rater_correlation import pearson_of, spearman_of
from auditor.types import JSON

if TYPE_CHECKING:
    import numpy

_FEWEST_RESAMPLES = 200
_MOST_DRAWN = 40_000_000
"""Kinds of item times resamples: some seconds."""
_BOOTSTRAPPED = 5
"""Figures of numbers that are resampled; of one rubric there are as many more as dimensions."""


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
    """Of their classes; where values are numbers, all numbers are one beside the words."""
    figures: Figures

    @property
    def n(self) -> int:
        """Items that the figures rest on: rated by both, with a number by both where it is one."""
        return self.figures.n if isinstance(self.figures, NumberAgreement) else self.confusion.n

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
            **self.figures.as_json(self.kind),
        }
        if self.kind.has_reference and isinstance(self.figures, ClassAgreement):
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
    task: Task,
    excluded: Mapping[str, int],
    simulated: bool,
    draws: Draws,
    where: str,
) -> Comparison:
    """Every figure of two raters' agreement that the task's level of measurement allows.

    `task` as it is of the part, where it is one; `where` names protocol and task for the draws.
    """
    classes = class_pairs(pairs, scale_of(task))
    name = "/".join((where, part or "", first, second))
    left_out = dict(excluded)
    figures: Figures
    if task.numbers is None:
        figures = _class_agreement(classes, draws, name)
    else:
        figures = _number_agreement(pairs, task.numbers, draws, name)
        left_out["without a number by both"] = classes.total() - figures.n
    return Comparison(
        kind=kind,
        first=first,
        second=second,
        part=part,
        excluded={reason: count for reason, count in left_out.items() if count},
        simulated=simulated,
        confusion=Confusion(classes),
        figures=figures,
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


def _class_agreement(
    classes: Mapping[tuple[str, str], int], draws: Draws, name: str
) -> ClassAgreement:
    resamples = draws.resamples_of(len(classes))
    # The same resamples for each, so that they differ by what they measure alone.
    return ClassAgreement(
        accuracy=Confusion(classes).accuracy(),
        kappa=cohens_kappa(classes, rng=draws.generator(name), resamples=resamples),
        pi=scotts_pi(classes, rng=draws.generator(name), resamples=resamples),
        alpha=krippendorff_alpha(classes, rng=draws.generator(name), resamples=resamples),
    )


def _number_agreement(
    pairs: SaidPairs, numbers: Numbers, draws: Draws, name: str
) -> NumberAgreement:
    found = number_pairs(pairs)
    resamples = draws.resamples_of(_BOOTSTRAPPED * len(found))

    def bootstrapped(figure: Callable[..., Estimate], **settings: Any) -> Estimate:
        return figure(found, rng=draws.generator(name), resamples=resamples, **settings)

    return NumberAgreement(
        mean_absolute_difference=bootstrapped(mean_absolute_difference),
        mean_difference=bootstrapped(mean_difference),
        within=None if numbers.near is None else share_within(found, numbers.near),
        near=numbers.near,
        pearson=bootstrapped(pearson_of),
        spearman=bootstrapped(spearman_of),
        alpha=bootstrapped(krippendorff_alpha, level="interval"),
    )
