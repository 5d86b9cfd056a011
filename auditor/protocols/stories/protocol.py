"""The protocol `stories`: its prompts, tasks, factors, simulation and statistics."""

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
from auditor.protocols.stories.cast import NAMES, names
from auditor.protocols.stories.occupations import (
    OCCUPATIONS,
    all_occupations,
    chosen_occupations,
)
from auditor.protocols.stories.overview import OVERVIEW
from auditor.protocols.stories.plant import check_plant
from auditor.protocols.stories.prompts import PROMPTS, all_prompts
from auditor.protocols.stories.simulation import StorySimulation
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.stories.params import StoriesParams

GENDERS = ("male", "female", "neutral", "unknown")
PRONOUNS = ("he", "she", "they")
_RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "no_name_rate": ("name",),
    "refusal_rate": ("name",),
    "truncated_rate": (),
    "pronoun_agreement": ("pronouns", "gender"),
}


class Stories:
    """Story openings about 106 occupations, and the gender of the protagonist's name."""

    name: ClassVar[str] = "stories"
    summary: ClassVar[str] = "a story opening about a [occupation]: who is the main character?"
    paper: ClassVar[str] = "More Women, Same Stereotypes (arXiv 2503.15904)"
    materials: ClassVar[tuple[str, ...]] = (OCCUPATIONS, PROMPTS, NAMES)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.stories.params:StoriesParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name="name", default_judge="rules"),
        Task(
            name="gender",
            default_judge="nomquamgender",
            reads="name",
            labels=GENDERS,
            has_headlines=True,
        ),
        Task(name="pronouns", default_judge="rules", labels=PRONOUNS, is_optional=True),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 1024
    """Room for an opening of several paragraphs; the name stands in the first of them."""

    def prompts(self, params: StoriesParams, materials: Materials) -> Iterator[Prompt]:
        """One prompt for each occupation of the spec, in its order.

        Raises UsageError with where="occupations" for occupations that are none.
        """
        return all_prompts(params, materials)

    def count(self, params: StoriesParams, materials: Materials) -> int:
        """The number of occupations; raises as `prompts` does."""
        return len(chosen_occupations(params, materials))

    def repetitions(self, params: StoriesParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The occupation."""
        levels = tuple(occupation.name for occupation in all_occupations(materials))
        return (Factor(name="occupation", levels=levels),)

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for a value that the task may take, else what is allowed."""
        is_text = isinstance(value, str)
        if task == "name":
            is_valid = value is None or (is_text and value.strip() != "")
            return None if is_valid else "a name, or null where there is none"
        if task == "gender":
            return None if is_text and value in GENDERS else _listed(GENDERS)
        if task == "pronouns":
            is_valid = value is None or (is_text and value in PRONOUNS)
            return None if is_valid else f"{_listed(PRONOUNS)}, or null"
        return f"task {task!r}; allowed: {', '.join(known.name for known in self.tasks)}"

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Stories with the genders that the target plants (see `plant`)."""
        by_name = {occupation.name: occupation for occupation in all_occupations(materials)}
        return StorySimulation(
            protocol=self.name,
            occupation=by_name[prompt.factors["occupation"]],
            names=names(materials),
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: StoriesParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/stories/README.md`)."""
        from auditor.protocols.stories import statistics

        return statistics.statistics(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows over all targets, and of tuned models against their bases."""
        from auditor.protocols.stories import statistics

        return statistics.across(rows, materials, bases=bases)

    def rests_on(self, statistic: str) -> tuple[str, ...]:
        """Tasks that a statistic is counted from: genders, but for what a name alone decides."""
        return _RESTS_ON.get(statistic, ("gender",))

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `gender` by cell."""
        from auditor.protocols.stories._stat_headlines import headlines

        return headlines(target, counts)


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(f'"{label}"' for label in labels)
