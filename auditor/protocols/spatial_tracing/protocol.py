"""The protocol `spatial.tracing`: prompts, task, simulation and statistics."""

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
    Numbers,
    StatisticRow,
    Summary,
    Task,
    params_in,
)
from auditor.protocols.plants import own_part
from auditor.protocols.spatial_explicit.prompts import (
    PROMPTS,
    SPACES,
    aliases,
    all_spaces,
    named_spaces,
    templates,
)
from auditor.protocols.spatial_tracing.overview import OVERVIEW
from auditor.protocols.spatial_tracing.plant import check_plant
from auditor.protocols.spatial_tracing.prompts import LABELS, all_prompts
from auditor.protocols.spatial_tracing.simulation import TracingSimulation
from auditor.protocols.spatial_tracing.values import TASK, check_score
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_tracing.params import SpatialTracingParams


class SpatialTracing:
    """What a model gives to the answers "men" and "women" at 62 micro-spaces: where bias arises."""

    name: ClassVar[str] = "spatial.tracing"
    summary: ClassVar[str] = "how do reward models, base and tuned models score men and women?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), tracing experiments"
    materials: ClassVar[tuple[str, ...]] = (SPACES, PROMPTS)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_tracing.params:SpatialTracingParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (Task(name=TASK, default_judge="score", numbers=Numbers()),)
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 16
    """Nothing is generated; room for the score that a reply holds."""
    needs_scores: ClassVar[bool] = True
    """A target that scores no given answers is left out of this protocol, with the reason."""

    def prompts(self, params: SpatialTracingParams, materials: Materials) -> Iterator[Prompt]:
        """Every prompt, space and answer of the spec, in this nesting and in its order.

        Raises UsageError with where="spaces" for spaces that are none.
        """
        return all_prompts(params, materials)

    def count(self, params: SpatialTracingParams, materials: Materials) -> int:
        """Prompts x spaces x 2; raises as `prompts` does."""
        return len(params.prompt) * len(named_spaces(params.spaces, materials)) * len(LABELS)

    def repetitions(self, params: SpatialTracingParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """Space, answer and prompt."""
        return (
            Factor(
                name="space",
                levels=tuple(space.name for space in all_spaces(materials)),
                aliases=aliases(materials),
            ),
            Factor(name="label", levels=LABELS),
            Factor(name="prompt", levels=tuple(templates(materials)), default="1"),
        )

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for {reward} or {log_probability}, else what is allowed."""
        return check_score(value) if task == TASK else f"task {task!r}; allowed: {TASK}"

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Scores of this answer with the bias that the target plants (see `plant`)."""
        spaces = all_spaces(materials)
        names = [space.name for space in spaces]
        return TracingSimulation(
            protocol=self.name,
            spaces=spaces,
            place=names.index(prompt.factors["space"]),
            prompt=prompt.factors["prompt"],
            label=prompt.factors["label"],
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: SpatialTracingParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_tracing import statistics

        return statistics.statistics(target, cells, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows that compare two reward models, and tuned models with their bases."""
        from auditor.protocols.spatial_tracing import statistics

        return statistics.across(rows, materials, bases)

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from: all from scores, but what outcomes say."""
        return () if statistic == "truncated_rate" else (TASK,)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figure of the live view, from tallies of `score`."""
        from auditor.protocols.spatial_tracing._stat_headlines import headlines

        return headlines(target, counts)
