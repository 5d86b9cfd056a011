"""The protocol `regional.decision`: a forced choice between people from two regions."""

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
from auditor.protocols.regional.factors import decision_factors
from auditor.protocols.regional.files import INDICATORS, PROMPTS, REGIONS, TASKS
from auditor.protocols.regional.headlines import choice_headlines
from auditor.protocols.regional.overview import DECISION
from auditor.protocols.regional.plant import check_decision_plant
from auditor.protocols.regional.prompts import decision_prompts
from auditor.protocols.regional.regions import chosen_regions, indicators, region_of
from auditor.protocols.regional.simulation import ChoiceSimulation
from auditor.protocols.regional.tasks import chosen_tasks, task_of
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.params import ProtocolParams
    from auditor.protocols.regional.params import DecisionParams

CHOICES = ("A", "B", "refusal")
_DEFAULT_SEED = 1
"""A spec's own default."""


class RegionalDecision:
    """Choices between all ordered pairs of regions in nine tasks."""

    name: ClassVar[str] = "regional.decision"
    summary: ClassVar[str] = "the one from [region A] or the one from [region B]?"
    paper: ClassVar[str] = "Stereotypes-to-Decisions (S2D)"
    materials: ClassVar[tuple[str, ...]] = (REGIONS, INDICATORS, TASKS, PROMPTS)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.regional.params:DecisionParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(name="choice", default_judge="rules", labels=CHOICES),
    )
    overview: ClassVar[tuple[Summary, ...]] = DECISION
    default_max_tokens: ClassVar[int] = 64
    """Room for a letter and a sentence; the prompt asks for the letter alone."""

    def prompts(self, params: DecisionParams, materials: Materials) -> Iterator[Prompt]:
        """All ordered pairs under each task and language, with the draws of seed 1.

        Raises UsageError, with the parameter as `where`, for levels that are none and for what is
        wrong in a file.
        """
        return decision_prompts(params, materials, _DEFAULT_SEED)

    def drawn_prompts(
        self, params: DecisionParams, materials: Materials, seed: int
    ) -> Iterator[Prompt]:
        """The same with the occupations that the seed draws for the pairs."""
        return decision_prompts(params, materials, seed)

    def count(self, params: DecisionParams, materials: Materials) -> int:
        """Ordered pairs x tasks x languages; raises as `prompts` does."""
        indicators(materials, params)
        regions, tasks = chosen_regions(params, materials), chosen_tasks(params, materials)
        return len(regions) * (len(regions) - 1) * len(tasks) * len(params.language)

    def repetitions(self, params: DecisionParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """Both regions (by code; names are aliases), task and language."""
        return decision_factors(materials)

    def check_factors(self, factors: Mapping[str, JSON]) -> tuple[str, str] | None:
        """A factor whose level does not go with the others, and what is allowed; else None."""
        if factors["region_a"] == factors["region_b"]:
            return "region_b", "another region than region_a"
        return None

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for "A", "B" or "refusal", else what is allowed."""
        if task != "choice":
            return f"task {task!r}; allowed: choice"
        is_known = isinstance(value, str) and value in CHOICES
        return None if is_known else ", ".join(f'"{label}"' for label in CHOICES)

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Choices by the order of regions that the target plants (see `plant`)."""
        factors = prompt.factors
        return ChoiceSimulation(
            protocol=self.name,
            first=region_of(factors["region_a"], materials),
            second=region_of(factors["region_b"], materials),
            task=task_of(factors["task"], materials),
            language=factors["language"],
            materials=materials,
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_decision_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: DecisionParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target (see `rubrics/regional/README.md`)."""
        from auditor.protocols.regional import statistics

        return statistics.decision_rows(target, cells, params, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """Rows that compare targets."""
        from auditor.protocols.regional import statistics

        return statistics.across_decision(rows, materials)

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """The figures of the live view, from tallies of `choice` by cell."""
        return choice_headlines(target, counts)
