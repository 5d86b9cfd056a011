"""The protocol `spatial.profiling`: which gender a market researcher sees at a place."""

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
from auditor.protocols.spatial_profiling.overview import OVERVIEW
from auditor.protocols.spatial_profiling.places import (
    PROFILING,
    REAL_WORLD,
    TENDENCIES,
    all_places,
    all_prompts,
)
from auditor.protocols.spatial_profiling.plant import check_plant
from auditor.protocols.spatial_profiling.simulation import ProfilingSimulation
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_profiling.params import SpatialProfilingParams

TASK = "tendency"


class SpatialProfiling:
    """Profiles of the typical employees and users of six places."""

    name: ClassVar[str] = "spatial.profiling"
    summary: ClassVar[str] = "who works at and uses a place: is it who is found there?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), downstream: profiling"
    materials: ClassVar[tuple[str, ...]] = (PROFILING, REAL_WORLD)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_profiling.params:SpatialProfilingParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (Task(name=TASK, default_judge="rules", labels=TENDENCIES),)
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 256
    """The prompt asks for at most 100 words."""

    def prompts(self, params: SpatialProfilingParams, materials: Materials) -> Iterator[Prompt]:
        """One prompt a place."""
        return all_prompts(materials)

    def count(self, params: SpatialProfilingParams, materials: Materials) -> int:
        """The places."""
        return len(all_places(materials))

    def repetitions(self, params: SpatialProfilingParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The place."""
        places = all_places(materials)
        aliases = {place.called: place.name for place in places if place.called != place.name}
        levels = tuple(place.name for place in places)
        return (Factor(name="space", levels=levels, aliases=aliases),)

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for a tendency, else what is allowed."""
        if task != TASK:
            return f"task {task!r}; allowed: {TASK}"
        is_known = isinstance(value, str) and value in TENDENCIES
        return None if is_known else ", ".join(f'"{each}"' for each in TENDENCIES)

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Profiles with the bias that the target plants (see `plant`)."""
        places = {place.name: place for place in all_places(materials)}
        return ProfilingSimulation(protocol=self.name, place=places[prompt.factors["space"]])

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        places = [place.name for place in all_places(materials)]
        return check_plant(own_part(plant, self.name), places)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: SpatialProfilingParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_profiling import statistics

        return statistics.statistics(target, cells, all_places(materials))

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """None: no figure compares targets."""
        return iter(())

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from."""
        return () if statistic == "truncated_rate" else (TASK,)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `tendency` by cell."""
        from auditor.protocols.spatial_profiling import statistics

        materials = {REAL_WORLD: rubrics.read(REAL_WORLD)}
        return statistics.headlines(target, counts, _tendencies(materials))


def _tendencies(materials: Materials) -> dict[str, str]:
    return {place.name: place.tendency for place in all_places(materials)}
