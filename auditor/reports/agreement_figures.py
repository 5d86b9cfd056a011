"""The figures of two raters' agreement: of classes, or of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from auditor.statistics.estimates import Estimate
from auditor.types import JSON


class Kind(StrEnum):
    """Who is compared with whom; the first is the reference."""

    PEOPLE_JUDGE = "judge against people"
    ANNOTATOR_JUDGE = "judge against annotator"
    ANNOTATORS = "annotator against annotator"
    JUDGES = "judge against judge"

    @property
    def has_reference(self) -> bool:
        """Whether the first is taken as right: only then is there recall, precision or an error."""
        return self in (Kind.PEOPLE_JUDGE, Kind.ANNOTATOR_JUDGE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassAgreement:
    """How often two raters give the same class, plainly and beyond chance."""

    accuracy: Estimate
    """Share of equal classes, with Wilson's interval."""
    kappa: Estimate
    pi: Estimate
    alpha: Estimate
    """Krippendorff's, for classes."""

    def as_json(self, kind: Kind) -> dict[str, JSON]:
        """The estimates by name."""
        return {
            "accuracy": self.accuracy.as_json(),
            "cohens_kappa": self.kappa.as_json(),
            "scotts_pi": self.pi.as_json(),
            "krippendorffs_alpha": self.alpha.as_json(),
        }

    def named(self, kind: Kind) -> Mapping[str, Estimate]:
        """The estimates by what a reader calls them."""
        return {
            "accuracy": self.accuracy,
            "Cohen's kappa": self.kappa,
            "Scott's pi": self.pi,
            "Krippendorff's alpha": self.alpha,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberAgreement:
    """How near the numbers of two raters are, over the items to which both gave one."""

    mean_absolute_difference: Estimate
    mean_difference: Estimate
    """Second minus first: judge minus people."""
    within: Estimate | None
    """Share of items with numbers at most `near` apart; None where the task names no distance."""
    near: float | None
    pearson: Estimate
    spearman: Estimate
    alpha: Estimate
    """Krippendorff's, for numbers ("interval")."""

    @property
    def n(self) -> int:
        """Items to which both gave a number."""
        return self.mean_difference.n

    def as_json(self, kind: Kind) -> dict[str, JSON]:
        """The estimates by name; a difference from who is taken as right is an error, or a bias."""
        error, bias = (
            ("mean_absolute_error", "bias")
            if kind.has_reference
            else ("mean_absolute_difference", "mean_difference")
        )
        found: dict[str, JSON] = {
            error: self.mean_absolute_difference.as_json(),
            bias: self.mean_difference.as_json(),
        }
        if self.within is not None:
            found["within"] = {"distance": self.near, **self.within.as_json()}
        return found | {
            "pearson": self.pearson.as_json(),
            "spearman": self.spearman.as_json(),
            "krippendorffs_alpha_interval": self.alpha.as_json(),
        }

    def named(self, kind: Kind) -> Mapping[str, Estimate]:
        """The estimates by what a reader calls them."""
        is_error = kind.has_reference
        found = {
            "mean absolute error" if is_error else "mean absolute difference": (
                self.mean_absolute_difference
            ),
            "bias (judge minus people)" if is_error else "mean difference (second minus first)": (
                self.mean_difference
            ),
        }
        if self.within is not None:
            found[f"within {self.near:g} of each other"] = self.within
        return found | {
            "Pearson's r": self.pearson,
            "Spearman's rho": self.spearman,
            "Krippendorff's alpha": self.alpha,
        }


Figures = ClassAgreement | NumberAgreement
