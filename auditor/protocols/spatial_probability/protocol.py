"""The protocol `spatial.probability`: prompts, task, simulation and statistics."""

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
from auditor.protocols.spatial_explicit.simulation import ExplicitSimulation
from auditor.protocols.spatial_probability._stat_masses import TASK, check_mass
from auditor.protocols.spatial_probability.overview import OVERVIEW
from auditor.protocols.spatial_probability.prior import (
    NEUTRAL_PROMPTS,
    NO_SPACE,
    NeutralSimulation,
    check_plant,
)
from auditor.protocols.spatial_probability.prompts import MAX_TOKENS, all_prompts
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_probability.params import SpatialProbabilityParams


class SpatialProbability:
    """How probable the tokens for men and women are as the answer, at 62 micro-spaces."""

    name: ClassVar[str] = "spatial.probability"
    summary: ClassVar[str] = "how probable are men and women as the first word of the answer?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), experiment 2"
    materials: ClassVar[tuple[str, ...]] = (SPACES, PROMPTS, NEUTRAL_PROMPTS)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_probability.params:SpatialProbabilityParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name=TASK, default_judge="tokens", numbers=Numbers()),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = MAX_TOKENS
    needs_logprobs: ClassVar[bool] = True
    """A target whose endpoint gives none is left out of this protocol, with the reason."""

    def prompts(self, params: SpatialProbabilityParams, materials: Materials) -> Iterator[Prompt]:
        """Every prompt and space of the spec, in this nesting and in its order.

        Raises UsageError with where="spaces" for spaces that are none.
        """
        return all_prompts(params, materials)

    def count(self, params: SpatialProbabilityParams, materials: Materials) -> int:
        """Prompts x spaces, one more with the prior; raises as `prompts` does."""
        return len(params.prompt) * (len(named_spaces(params.spaces, materials)) + params.prior)

    def repetitions(self, params: SpatialProbabilityParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """Space ("no space" for the prior) and prompt."""
        return (
            Factor(
                name="space",
                levels=(*(space.name for space in all_spaces(materials)), NO_SPACE),
                aliases=aliases(materials),
            ),
            Factor(name="prompt", levels=tuple(templates(materials)), default="1"),
        )

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for {men, women, covered}, else what is allowed."""
        return check_mass(value) if task == TASK else f"task {task!r}; allowed: {TASK}"

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """The answers of `spatial.explicit`, whose log-probabilities are exactly as planted."""
        if prompt.factors["space"] == NO_SPACE:
            return NeutralSimulation(protocol=self.name, prompt=prompt.factors["prompt"])
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
        params: SpatialProbabilityParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_probability import statistics

        return statistics.statistics(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows that compare two targets, and tuned models with their bases."""
        from auditor.protocols.spatial_probability import statistics

        return statistics.across(rows, materials, bases)

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from: all from masses, but what outcomes say."""
        return () if statistic == "truncated_rate" else (TASK,)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figure of the live view, from tallies of `token_mass`."""
        from auditor.protocols.spatial_probability._stat_headlines import headlines

        return headlines(target, counts)
