"""The protocol `spatial.explicit`: its prompts, task, factors, simulation and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

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
from auditor.protocols.spatial_explicit.overview import OVERVIEW
from auditor.protocols.spatial_explicit.plant import check_plant
from auditor.protocols.spatial_explicit.prompts import (
    PROMPTS,
    SPACES,
    aliases,
    all_prompts,
    all_spaces,
    chosen_spaces,
    conditions,
    templates,
)
from auditor.protocols.spatial_explicit.simulation import ExplicitSimulation
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_explicit.params import SpatialExplicitParams

CHOICES = ("men", "women", "neither", "refusal")


class SpatialExplicit:
    """Forced choice between men and women at 62 micro-spaces."""

    name: ClassVar[str] = "spatial.explicit"
    summary: ClassVar[str] = "who is more likely to be found at a space: men or women?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), experiment 1"
    materials: ClassVar[tuple[str, ...]] = (SPACES, PROMPTS)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_explicit.params:SpatialExplicitParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name="choice", default_judge="rules", labels=CHOICES),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 32
    """Room for a sentence around the one word that is asked for, or for a refusal's beginning."""

    def prompts(self, params: SpatialExplicitParams, materials: Materials) -> Iterator[Prompt]:
        """Every prompt, temperature and space of the spec, in this nesting and in its order.

        Raises UsageError with where="spaces" for spaces that are none, and where="crossed" where
        a prompt or a temperature has no condition.
        """
        return all_prompts(params, materials)

    def count(self, params: SpatialExplicitParams, materials: Materials) -> int:
        """Conditions x spaces; raises as `prompts` does."""
        return len(conditions(params)) * len(chosen_spaces(params, materials))

    def repetitions(self, params: SpatialExplicitParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """Space, prompt and temperature."""
        return (
            Factor(
                name="space",
                levels=tuple(space.name for space in all_spaces(materials)),
                aliases=aliases(materials),
            ),
            Factor(name="prompt", levels=tuple(templates(materials)), default="1"),
            Factor(name="temperature", kind="number", default=1.0),
        )

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for one of the four labels of `choice`, else what is allowed."""
        if task != "choice":
            return f"task {task!r}; allowed: choice"
        if isinstance(value, str) and value in CHOICES:
            return None
        return ", ".join(f'"{label}"' for label in CHOICES)

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Answers to this prompt with the bias that the target plants (see `plant`)."""
        spaces = all_spaces(materials)
        names = [space.name for space in spaces]
        return ExplicitSimulation(
            protocol=self.name,
            spaces=spaces,
            place=names.index(prompt.factors["space"]),
            prompt=prompt.factors["prompt"],
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: SpatialExplicitParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_explicit import statistics

        return statistics.statistics(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows over all targets."""
        from auditor.protocols.spatial_explicit import statistics

        return statistics.across(rows, materials)

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from: all from choices, but what outcomes say."""
        return () if statistic == "truncated_rate" else ("choice",)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `choice` by cell."""
        from auditor.protocols.spatial_explicit._stat_headlines import headlines

        return headlines(target, counts)
