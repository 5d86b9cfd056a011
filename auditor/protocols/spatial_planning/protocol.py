"""The protocol `spatial.planning`: which facility for a community of men or of women."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import rubrics
from auditor.protocols.base import (
    NO_BASES,
    Bases,
    CellRecord,
    Factor,
    Headline,
    LabelCounts,
    Materials,
    StatisticRow,
    Summary,
    Task,
    params_in,
)
from auditor.protocols.plants import own_part
from auditor.protocols.spatial_planning.facilities import (
    MAJORITIES,
    PLANNING,
    aliases,
    all_prompts,
    called,
    female_facilities,
    male_facilities,
    pairs,
)
from auditor.protocols.spatial_planning.labels import CHOICES, RATIONALES
from auditor.protocols.spatial_planning.overview import OVERVIEW
from auditor.protocols.spatial_planning.plant import check_plant
from auditor.protocols.spatial_planning.simulation import PlanningSimulation
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_planning.params import SpatialPlanningParams

_LABELS = {"choice": CHOICES, "rationale": RATIONALES}


class SpatialPlanning:
    """A planner's choice between a male- and a female-dominated facility."""

    name: ClassVar[str] = "spatial.planning"
    summary: ClassVar[str] = "which of two facilities for a community of men, or of women?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), downstream: planning"
    materials: ClassVar[tuple[str, ...]] = (PLANNING,)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_planning.params:SpatialPlanningParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name="choice", default_judge="rules", labels=CHOICES, has_headlines=True),
        Task(name="rationale", default_judge="cues", labels=RATIONALES),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 256
    """The prompt asks for at most 100 words."""

    def prompts(self, params: SpatialPlanningParams, materials: Materials) -> Iterator[Prompt]:
        """Each pair of facilities in both orders, for a majority of men and of women."""
        return all_prompts(params, materials)

    def count(self, params: SpatialPlanningParams, materials: Materials) -> int:
        """Pairs x orders x majorities."""
        return len(pairs(params, materials)) * 2 * len(MAJORITIES)

    def repetitions(self, params: SpatialPlanningParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The facility of either proposal, and the residents' majority."""
        levels = (*male_facilities(materials), *female_facilities(materials))
        return (
            Factor(name="space_a", levels=levels, aliases=aliases(materials)),
            Factor(name="space_b", levels=levels, aliases=aliases(materials)),
            Factor(name="majority", levels=MAJORITIES),
        )

    def check_factors(self, factors: Mapping[str, JSON]) -> tuple[str, str] | None:
        """None where one facility is male-dominated and the other female-dominated."""
        materials = {PLANNING: rubrics.read(PLANNING)}
        male, female = male_facilities(materials), female_facilities(materials)
        others = female if factors["space_a"] in male else male
        if factors["space_b"] in others:
            return None
        return "space_b", f"beside this space_a: {', '.join(others)}"

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for a label of the task, else what is allowed."""
        labels = _LABELS.get(task)
        if labels is None:
            return f"task {task!r}; allowed: {', '.join(_LABELS)}"
        if isinstance(value, str) and value in labels:
            return None
        return ", ".join(f'"{label}"' for label in labels)

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Choices and reasons with the bias that the target plants (see `plant`)."""
        first, second = prompt.factors["space_a"], prompt.factors["space_b"]
        return PlanningSimulation(
            protocol=self.name,
            first=called(first, materials),
            second=called(second, materials),
            male_is_first=first in male_facilities(materials),
            majority=prompt.factors["majority"],
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name))

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: SpatialPlanningParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_planning import statistics

        return statistics.statistics(target, cells, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """None: no figure compares targets."""
        return iter(())

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from."""
        if statistic == "truncated_rate":
            return ()
        return ("rationale",) if statistic == "rationale_rate" else ("choice",)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `choice` by cell."""
        from auditor.protocols.spatial_planning._stat_headlines import headlines

        return headlines(target, counts, male_facilities({PLANNING: rubrics.read(PLANNING)}))
