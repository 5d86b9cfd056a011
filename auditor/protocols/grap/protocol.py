"""The protocol `grap`: its prompts, task, factors, simulation and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import rubrics
from auditor.protocols.base import (
    NO_BASES,
    UNSPECIFIED,
    Bases,
    Bench,
    CellRecord,
    Factor,
    Headline,
    LabelCounts,
    Materials,
    Part,
    StatisticRow,
    Summary,
    Task,
    params_in,
)
from auditor.protocols.grap.contrast import contrast
from auditor.protocols.grap.files import CONTRAST, INSTRUCTIONS, NAMES, RUBRIC, SENTENCES
from auditor.protocols.grap.instructions import instructions
from auditor.protocols.grap.names import name_pairs
from auditor.protocols.grap.overview import OVERVIEW
from auditor.protocols.grap.pairs import LAST_PAIR, NO_SEED
from auditor.protocols.grap.parts import SCORES, dimension_parts
from auditor.protocols.grap.plant import check_plant
from auditor.protocols.grap.prompts import all_prompts
from auditor.protocols.grap.rubric import parse_rubric, rubric
from auditor.protocols.grap.sentences import sentences
from auditor.protocols.grap.simulation import AnswerSimulation
from auditor.protocols.grap.values import check_scores
from auditor.protocols.plants import own_part
from auditor.types import JSON, Prompt, Simulation

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams
    from auditor.protocols.params import ProtocolParams


class Grap:
    """The same instruction from a woman and from a man, scored by a rubric."""

    name: ClassVar[str] = "grap"
    summary: ClassVar[str] = "the same instruction from a woman and a man: how are they treated?"
    paper: ClassVar[str] = "GRAP, Gender Rubric-Aware Probing (seon03/GRAP)"
    materials: ClassVar[tuple[str, ...]] = (INSTRUCTIONS, NAMES, CONTRAST, RUBRIC, SENTENCES)
    params_type: ClassVar[type[ProtocolParams]] = params_in(
        "auditor.protocols.grap.params:GrapParams"
    )
    tasks: ClassVar[tuple[Task, ...]] = (
        Task(
            name="rubric",
            default_judge="lexicon",
            numbers=SCORES,
            settings=("full", "response_only"),
        ),
    )
    overview: ClassVar[tuple[Summary, ...]] = OVERVIEW
    default_max_tokens: ClassVar[int] = 1024
    """Room for an answer of several paragraphs; a longer one is cut, and judged so."""

    def prompts(self, params: GrapParams, materials: Materials) -> Iterator[Prompt]:
        """The prompts as `drawn_prompts`, with draws of no run's seed."""
        return self.drawn_prompts(params, materials, NO_SEED)

    def drawn_prompts(
        self, params: GrapParams, materials: Materials, seed: int
    ) -> Iterator[Prompt]:
        """Two prompts a pair, one a level, pair after pair; raises as `count` does."""
        return all_prompts(params, materials, seed)

    def count(self, params: GrapParams, materials: Materials) -> int:
        """Twice the number of pairs.

        Raises UsageError, with the parameter as where, for files that are wrong and for presets
        that the rubric does not have.
        """
        instructions(materials, params)
        name_pairs(materials, params)
        known = rubric(materials, params)
        for preset in params.preset:
            known.preset(preset)
        return params.pairs * len(contrast(materials, params).levels)

    def repetitions(self, params: GrapParams) -> int:
        """Trials of each prompt."""
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        """The pair's number, and the level under the name `gender`."""
        return (
            Factor(name="pair", kind="number"),
            Factor(name="gender", levels=contrast(materials).levels),
        )

    def check_factors(self, factors: Mapping[str, JSON]) -> tuple[str, str] | None:
        """None for a pair that is a whole number from 0 to LAST_PAIR."""
        pair = factors["pair"]
        is_whole = isinstance(pair, int) or (isinstance(pair, float) and pair.is_integer())
        is_known = is_whole and 0 <= pair <= LAST_PAIR
        return None if is_known else ("pair", f"a whole number from 0 to {LAST_PAIR}")

    def check_value(self, task: str, value: JSON) -> str | None:
        """None for scores of the packaged dimensions, else what is allowed."""
        return self._checked(task, value, _packaged_dimensions())

    def check_value_by(self, task: str, value: JSON, materials: Materials) -> str | None:
        """None for scores of the dimensions that a run's rubric has, else what is allowed."""
        return self._checked(task, value, tuple(rubric(materials).dimensions))

    def value_parts(
        self, task: str, params: GrapParams | None, materials: Materials
    ) -> tuple[Part, ...]:
        """The dimensions of the run's rubric; those of the spec's presets are asked for."""
        return dimension_parts(materials, params)

    def _checked(self, task: str, value: JSON, dimensions: tuple[str, ...]) -> str | None:
        if task != self.tasks[0].name:
            return f"task {task!r}; allowed: {self.tasks[0].name}"
        return check_scores(value, dimensions)

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        """Answers that treat the levels as the target plants it (see `plant`)."""
        return AnswerSimulation(
            protocol=self.name,
            prompt=prompt,
            contrast=contrast(materials),
            sentences=sentences(materials),
        )

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        """None if a `sim:` target can be given this plant, else key, value and what is allowed."""
        return check_plant(own_part(plant, self.name), materials)

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: GrapParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """All rows of one target, for one judge in one setting (see `rubrics/grap/README.md`)."""
        from auditor.protocols.grap.statistics import grap_rows

        return grap_rows(target, cells, params, materials, UNSPECIFIED)

    def between(
        self,
        target: str,
        benches: Sequence[Bench],
        params: ProtocolParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        """Rows that set `response_only` beside `full`, and judge beside judge."""
        from auditor.protocols.grap.params import GrapParams
        from auditor.protocols.grap.statistics import JudgeLabel, between_rows, load_scores

        own = params if isinstance(params, GrapParams) else None
        tables = {}
        for bench in benches:
            labels = dict(bench.labels)
            label = JudgeLabel(
                name=str(labels.pop("judge", bench.judge)),
                setting=str(labels.pop("setting", UNSPECIFIED)),
                marks=tuple(sorted(labels.items())),
            )
            tables[label] = load_scores(bench.cells, own, materials)
        return between_rows(target, tables, own, materials)

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, *, bases: Bases = NO_BASES
    ) -> Iterator[StatisticRow]:
        """None: targets are set side by side, not compared."""
        return iter(())

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        """How many responses have been scored: tallies hold no scores."""
        from auditor.protocols.grap._stat_headlines import headlines

        return headlines(target, counts)


@cache
def _packaged_dimensions() -> tuple[str, ...]:
    return tuple(parse_rubric(rubrics.read(RUBRIC)).dimensions)
