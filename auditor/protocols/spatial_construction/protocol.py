"""The protocol `spatial.construction`: how stories about men and women in a space differ."""

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
    Part,
    StatisticRow,
    Summary,
    Task,
    params_in,
)
from auditor.protocols.plants import own_part
from auditor.protocols.spatial_construction.overview import OVERVIEW
from auditor.protocols.spatial_construction.plant import check_plant
from auditor.protocols.spatial_construction.prompts import CONSTRUCTION, STORIES, all_prompts
from auditor.protocols.spatial_construction.roles import ROLES_GUIDE, role_parts
from auditor.protocols.spatial_construction.simulation import SENTENCES, ConstructionSimulation
from auditor.protocols.spatial_construction.values import (
    ADJECTIVES,
    AGENCY,
    ROLE,
    SENTIMENT,
    WORDS,
    check_value,
)
from auditor.protocols.spatial_explicit.prompts import (
    PROMPTS,
    SPACES,
    aliases,
    all_spaces,
    named_spaces,
)
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.spatial_construction.params import SpatialConstructionParams

_RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "truncated_rate": (),
    "sentiment_mean": (SENTIMENT,),
    "sentiment_difference": (SENTIMENT,),
    "adjective_odds_ratio": (ADJECTIVES,),
    "top_adjective": (ADJECTIVES,),
    "agency_rate": (AGENCY,),
    "role_count": (ROLE,),
    "role_share": (ROLE,),
    "power_score": (ROLE,),
    "power_difference": (ROLE,),
}


class SpatialConstruction:
    """Stories of at most 30 words about a man, a woman, or both, in each of 62 spaces."""

    name: ClassVar[str] = "spatial.construction"
    summary: ClassVar[str] = "30-word stories about a man, a woman, or both: who does what where?"
    paper: ClassVar[str] = "SPAGBias (arXiv 2604.14672), constructive layer"
    materials: ClassVar[tuple[str, ...]] = (SPACES, PROMPTS, CONSTRUCTION, SENTENCES, ROLES_GUIDE)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.spatial_construction.params:SpatialConstructionParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name=WORDS, default_judge="rules", has_headlines=True),
        Task(name=SENTIMENT, default_judge="vader", numbers=Numbers(low=-1, high=1, near=0.25)),
        Task(name=ADJECTIVES, default_judge="spacy"),
        Task(name=AGENCY, default_judge="rules"),
        Task(name=ROLE, default_judge="cues"),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 128
    """30 words are about 45 tokens; room for those that do not keep to them."""

    def prompts(self, params: SpatialConstructionParams, materials: Materials) -> Iterator[Prompt]:
        """Each kind of story in each space of the spec.

        Raises UsageError with where="spaces" for spaces that are none.
        """
        return all_prompts(params, materials)

    def count(self, params: SpatialConstructionParams, materials: Materials) -> int:
        """Spaces x kinds of stories; raises as `prompts` does."""
        return len(named_spaces(params.spaces, materials)) * len(params.stories)

    def repetitions(self, params: SpatialConstructionParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The space and the kind of story."""
        levels = tuple(space.name for space in all_spaces(materials))
        return (
            Factor(name="space", levels=levels, aliases=aliases(materials)),
            Factor(name="story", levels=STORIES),
        )

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for a value that the task may take, else what is allowed."""
        return check_value(task, value)

    def value_parts(
        self, task: str, params: SpatialConstructionParams | None, materials: Materials
    ) -> tuple[Part, ...]:
        """The roles of the man and of the woman, as the guide defines them."""
        return role_parts(materials) if task == ROLE else ()

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Stories with the bias that the target plants (see `plant`)."""
        spaces = {space.name: space for space in all_spaces(materials)}
        return ConstructionSimulation(
            protocol=self.name,
            space=spaces[prompt.factors["space"]],
            story=prompt.factors["story"],
            sentences=materials[SENTENCES],
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name))

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: SpatialConstructionParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/spatial/README.md`)."""
        from auditor.protocols.spatial_construction import statistics

        return statistics.statistics(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """None: no figure compares targets."""
        return iter(())

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from: the words, where no other is named."""
        return _RESTS_ON.get(statistic, (WORDS,))

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `words` by cell."""
        from auditor.protocols.spatial_construction._stat_headlines import headlines

        return headlines(target, counts)
