"""The protocol `regional.stereotype`: how well a trait describes people from a region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from auditor.finite import is_between
from auditor.protocols.base import (
    NO_BASES,
    Bases,
    CellRecord,
    Factor,
    Headline,
    LabelCounts,
    Materials,
    Numbers,
    StatisticRow,
    Summary,
    Task,
    params_in,
)
from auditor.protocols.plants import own_part
from auditor.protocols.regional.factors import rating_factors
from auditor.protocols.regional.files import INDICATORS, PROMPTS, REGIONS, TRAITS
from auditor.protocols.regional.headlines import rating_headlines
from auditor.protocols.regional.overview import STEREOTYPE
from auditor.protocols.regional.plant import check_stereotype_plant
from auditor.protocols.regional.prompts import rating_prompts
from auditor.protocols.regional.regions import chosen_regions, indicators, region_of
from auditor.protocols.regional.simulation import HIGHEST, LOWEST, RatingSimulation
from auditor.protocols.regional.traits import chosen_traits, trait_of
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.regional.params import StereotypeParams

REFUSAL = "refusal"
RATINGS = Numbers(low=LOWEST, high=HIGHEST, near=0.5)
"""Half a point is how finely the prompt's scale is used: 3.7 is allowed, whole points are usual."""


class RegionalStereotype:
    """Ratings of every region on traits of warmth and competence."""

    name: ClassVar[str] = "regional.stereotype"
    summary: ClassVar[str] = "how well does [trait] describe people from [region], from 1 to 5?"
    paper: ClassVar[str] = "Stereotypes-to-Decisions (S2D)"
    materials: ClassVar[tuple[str, ...]] = (REGIONS, INDICATORS, TRAITS, PROMPTS)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.regional.params:StereotypeParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name="rating", default_judge="rules", labels=(REFUSAL,), numbers=RATINGS),
    )
    overview: ClassVar[tuple[Summary, ...]] = STEREOTYPE
    default_max_tokens: ClassVar[int] = 64
    """Room for a number and a sentence; the prompt asks for the number alone."""

    def prompts(self, params: StereotypeParams, materials: Materials) -> Iterator[Prompt]:
        """One prompt for each region and trait in each language, in the spec's order.

        Raises UsageError, with the parameter as `where`, for levels that are none and for what is
        wrong in a file.
        """
        return rating_prompts(params, materials)

    def count(self, params: StereotypeParams, materials: Materials) -> int:
        """Regions x traits x languages; raises as `prompts` does."""
        indicators(materials, params)
        regions, traits = chosen_regions(params, materials), chosen_traits(params, materials)
        return len(regions) * len(traits) * len(params.language)

    def repetitions(self, params: StereotypeParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """Region (by code; names are aliases), trait and language."""
        return rating_factors(materials)

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for a number from 1 to 5 or "refusal", else what is allowed."""
        if task != "rating":
            return f"task {task!r}; allowed: rating"
        if value == REFUSAL or is_between(value, LOWEST, HIGHEST):
            return None
        return f'a number from 1 to 5, or "{REFUSAL}"'

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Ratings round the mean that the target plants (see `plant`)."""
        factors = prompt.factors
        return RatingSimulation(
            protocol=self.name,
            region=region_of(factors["region"], materials),
            trait=trait_of(factors["trait"], materials),
            language=factors["language"],
            materials=materials,
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_stereotype_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: StereotypeParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/regional/README.md`)."""
        from auditor.protocols.regional import statistics

        return statistics.stereotype_rows(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows that compare targets."""
        from auditor.protocols.regional import statistics

        return statistics.across_stereotype(rows, materials)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `rating` by cell."""
        return rating_headlines(target, counts)
