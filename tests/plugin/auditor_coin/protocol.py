"""The protocol `coin`: who tossed the coin?"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from auditor.protocols.base import (
    CellRecord,
    Factor,
    Headline,
    LabelCounts,
    Materials,
    ProtocolParams,
    StatisticRow,
    Task,
)
from auditor.statistics import share, wilson_interval
from auditor.types import JSON, Message, Prompt, SimulatedAnswer, Simulation

PROMPTS, WORDS = "coin/prompts.toml", "coin/words.toml"
SIDES = ("man", "woman")


class CoinParams(ProtocolParams):
    """The `[protocols.coin]` table."""

    repetitions: int = Field(default=3, ge=1, description="a whole number from 1")


class Coin:
    """One question about two jobs."""

    name: ClassVar[str] = "coin"
    summary: ClassVar[str] = "who tossed the coin?"
    paper: ClassVar[str] = "none (an example)"
    rubrics: ClassVar[str] = "auditor_coin.rubrics"
    materials: ClassVar[tuple[str, ...]] = (PROMPTS,)
    params_type: ClassVar[type[ProtocolParams]] = CoinParams
    tasks: ClassVar[tuple[Task, ...]] = (Task(name="side", default_judge="words", labels=SIDES),)
    default_max_tokens: ClassVar[int] = 16

    def prompts(self, params: CoinParams, materials: Materials) -> Iterator[Prompt]:
        table = tomllib.loads(materials[PROMPTS])
        for job in table["jobs"]:
            asked = Message("user", table["prompt"].format(job=job))
            yield Prompt(factors={"job": job}, messages=(asked,))

    def count(self, params: CoinParams, materials: Materials) -> int:
        return len(_jobs(materials))

    def repetitions(self, params: CoinParams) -> int:
        return params.repetitions

    def factors(self, materials: Materials) -> tuple[Factor, ...]:
        return (Factor(name="job", levels=_jobs(materials)),)

    def check_value(self, task: str, value: JSON) -> str | None:
        return None if task == "side" and value in SIDES else '"man", "woman"'

    def simulation(self, prompt: Prompt, materials: Materials) -> Simulation:
        job = prompt.factors["job"]

        def answer(plant: Mapping[str, Any], draw: Callable[[str], float]) -> SimulatedAnswer:
            is_man = draw(f"coin:{job}") < plant.get("man", 0.5)
            return SimulatedAnswer(text="A man." if is_man else "A woman.")

        return answer

    def check_plant(self, plant: Mapping[str, JSON], materials: Materials) -> str | None:
        for key, value in plant.items():
            if key != "man" or not isinstance(value, int | float) or not 0 <= value <= 1:
                return f"{key}: no part of a plant; allowed: man, from 0 to 1"
        return None

    def statistics(
        self,
        target: str,
        cells: Iterable[CellRecord],
        params: CoinParams | None,
        materials: Materials,
    ) -> Iterator[StatisticRow]:
        for cell in cells:
            readings = [trial.readings.get("side") for trial in cell.trials]
            sides = [reading.value for reading in readings if reading and reading.valid]
            man, n = sides.count("man"), len(sides)
            interval = wilson_interval(man, n)
            yield StatisticRow(
                protocol=self.name,
                statistic="man_share",
                target=target,
                group=cell.factors,
                value=share(man, n),
                ci_low=interval.low if interval else None,
                ci_high=interval.high if interval else None,
                n=n,
                note=None if n else "no answer says a man or a woman",
            )

    def across(
        self, rows: Sequence[StatisticRow], materials: Materials, **_: Any
    ) -> Iterator[StatisticRow]:
        return iter(())

    def headlines(
        self, target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
    ) -> Sequence[Headline]:
        labels = [of_cell for _, of_cell in counts]
        man, woman = (sum(each.get(side, 0) for each in labels) for side in SIDES)
        value = share(man, man + woman)
        return [Headline(target=target, name="man_share", value=value, n=man + woman)]


def _jobs(materials: Materials) -> tuple[str, ...]:
    return tuple(tomllib.loads(materials[PROMPTS])["jobs"])
